import Domain
import SwiftProtobuf

typealias AdminRequestFrame = Onthemap_Admin_V1_AdminRequest

extension Onthemap_Admin_V1_QueueState {
  init(_ state: QueueState?) { self = state.flatMap { Self(rawValue: Int($0.rawValue)) } ?? .unspecified }

  /// The state. Nil for 0 and for a value that this version does not know.
  var state: QueueState? { UInt8(exactly: rawValue).flatMap(QueueState.init) }
}

extension AdminRequestFrame {
  init(id: UInt64, _ request: AdminRequest) {
    magic = Protocol.magic
    major = Protocol.major
    minor = Protocol.minor
    requestID = id
    switch request {
    case .status: body = .status(.init())
    case .list(let state, let reason, let after, let limit):
      body = .list(
        .with {
          $0.state = .init(state)
          $0.reason = reason ?? ""
          $0.after = after?.description ?? ""
          $0.limit = UInt32(limit)
        })
    case .show(let id): body = .show(.with { $0.postID = id.description })
    case .retry(.posts(let ids)): body = .retry(.with { $0.postIds = ids.map(\.description) })
    case .retry(.all(let reason, let after)):
      body = .retry(
        .with {
          $0.all.reason = reason ?? ""
          $0.all.after = after?.description ?? ""
        })
    case .discard(let ids): body = .discard(.with { $0.postIds = ids.map(\.description) })
    case .pause: body = .pause(.init())
    case .resume: body = .resume(.init())
    case .users(let email, let after, let limit):
      body = .users(
        .with {
          $0.email = email ?? ""
          $0.after = UInt64(bitPattern: after?.rawValue ?? 0)
          $0.limit = UInt32(limit)
        })
    case .addUser(let user):
      body = .addUser(
        .with {
          ($0.email, $0.firstName, $0.lastName) = (user.email, user.firstName, user.lastName)
          $0.password = user.password ?? ""
        })
    case .setUser(let email, let change):
      body = .setUser(
        .with {
          $0.email = email
          switch change {
          case .disable: $0.disabled = true
          case .enable: $0.disabled = false
          case .password(let password): $0.password = password ?? ""
          case .promote: $0.operator = true
          case .demote: $0.operator = false
          }
        })
    case .backUp(let request):
      body = .backUp(
        .with {
          $0.folder = request.folder
          $0.keep = UInt32(clamping: request.keep ?? 0)
          $0.sameDevice = request.isSameDeviceAllowed
        })
    case .backupState: body = .backupState(.init())
    }
  }

  /// Returns the request in the frame's body.
  ///
  /// - Throws: `AdminRefusal` for a body that the protocol forbids.
  func request() throws(AdminRefusal) -> AdminRequest {
    switch body {
    case .status: return .status
    case .list(let list):
      let state = list.state.state
      guard list.state == .unspecified || state.map(QueueState.listed.contains) == true else {
        throw AdminRefusal(.malformed, "state must be READY to DEAD, or 0 for all queued posts")
      }
      guard list.reason.isEmpty || state == .dead else {
        throw AdminRefusal(.malformed, "reason is allowed only with DEAD")
      }
      let limit = min(max(1, Int(list.limit)), Limits.adminPostsMax)
      let after = try Self.optional(list.after)
      return .list(state: state, reason: list.reason.isEmpty ? nil : list.reason, after: after, limit: limit)
    case .show(let show): return .show(try Self.id(show.postID))
    case .retry(let retry) where retry.hasAll:
      guard retry.postIds.isEmpty else {
        throw AdminRefusal(.malformed, "post_ids and all exclude each other; send one of them")
      }
      let reason = retry.all.reason.isEmpty ? nil : retry.all.reason
      return .retry(.all(reason: reason, after: try Self.optional(retry.all.after)))
    case .retry(let retry): return .retry(.posts(try Self.ids(retry.postIds)))
    case .discard(let discard): return .discard(try Self.ids(discard.postIds))
    case .pause: return .pause
    case .resume: return .resume
    case .users(let users):
      let after = users.after == 0 ? nil : AccountID(rawValue: Int64(clamping: users.after))
      let limit = min(max(1, Int(users.limit)), Limits.adminUsersMax)
      return .users(email: users.email.isEmpty ? nil : users.email, after: after, limit: limit)
    case .addUser(let user):
      let password = user.password.isEmpty ? nil : user.password
      return .addUser(
        NewUser(email: user.email, firstName: user.firstName, lastName: user.lastName, password: password))
    case .setUser(let user):
      switch user.change {
      case .disabled(let isDisabled): return .setUser(email: user.email, isDisabled ? .disable : .enable)
      case .password(let password): return .setUser(email: user.email, .password(password.isEmpty ? nil : password))
      case .operator(let isOperator): return .setUser(email: user.email, isOperator ? .promote : .demote)
      case nil: throw AdminRefusal(.malformed, "a SetUserRequest without a change of this protocol")
      }
    case .backUp(let backup): return .backUp(try Self.backupRequest(backup))
    case .backupState: return .backupState
    case nil: throw AdminRefusal(.malformed, "a request without a body of this protocol")
    }
  }

  private static func backupRequest(_ body: Onthemap_Admin_V1_BackUpRequest) throws(AdminRefusal) -> BackupRequest {
    guard body.folder.hasPrefix("/"), body.folder.utf8.count <= Limits.backupPathBytesMax,
      !body.folder.utf8.contains(0)
    else {
      throw AdminRefusal(
        .malformed, "folder must be an absolute path of at most \(Limits.backupPathBytesMax) bytes, without a zero")
    }
    let (keep, range) = (Int(body.keep), Limits.backupsKeptRange)
    guard keep == 0 || range.contains(keep) else {
      throw AdminRefusal(.malformed, "keep must be 0 or \(range.lowerBound) to \(range.upperBound), not \(keep)")
    }
    return BackupRequest(
      folder: body.folder, keep: keep == 0 ? nil : keep, isSameDeviceAllowed: body.sameDevice)
  }

  private static func ids(_ texts: [String]) throws(AdminRefusal) -> [PostID] {
    guard (1...Limits.adminPostsMax).contains(texts.count) else {
      throw AdminRefusal(.malformed, "a request must name 1 to \(Limits.adminPostsMax) ids, not \(texts.count)")
    }
    var ids: [PostID] = []
    for text in texts { ids.append(try id(text)) }
    return ids
  }

  private static func id(_ text: String) throws(AdminRefusal) -> PostID {
    guard let id = PostID(text) else {
      throw AdminRefusal(
        .malformed, "\"\(text.safeLine(bytesMax: Limits.quotedTextBytesMax))\" is not the id of a post")
    }
    return id
  }

  private static func optional(_ text: String) throws(AdminRefusal) -> PostID? { text.isEmpty ? nil : try id(text) }
}
