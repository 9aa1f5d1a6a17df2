import Domain
import Logging
import Messaging
import Store

/// Responder to operators' requests. It reads the reactor's state and the store, and applies changes.
///
/// Threads: the reactor passes on requests of the socket. Each request runs in its own task, and its reply returns to
/// the reactor. At most `Limits.adminRequestsMax` tasks run. Requests over HTTP come from any thread.
final class AdminResponder: Sendable {
  private let database: any QueueReader & PostStore & StoreHealth
  private let queue: PostPipeline
  private let pause: QueuePause
  private let users: UserAdministration
  private let backups: Backups
  private let inspector: QueueInspector
  private let replies: CommandQueue<AdminServer.Command>
  private let logger: Logger
  private let startMs = Reactor.nowMs

  init(
    database: any QueueReader & PostStore & StoreHealth, queue: PostPipeline, pause: QueuePause,
    users: UserAdministration, backups: Backups,
    inspector: QueueInspector, replies: CommandQueue<AdminServer.Command>, logger: Logger
  ) {
    self.database = database
    self.queue = queue
    self.pause = pause
    self.users = users
    self.backups = backups
    self.inspector = inspector
    self.replies = replies
    self.logger = logger
  }

  /// Starts a task that handles a request of the socket. Returns immediately. Thread: the reactor.
  func handle(_ received: AdminServer.Request) {
    Task {
      let reply: AdminReply
      do {
        reply = try await self.reply(to: received.request, received.liveState, Operator(sender: received.sender))
      } catch let refusal as AdminRefusal {
        reply = .refused(refusal)
      } catch {
        logger.error("admin request failed", unlessLoggedByStore: error)
        reply = .refused(AdminRefusal(.failed, "\(error)"))
      }
      replies.enqueue(.reply(received, reply))
    }
  }

  /// Returns the reply to a request that came over HTTP.
  ///
  /// - Parameters:
  ///   - account: The operator's account, for the log.
  ///   - name: The account's first name, which other operators see.
  /// - Throws: `AdminRefusal`, or the store's errors.
  func reply(
    to request: AdminRequest, from account: AccountID, name: String? = nil
  ) async throws -> AdminReply {
    guard let live = await inspector.liveState(about: request) else {
      throw AdminRefusal(.busy, "too many requests at the same time; try again later")
    }
    return try await reply(to: request, live, .account(account, name: name))
  }

  private func reply(
    to request: AdminRequest, _ live: AdminServer.LiveState, _ by: Operator
  ) async throws -> AdminReply {
    switch request {
    case .status: return .status(try await status(live))
    case .list(let state, let reason, let after, let limit):
      return try await list(state, reason: reason, after: after, limit: limit, live)
    case .show(let id):
      guard let entry = try await database.queueEntries([id]).first else {
        throw AdminRefusal(.notFound, "there is no post \(id)")
      }
      return .report(entry.placed(live.placements.first), try await database.history(of: id))
    case .retry(let selection):
      let change = try await queue.retryDead(selection)
      if !change.done.isEmpty { note("dead posts retried", by, count: change.done.count) }
      return .changed(change)
    case .discard(let ids):
      let change = try await database.discard(ids, unixMs: WallClock.unixMs)
      if !change.done.isEmpty { note("dead posts discarded", by, count: change.done.count) }
      return .changed(change)
    case .pause: return .paused(sinceMs: try await setPaused(sinceMs: WallClock.unixMs, by))
    case .resume: return .paused(sinceMs: try await setPaused(sinceMs: nil, by))
    case .users(let email, let after, let limit): return try await users.list(email: email, after: after, limit: limit)
    case .addUser(let user): return .user(try await users.add(user, by: by))
    case .setUser(let email, let change): return .user(try await users.set(email, change, by: by))
    case .backUp(let request): return .backup(try backups.start(request, by: by))
    case .backupState: return .backup(backups.state)
    }
  }

  /// First name of the operator who paused the queue, if it is known.
  var pauseActor: String? { pause.actor }

  private func status(_ live: AdminServer.LiveState) async throws -> QueueStatus {
    var status = QueueStatus()
    if case .status(let snapshot, let rates, let feeds) = live {
      (status.queue, status.feeds) = (snapshot, feeds)
      (status.accepted, status.completed, status.failed) = (rates.accepted, rates.settled, rates.failed)
    }
    (status.dead, status.deadByReason) = try await database.deadCounts()
    status.oldestMs = try await database.oldestQueuedMs()
    status.pausedMs = pause.sinceMs
    status.waitMaxMs = queue.waitMaxMs
    status.uptimeMs = Reactor.nowMs - startMs
    status.commits = database.commits
    status.disk = database.space.status
    return status
  }

  private func list(
    _ state: QueueState?, reason: String?, after: PostID?, limit: Int, _ live: AdminServer.LiveState
  ) async throws -> AdminReply {
    if state == .dead {
      let entries = try await database.deadPosts(reason: reason, after: after, limit: limit)
      return .list(entries.map(\.withoutLink), next: entries.count == limit ? entries.last?.id : nil)
    }
    let placements = Dictionary(uniqueKeysWithValues: live.placements.map { ($0.id, $0) })
    let ids = live.placements.map(\.id)
    let entries = try await database.queueEntries(ids).map { $0.placed(placements[$0.id]).withoutLink }
    // Omit posts whose state has changed in the meantime.
    let matchingStates = state.map { [$0] } ?? QueueState.queued
    return .list(entries.filter { matchingStates.contains($0.state) }, next: ids.count == limit ? ids.last : nil)
  }

  private func note(_ event: Logger.Message, _ by: Operator, count: Int) {
    logger.notice(event, metadata: ["operator": "\(by)", "count": "\(count)"])
  }

  private func setPaused(sinceMs: Int64?, _ by: Operator) async throws -> Int64? {
    let requestedMs = sinceMs
    let sinceMs = try await database.setPaused(sinceMs: sinceMs)
    // The store keeps the time of the first pause.
    if sinceMs == requestedMs { pause.name(by.firstName, ofPauseAtMs: sinceMs) }
    logger.notice(sinceMs == nil ? "queue resumed" : "queue paused", metadata: ["operator": "\(by)"])
    return sinceMs
  }
}

extension AdminServer.LiveState {
  fileprivate var placements: [QueuePlacement] { if case .placements(let placements) = self { placements } else { [] } }
}

extension QueueEntry {
  /// The entry without link and trace, as a list shows it.
  fileprivate var withoutLink: QueueEntry {
    var entry = self
    entry.link = ""
    entry.trace = nil
    return entry
  }
}
