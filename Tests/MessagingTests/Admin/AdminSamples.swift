@testable import Domain
@testable import Messaging

extension QueueStatus {
  /// A status with a value in every field.
  static var sample: QueueStatus {
    var status = QueueStatus()
    (status.queue.ready, status.queue.leased, status.queue.committing) = (1, 2, 3)
    (status.queue.delayed, status.queue.waitingRemote, status.queue.lookups) = (4, 5, 6)
    status.queue.workers = [
      .init(
        session: 9, name: "worker-1", credit: 60, leases: 4, jobsSent: 1_000,
        results: .init(total: 996, perSecond: 9.5),
        failed: 3, lastSeenAgoMs: 700, isRemote: true)
    ]
    (status.dead, status.deadByReason) = (8, [.init(reason: "bad_place", count: 7)])
    (status.oldestMs, status.pausedMs, status.uptimeMs) = (1_700_000_000_000, 1_700_000_001_000, 5_000)
    (status.accepted, status.completed) = (.init(total: 10, perSecond: 1.5), .init(total: 9, perSecond: 1.25))
    status.failed = .init(total: 2, perSecond: 0.5)
    status.commits = .init(count: 77, p50Us: 1_200, p99Us: 9_000)
    status.feeds = [.init(name: "feed-1", seq: 1_027, lastSeenAgoMs: 12, subscribers: 3)]
    status.disk = DiskStatus(freeBytes: 7_000, sizeBytes: 8_000, databaseBytes: 900, fullMs: 1_700_000_002_000)
    return status
  }
}

extension QueueEntry {
  static func sample(_ number: UInt64, state: QueueState = .dead, place: String = "Lima") -> QueueEntry {
    var entry = QueueEntry(
      id: .numbered(number), state: state, account: AccountID(rawValue: 3), place: place, link: "https://example.org",
      attempts: 2, leaseLosses: 1,
      reason: state == .dead ? Verdict.Reason(code: "bad_place", detail: "no worker likes it") : nil,
      label: state == .published ? "Lima, Peru" : "", createdMs: 1_700_000_000_000, updatedMs: 1_700_000_001_000)
    entry.trace = TraceContext("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01")
    if state == .leased { (entry.worker, entry.remainingMs) = ("worker-1", 0) }
    return entry
  }
}

extension User {
  static var sample: User {
    User(
      account: Account(
        id: AccountID(rawValue: 3), email: "ada@example.org", firstName: "Ada", lastName: "Lovelace",
        createdMs: 1_700_000_000_000, isOperator: true),
      disabledMs: 1_700_000_001_000, sessions: 2, posts: 5, password: "made up")
  }
}

extension BackupSummary {
  static var sample: BackupSummary {
    BackupSummary(path: "/backups/onthemap-20261126T181530Z.sqlite", bytes: 8_192, posts: 7, removed: 1)
  }
}

/// A request and a reply of each kind.
enum AdminSamples {
  static let requests: [AdminRequest] = [
    .status, .list(state: nil, reason: nil, after: nil, limit: 5),
    .list(state: .ready, reason: nil, after: nil, limit: 1),
    .list(state: .dead, reason: "bad_place", after: .numbered(7), limit: 1_000), .show(.numbered(7)),
    .retry(.posts([.numbered(7), .numbered(8)])), .retry(.all(reason: nil, after: nil)),
    .retry(.all(reason: "bad_place", after: .numbered(9))), .discard([.numbered(7)]), .pause, .resume,
    .users(email: nil, after: nil, limit: 1), .users(email: "ada@example.org", after: AccountID(rawValue: 7), limit: 9),
    .addUser(NewUser(email: "ada@example.org", firstName: "Ada", lastName: "", password: nil)),
    .addUser(NewUser(email: "a@b", firstName: "Ada", lastName: "L", password: "a password")),
    .setUser(email: "a@b", .disable), .setUser(email: "a@b", .enable), .setUser(email: "a@b", .password(nil)),
    .setUser(email: "a@b", .password("a password")), .setUser(email: "a@b", .promote), .setUser(email: "a@b", .demote),
    .backUp(BackupRequest(folder: "/b")), .backUp(BackupRequest(folder: "/b", keep: 1_000, isSameDeviceAllowed: true)),
    .backupState,
  ]

  static let replies: [AdminReply] = [
    .status(.sample), .status(QueueStatus()), .list([], next: nil),
    .list([.sample(1), .sample(2, state: .leased)], next: .numbered(2)),
    .report(
      .sample(3, state: .published),
      [PostEvent(kind: .failed, atMs: 5, reason: .init(code: "down", detail: "try again"))]),
    .changed(
      QueueChange(
        done: [.numbered(1)],
        unchanged: [.init(id: .numbered(2), state: .published), .init(id: .numbered(3), state: nil)],
        next: .numbered(3))), .changed(QueueChange()), .paused(sinceMs: 1_700_000_000_000), .paused(sinceMs: nil),
    .users([], next: nil), .users([.sample, .sample], next: AccountID(rawValue: 3)), .user(.sample),
    .backup(nil), .backup(BackupState(number: 1, startedMs: 1_700_000_000_000, outcome: .running)),
    .backup(BackupState(number: 2, startedMs: 1_700_000_000_000, outcome: .failed("the disk is full"))),
    .backup(BackupState(number: 3, startedMs: 1_700_000_000_000, outcome: .succeeded(.sample))),
    .refused(AdminRefusal(.notFound, "there is no post")), .refused(AdminRefusal(.invalid, "email is taken")),
  ]

  static let frames: [[UInt8]] =
    requests.map { AdminRequestFrame(id: 1, $0).bytes } + replies.map { AdminReplyFrame(id: 1, $0).bytes }
}
