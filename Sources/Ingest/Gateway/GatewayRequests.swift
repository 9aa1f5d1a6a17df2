import Domain
import HTTPTypes
import Hummingbird
import Logging
import Messaging
import Store
import Synchronization
import Web

/// Responder to gateways' requests. It stores their posts by the rules of `/v2/posts`, and runs all other requests
/// through ingest's own routes.
///
/// Threads: requests come from the reactor. Results of posts come from the store's completions, and responses from
/// tasks. `GatewayServer` bounds the number of concurrent requests.
final class GatewayRequests: Sendable {
  private let queue: PostPipeline
  private let sessions: Sessions
  private let replies: CommandQueue<GatewayServer.Command>
  private let logger: Logger
  private let routes = OneShot<RouterResponder<ConnectionContext>>()
  /// Clients of the requests that have no response yet.
  private let clients = Mutex<[GatewayServer.Ticket: ForwardedClient]>([:])

  init(
    queue: PostPipeline, sessions: Sessions, replies: CommandQueue<GatewayServer.Command>, logger: Logger
  ) {
    self.queue = queue
    self.sessions = sessions
    self.replies = replies
    self.logger = logger
  }

  /// Begins to respond to HTTP requests. Requests that came earlier wait for this call.
  func begin(_ router: Router<ConnectionContext>) { routes.set(router.buildResponder()) }

  /// Ends the link: ingest executes no further request. Returns when all open requests have their replies, or after
  /// `Limits.gatewayShutdownMs`.
  func shutDown() async {
    let isDone = OneShot<Void>()
    replies.enqueue(.shutDown { isDone.set(()) })
    // The clients of waits get 202, as those of ingest's own HTTP did.
    queue.endWaits()
    await withTaskGroup { group in
      group.addTask { try? await isDone.value }
      group.addTask { try? await Task.sleep(for: .milliseconds(Limits.gatewayShutdownMs)) }
      await group.next()
      group.cancelAll()
    }
  }

  /// Starts to handle a request. Returns immediately.
  func handle(_ request: GatewayServer.Request) {
    switch request {
    case .posts(let ticket, let posts): accept(posts, ticket)
    case .http(let ticket, let request, let hashesMax): respond(to: request, ticket, hashesMax: hashesMax)
    case .cancel(let ticket): clients.withLock { $0[ticket] }?.disconnect()
    case .endWait(let ticket): clients.withLock { $0[ticket] }?.endWait()
    }
  }

  /// Stores the posts of known callers immediately. The others wait for their own session check only.
  private func accept(_ posts: [SessionPost], _ ticket: GatewayServer.Ticket) {
    let results = BatchResults(count: posts.count) { [replies] in replies.enqueue(.results(ticket, $0)) }
    let unixMs = WallClock.unixMs
    var callers: [String: Caller] = [:]
    var unknown: [String: [(Int, SessionPost)]] = [:]
    var known: [(Int, SessionPost)] = []
    for (index, post) in posts.enumerated() {
      if callers[post.token] == nil, unknown[post.token] == nil,
        let session = sessions.cachedSession(token: post.token, unixMs: unixMs)
      {
        callers[post.token] = caller(of: session)
      }
      if callers[post.token] == nil {
        unknown[post.token, default: []].append((index, post))
      } else {
        known.append((index, post))
      }
    }
    store(known, of: callers, results)
    for (token, posts) in unknown {
      Task { store(posts, of: [token: await caller(token)], results) }
    }
  }

  /// The author of a post.
  private enum Caller {
    case account(AccountID)
    case refused(SessionPostResult)
  }

  private func caller(of session: Session) -> Caller {
    queue.refusal(of: session.account).map { .refused(SessionPostResult($0)) } ?? .account(session.account.id)
  }

  private func caller(_ token: String) async -> Caller {
    do {
      let session = try await sessions.session(token: token, unixMs: WallClock.unixMs)
      return session.map { caller(of: $0) } ?? .refused(SessionPostResult(.unauthorized))
    } catch {
      logger.error("session check failed", unlessLoggedByStore: error)
      return .refused(SessionPostResult(.busy))
    }
  }

  /// Stores the valid posts, those of each account in one write.
  private func store(_ posts: [(Int, SessionPost)], of callers: [String: Caller], _ results: BatchResults) {
    var valid: [AccountID: (indices: [Int], posts: [NewPost])] = [:]
    var refused: [(Int, SessionPostResult)] = []
    for (index, post) in posts {
      switch callers[post.token] {
      case .account(let account)?:
        do throws(Problem) {
          let submission = try Submission(post.post)
          let newPost = NewPost(submission, try Idempotency(key: post.post.idempotencyKey, of: submission))
          valid[account, default: ([], [])].indices.append(index)
          valid[account, default: ([], [])].posts.append(newPost)
        } catch { refused.append((index, SessionPostResult(error))) }
      case .refused(let result)?: refused.append((index, result))
      case nil: refused.append((index, SessionPostResult(.unauthorized)))
      }
    }
    results.set(refused)
    for (account, group) in valid {
      queue.accept(group.posts, account: account, counting: queue.meters.overHTTP) { [self] result, refusal in
        if case .failure(let error) = result, !error.isFull {
          logger.error("batch commit failed", metadata: ["error": "\(error)"])
        }
        results.set(group.indices.enumerated().map { ($1, SessionPostResult(result, at: $0, refusal)) })
      }
    }
  }

  private func respond(to request: ForwardedRequest, _ ticket: GatewayServer.Ticket, hashesMax: Int) {
    let client = ForwardedClient(address: request.clientAddress.flatMap { IPAddress($0) })
    clients.withLock { $0[ticket] = client }
    Task {
      let gateway = hashesMax == 0 ? nil : hashingGateway(ticket, hashesMax: hashesMax)
      let response = await HashingGateway.$current.withValue(gateway) { await self.response(to: request, client) }
      clients.withLock { $0[ticket] = nil }
      replies.enqueue(.response(ticket, response))
    }
  }

  /// Returns the gateway of a request, which computes the request's password hashes.
  private func hashingGateway(_ ticket: GatewayServer.Ticket, hashesMax: Int) -> HashingGateway {
    HashingGateway(id: ticket.peer, parallelMax: hashesMax) { [replies] work in
      await withCheckedContinuation { continuation in
        replies.enqueue(.hash(ticket, work) { continuation.resume(returning: $0) })
      }
    }
  }

  private func response(to request: ForwardedRequest, _ client: ForwardedClient) async -> ForwardedResponse {
    do {
      let responder = try await routes.value
      return try await ForwardedResponse(
        responder.respond(to: Request(request), context: ConnectionContext(client, logger: logger)))
    } catch {
      // `ProblemMiddleware` turns all errors of routes into responses, so only a response without an end comes here.
      logger.error(
        "request of a gateway failed",
        metadata: ["path": "\(request.target.prefix { $0 != "?" })", "error": "\(error)"])
      return ForwardedResponse(status: 500, headers: [], body: [])
    }
  }
}

/// The results of one batch, which come from several writes. Any thread.
private final class BatchResults: Sendable {
  private let state: Mutex<(results: [SessionPostResult?], missing: Int)>
  private let completion: @Sendable ([SessionPostResult]) -> Void

  /// - Parameter completion: Called once, when every post has its result.
  init(count: Int, completion: @escaping @Sendable ([SessionPostResult]) -> Void) {
    state = Mutex((Array(repeating: nil, count: count), count))
    self.completion = completion
  }

  func set(_ results: [(index: Int, result: SessionPostResult)]) {
    guard !results.isEmpty else { return }
    let complete: [SessionPostResult]? = state.withLock { state in
      for (index, result) in results { state.results[index] = result }
      state.missing -= results.count
      return state.missing == 0 ? state.results.compactMap(\.self) : nil
    }
    if let complete { completion(complete) }
  }
}

extension SessionPostResult {
  /// The refusal of a post.
  init(_ problem: Problem) {
    self = .refused(
      Refusal(
        status: problem.status.code, title: problem.status.reasonPhrase,
        refusal: SubmitRefusal(code: problem.code, detail: problem.detail, field: problem.field ?? ""),
        retryAfterSeconds: problem.retryAfterSeconds))
  }

  /// The result of one post of a write.
  ///
  /// - Parameter refusal: The problem of a post without a slot in the backlog.
  fileprivate init(_ result: Result<[Acceptance], StoreError>, at index: Int, _ refusal: Problem) {
    switch result {
    case .success(let acceptances):
      switch acceptances[index] {
      case .accepted(let post): self = .accepted(post.id, createdMs: post.createdMs, isReplayed: post.job == nil)
      case .conflict: self.init(.idempotencyKeyReused)
      case .backlogFull: self.init(refusal)
      }
    case .failure(let error): self.init(Problem(error))
    }
  }
}
