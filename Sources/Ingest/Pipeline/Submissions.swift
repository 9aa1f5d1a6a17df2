import Domain
import HTTPTypes
import Logging
import Messaging
import Store
import Synchronization
import Web

/// Responder to producers' requests over ZeroMQ, by the rules of `/v2/posts`.
///
/// Threads: requests come from the reactor. Replies to batches come from the store's completions, and all other replies
/// from tasks. `SubmitAdmission` bounds the number of concurrent requests.
final class Submissions: Sendable {
  private let database: any PostReader
  private let queue: PostPipeline
  private let sessions: Sessions
  private let replies: CommandQueue<SubmitServer.Command>
  private let logger: Logger
  private let meters = SubmitMeters()
  /// Accounts that may not post, by the last check of one of their tokens, with the reason. Sign-ups are rate limited,
  /// so few accounts accumulate here.
  private let barredAccounts = Mutex<[AccountID: Problem]>([:])

  init(
    database: any PostReader, queue: PostPipeline, sessions: Sessions, replies: CommandQueue<SubmitServer.Command>,
    logger: Logger
  ) {
    self.database = database
    self.queue = queue
    self.sessions = sessions
    self.replies = replies
    self.logger = logger
  }

  /// Starts to handle requests. Returns immediately.
  func handle(_ requests: [SubmitServer.Request]) {
    for request in requests {
      switch request {
      case .identify(let peer, let token): Task { await identify(peer, token) }
      case .batch(let ticket, let account, let posts): accept(posts, account, ticket)
      case .query(let ticket, let account, let ids): Task { await show(ids, account, ticket) }
      }
    }
  }

  private func identify(_ peer: [UInt8], _ token: String) async {
    var identity: SubmitAdmission.Identity?
    do {
      let session = try await sessions.session(token: token, unixMs: WallClock.unixMs)
      identity = session.map { .account($0.account.id) } ?? .unauthenticated
      if let account = session?.account {
        let refusal = queue.refusal(of: account)
        barredAccounts.withLock { $0[account.id] = refusal }
      }
    } catch { logger.error("session check failed", unlessLoggedByStore: error) }
    replies.enqueue(.identified(peer: peer, token: token, identity))
  }

  private func accept(_ posts: [SubmittedPost], _ account: AccountID, _ ticket: SubmitServer.Ticket) {
    if let refusal = barredAccounts.withLock({ $0[account] }) {
      return finish(ticket, posts.map { _ in SubmitReceipt(refusal) })
    }
    var receipts: [SubmitReceipt?] = []
    receipts.reserveCapacity(posts.count)
    var valid: [NewPost] = []
    valid.reserveCapacity(posts.count)
    for post in posts {
      do throws(Problem) {
        let submission = try Submission(post)
        valid.append(NewPost(submission, try Idempotency(key: post.idempotencyKey, of: submission)))
        receipts.append(nil)
      } catch { receipts.append(SubmitReceipt(error)) }
    }
    guard !valid.isEmpty else { return finish(ticket, receipts.compactMap(\.self)) }
    let receiptsSoFar = receipts
    queue.accept(valid, account: account, counting: queue.meters.overZeroMQ) { [self] result, refusal in
      if case .failure(let error) = result, !error.isFull {
        logger.error("batch commit failed", metadata: ["error": "\(error)"])
      }
      var stored = self.receipts(result, refusal, count: posts.count).makeIterator()
      finish(ticket, receiptsSoFar.compactMap { $0 ?? stored.next() })
    }
  }

  private func finish(_ ticket: SubmitServer.Ticket, _ receipts: [SubmitReceipt]) {
    meters.count(receipts)
    replies.enqueue(.replied(ticket, .receipts(receipts)))
  }

  /// Returns a receipt for each post that went to the store, in order.
  private func receipts(
    _ result: Result<[Acceptance], StoreError>, _ refusal: Problem, count: Int
  ) -> [SubmitReceipt] {
    switch result {
    case .success(let acceptances):
      acceptances.map { acceptance in
        switch acceptance {
        case .accepted(let accepted): accepted.job == nil ? .replayed(accepted.id) : .accepted(accepted.id)
        case .conflict: SubmitReceipt(.idempotencyKeyReused)
        case .backlogFull: SubmitReceipt(refusal)
        }
      }
    case .failure(let error): Array(repeating: SubmitReceipt(Problem(error)), count: count)
    }
  }

  /// Replies to a status query. Shows published posts to everyone, and other posts only to their owners.
  private func show(_ ids: [PostID], _ account: AccountID, _ ticket: SubmitServer.Ticket) async {
    do {
      let posts = try await database.posts(ids).filter { $0.state == .published || $0.account == account }
      let found = Dictionary(posts.map { ($0.id, $0) }) { first, _ in first }
      replies.enqueue(.replied(ticket, .statuses(ids.map { ($0, found[$0]) })))
    } catch {
      logger.error("post status query failed", unlessLoggedByStore: error)
      let detail = "cannot read the posts at the moment; try again later"
      replies.enqueue(.replied(ticket, .busy(detail: detail, retryAfterMs: Limits.submitRetryMs)))
    }
  }
}

extension SubmitReceipt {
  /// Converts an HTTP problem into a receipt. A server error is temporary, so the producer must not give up.
  init(_ problem: Problem) {
    let refusal = SubmitRefusal(code: problem.code, detail: problem.detail, field: problem.field ?? "")
    // `Retry-After`, or any 5xx status, marks a temporary failure.
    guard problem.retryAfterSeconds != nil || problem.status.code >= 500 else {
      self = .refused(refusal)
      return
    }
    self = .busy(refusal, retryAfterMs: Int64(problem.retryAfterSeconds ?? Limits.retryFaultSeconds) * 1_000)
  }
}
