import Domain
import SwiftProtobuf

typealias AdminReplyFrame = Onthemap_Admin_V1_AdminReply

extension AdminReplyFrame {
  init(id: UInt64, _ reply: AdminReply) {
    magic = Protocol.magic
    major = Protocol.major
    minor = Protocol.minor
    requestID = id
    switch reply {
    case .status(let status): body = .status(.init(status))
    case .list(let entries, let next):
      body = .list(
        .with {
          $0.posts = entries.map(Onthemap_Admin_V1_QueuedPost.init)
          $0.next = next?.description ?? ""
        })
    case .report(let entry, let history):
      body = .report(
        .with {
          $0.post = .init(entry)
          $0.history = history.map(Onthemap_Admin_V1_PostEvent.init)
        })
    case .changed(let change):
      body = .changed(
        .with {
          $0.postIds = change.done.map(\.description)
          $0.unchanged = change.unchanged.map { post in
            .with { ($0.postID, $0.state) = (post.id.description, .init(post.state)) }
          }
          $0.next = change.next?.description ?? ""
        })
    case .users(let users, let next):
      body = .users(
        .with {
          $0.users = users.map(Onthemap_Admin_V1_User.init)
          $0.next = UInt64(bitPattern: next?.rawValue ?? 0)
        })
    case .user(let user): body = .user(.init(user))
    case .paused(let sinceMs): body = .pause(.with { $0.pausedUnixMs = UInt64(max(0, sinceMs ?? 0)) })
    case .backup(let state): body = .backup(.init(state))
    case .refused(let refusal):
      body = .error(
        .with {
          $0.code = .init(rawValue: Int(refusal.code.rawValue)) ?? .failed
          $0.detail = refusal.detail
        })
    }
  }

  /// The reply. Nil if a field breaks the protocol, or if this version does not know the body.
  var reply: AdminReply? {
    switch body {
    case .status(let status): return .status(status.status)
    case .list(let list):
      let entries = list.posts.compactMap(\.entry)
      guard entries.count == list.posts.count, list.next.isEmpty || PostID(list.next) != nil else { return nil }
      return .list(entries, next: PostID(list.next))
    case .report(let report):
      let history = report.history.compactMap(\.event)
      return report.post.entry.map { .report($0, history) }
    case .changed(let changed):
      let done = changed.postIds.compactMap { PostID($0) }
      let unchanged = changed.unchanged.compactMap { post in
        PostID(post.postID).map { QueueChange.Unchanged(id: $0, state: post.state.state) }
      }
      guard done.count == changed.postIds.count, unchanged.count == changed.unchanged.count,
        changed.next.isEmpty || PostID(changed.next) != nil
      else { return nil }
      return .changed(QueueChange(done: done, unchanged: unchanged, next: PostID(changed.next)))
    case .users(let list):
      return .users(
        list.users.map(\.user), next: list.next == 0 ? nil : AccountID(rawValue: Int64(clamping: list.next)))
    case .user(let user): return .user(user.user)
    case .pause(let pause): return .paused(sinceMs: unixMs(pause.pausedUnixMs))
    case .backup(let backup): return .backup(backup.state)
    case .error(let error):
      let code = UInt8(exactly: error.code.rawValue).flatMap(AdminRefusal.Code.init) ?? .failed
      return .refused(AdminRefusal(code, error.detail))
    case nil: return nil
    }
  }
}

extension Onthemap_Admin_V1_QueuedPost {
  init(_ entry: QueueEntry) {
    postID = entry.id.description
    state = .init(entry.state)
    account = UInt64(bitPattern: entry.account.rawValue)
    place = entry.place
    link = entry.link
    failedAttempts = UInt32(clamping: entry.attempts)
    leaseLosses = UInt32(clamping: entry.leaseLosses)
    reasonCode = entry.reason?.code ?? ""
    reason = entry.reason?.detail ?? ""
    label = entry.label
    createdUnixMs = UInt64(max(0, entry.createdMs))
    updatedUnixMs = UInt64(max(0, entry.updatedMs))
    worker = entry.worker
    if let trace = entry.trace { traceparent = trace.description }
    if let remaining = entry.remainingMs { remainingMs = UInt64(max(0, remaining)) }
  }

  var entry: QueueEntry? {
    guard let id = PostID(postID), let state = state.state, max(createdUnixMs, updatedUnixMs) <= Protocol.unixMsMax
    else { return nil }
    var entry = QueueEntry(
      id: id, state: state, account: AccountID(rawValue: Int64(bitPattern: account)), place: place, link: link,
      attempts: Int(failedAttempts), leaseLosses: Int(leaseLosses),
      reason: reasonCode.isEmpty ? nil : Verdict.Reason(code: reasonCode, detail: reason), label: label,
      createdMs: Int64(createdUnixMs), updatedMs: Int64(updatedUnixMs))
    entry.worker = worker
    entry.trace = TraceContext(traceparent)
    entry.remainingMs = hasRemainingMs ? Int64(clamping: remainingMs) : nil
    return entry
  }
}

extension Onthemap_Admin_V1_PostEvent {
  init(_ event: PostEvent) {
    kind = .init(rawValue: Int(event.kind.rawValue)) ?? .unspecified
    atUnixMs = UInt64(max(0, event.atMs))
    code = event.reason.code
    detail = event.reason.detail
  }

  /// The event. Nil for a kind that this version does not know, or a time out of range.
  var event: PostEvent? {
    guard let kind = UInt8(exactly: kind.rawValue).flatMap(PostEvent.Kind.init), atUnixMs <= Protocol.unixMsMax else {
      return nil
    }
    return PostEvent(kind: kind, atMs: Int64(atUnixMs), reason: Verdict.Reason(code: code, detail: detail))
  }
}

extension Onthemap_Admin_V1_User {
  init(_ user: User) {
    account = UInt64(bitPattern: user.account.id.rawValue)
    (email, firstName, lastName) = (user.account.email, user.account.firstName, user.account.lastName)
    createdUnixMs = UInt64(max(0, user.account.createdMs))
    disabledUnixMs = UInt64(max(0, user.disabledMs ?? 0))
    sessions = UInt32(clamping: user.sessions)
    posts = UInt64(clamping: user.posts)
    password = user.password ?? ""
    `operator` = user.account.isOperator
  }

  var user: User {
    User(
      account: Account(
        id: AccountID(rawValue: Int64(clamping: account)), email: email, firstName: firstName, lastName: lastName,
        createdMs: unixMs(createdUnixMs) ?? 0, isOperator: `operator`),
      disabledMs: unixMs(disabledUnixMs), sessions: Int(sessions), posts: Int(clamping: posts),
      password: password.isEmpty ? nil : password)
  }
}

extension Onthemap_Admin_V1_BackupState {
  init(_ state: BackupState?) {
    guard let state else { return }
    number = state.number
    startedUnixMs = UInt64(max(0, state.startedMs))
    switch state.outcome {
    case .running: result = .running
    case .succeeded(let backup):
      result = .succeeded
      path = backup.path
      (bytes, posts) = (UInt64(clamping: backup.bytes), UInt64(clamping: backup.posts))
      removed = UInt32(clamping: backup.removed)
    case .failed(let reason):
      result = .failed
      error = reason
    }
  }

  /// The state. Nil if there was no backup, or for a result that this version does not know.
  var state: BackupState? {
    let outcome: BackupState.Outcome
    switch result {
    case .running: outcome = .running
    case .succeeded:
      outcome = .succeeded(
        BackupSummary(
          path: path, bytes: Int64(clamping: bytes), posts: Int(clamping: posts), removed: Int(clamping: removed)))
    case .failed: outcome = .failed(error)
    case .unspecified, .UNRECOGNIZED: return nil
    }
    return BackupState(number: number, startedMs: unixMs(startedUnixMs) ?? 0, outcome: outcome)
  }
}

/// Decodes a time, in milliseconds since 1970. Nil for 0 and for times out of range.
func unixMs(_ wire: UInt64) -> Int64? { (1...Protocol.unixMsMax).contains(wire) ? Int64(wire) : nil }
