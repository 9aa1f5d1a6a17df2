import SwiftProtobuf
import Synchronization
import Testing

@testable import Domain
@testable import Messaging

/// A submit server on its own reactor with one session. It stores only the idempotency keys and ids of posts.
final class TestSubmitServer: Sendable {
  /// The token of the only session.
  static let token = String(repeating: "t", count: Limits.sessionTokenBytes)
  static let account = AccountID(rawValue: 42)

  private struct State {
    var ids: [String: PostID] = [:]
    var accepted = 0
    var batches = 0
    var lookups = 0
    var isRevoked = false
    var isSilent = false
    var busyMs: Int64?
    /// Replies that are held back.
    var held: [SubmitServer.Command] = []
  }

  private let state = Mutex(State())
  private let commands: CommandQueue<SubmitServer.Command>
  private let wake = WakeupEvent()

  init() { commands = CommandQueue(wake) }

  /// Starts the server. The caller stops the reactor.
  ///
  /// - Parameter isMute: True from the moment at which the server handles and sends nothing.
  func start(
    _ bind: Endpoint? = nil, generation: UInt32 = 1, isMute: Shared<Bool> = Shared(false)
  ) throws -> (reactor: Reactor, endpoint: Endpoint) {
    let bind = try bind ?? .lastingPort()
    let (reactor, endpoint) = try Reactor.start("submit", wake: wake) { [self] context in
      let server = try SubmitServer(context, bind: bind, start: .sample(generation), commands: commands, logger: quiet)
      { self.handle($0) }
      return ([MutableSocket(server, isMute)], server.endpoint)
    }
    return (reactor, endpoint)
  }

  var batches: Int { state.withLock { $0.batches } }
  var lookups: Int { state.withLock { $0.lookups } }
  /// The idempotency keys of all posts.
  var keys: Set<String> { state.withLock { Set($0.ids.keys) } }
  /// Number of distinct posts.
  var stored: Int { state.withLock { $0.ids.count } }
  /// Number of `accepted` receipts. A second `accepted` receipt for a post would mean a duplicate post.
  var accepted: Int { state.withLock { $0.accepted } }
  /// Revokes the session.
  func revokeSession() { state.withLock { $0.isRevoked = true } }

  /// Holds back the replies to batches while `isSilent` is true, and sends them when it becomes false.
  func setSilent(_ isSilent: Bool) {
    let held = state.withLock { state in
      state.isSilent = isSilent
      defer { state.held = isSilent ? state.held : [] }
      return isSilent ? [] : state.held
    }
    for command in held { commands.enqueue(command) }
  }

  /// Makes the server reply to batches with BUSY and a pause. Nil makes it reply normally again.
  func setBusy(retryAfterMs: Int64?) { state.withLock { $0.busyMs = retryAfterMs } }

  private func reply(_ account: AccountID, _ posts: [SubmittedPost]) -> SubmitServer.Reply {
    if let busyMs = state.withLock({ $0.busyMs }) { return .busy(detail: "too many", retryAfterMs: busyMs) }
    return .receipts(account == Self.account ? posts.map(store) : [])
  }

  private func handle(_ requests: [SubmitServer.Request]) {
    for request in requests {
      let command: SubmitServer.Command =
        switch request {
        case .identify(let peer, let token):
          state.withLock { state in
            state.lookups += 1
            let isOurs = token == Self.token && !state.isRevoked
            return .identified(peer: peer, token: token, isOurs ? .account(Self.account) : .unauthenticated)
          }
        case .batch(let ticket, let account, let posts):
          .replied(ticket, reply(account, posts))
        case .query(let ticket, _, let ids):
          .replied(ticket, .statuses(ids.map { ($0, $0.rawValue > 99 ? nil : .sample($0)) }))
        }
      let isHeld = state.withLock { state in
        guard case .batch = request else { return false }
        state.batches += 1
        if state.isSilent { state.held.append(command) }
        return state.isSilent
      }
      if !isHeld { commands.enqueue(command) }
    }
  }

  /// Stores a post, or refuses it if its place is "no".
  private func store(_ post: SubmittedPost) -> SubmitReceipt {
    let refusal = SubmitRefusal(code: "invalid_place", detail: "place is no place", field: "place")
    if post.place == "no" { return .refused(refusal) }
    return state.withLock { state in
      if let id = state.ids[post.idempotencyKey] { return .replayed(id) }
      state.accepted += 1
      let id = PostID.numbered(UInt64(state.accepted))
      state.ids[post.idempotencyKey] = id
      return .accepted(id)
    }
  }
}

/// A producer on a plain ZeroMQ socket.
struct RawProducer {
  let socket: RawSocket

  /// Sends a batch.
  func send(_ id: UInt64, token: String = TestSubmitServer.token, _ posts: [SubmittedPost]) {
    let batch = Onthemap_Submit_V1_Batch.with { $0.posts = posts.map(Onthemap_Submit_V1_Draft.init) }
    socket.send([SubmitRequest(id: id, token: token, .batch(batch)).bytes])
  }

  /// Waits for the reply to a request.
  func reply(to id: UInt64) async throws -> SubmitReply {
    var found: SubmitReply?
    try await eventually("request \(id) has a reply") {
      while found == nil, let frames = socket.receive() {
        if let reply = SubmitReply(frames), reply.requestID == id { found = reply }
      }
      return found != nil
    }
    guard let found else { throw TimeoutError() }
    return found
  }
}

extension SubmittedPost {
  static func sample(_ number: Int, place: String = "Oslo") -> SubmittedPost {
    SubmittedPost(idempotencyKey: "key-\(number)", place: place, link: "https://example.org/\(number)")
  }
}

extension Post {
  static func sample(_ id: PostID, state: State = .published) -> Post {
    Post(
      id: id, account: TestSubmitServer.account, place: "Oslo", link: "https://example.org/", state: state,
      coordinate: .e7(599_000_000, 107_000_000),
      outcome: state == .published
        ? .init(
          coordinate: .e7(599_000_000, 107_000_000), label: "Oslo, Norway", countryCode: "NO", agreement: .verified)
        : nil, reason: state == .rejected ? .init(code: "place_not_found", detail: "no such place") : nil,
      seq: state == .published ? 7 : nil, createdMs: 1, updatedMs: 2)
  }
}
