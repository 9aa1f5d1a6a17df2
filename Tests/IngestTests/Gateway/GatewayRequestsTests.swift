import Domain
import Hummingbird
import Logging
import Store
import Testing
import Web

@testable import Ingest
@testable import Messaging

/// Tests of ingest's results for gateways' posts, with the real queue and store.
@Suite("Requests of gateways")
struct GatewayRequestsTests {
  private let map: IngestFixture
  private let replies = CommandQueue<GatewayServer.Command>(WakeupEvent())
  private let requests: GatewayRequests
  private let ticket = GatewayServer.Ticket(peer: [1, 2, 3], request: 7)

  init() throws {
    map = try IngestFixture(workers: 0)
    requests = GatewayRequests(
      queue: map.components.queue, sessions: map.components.providers.logins.sessions, replies: replies,
      logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
  }

  /// Returns a token of Ada's session.
  private func token() async throws -> String {
    try #require(try await map.session(of: try await map.account("ada@example.org")))
  }

  private func post(_ token: String, _ key: String, _ place: String = "Oslo") -> SessionPost {
    SessionPost(token: token, post: SubmittedPost(idempotencyKey: key, place: place, link: "example.org"))
  }

  /// Submits a frame of posts. Returns their results.
  private func results(_ posts: [SessionPost]) async throws -> [SessionPostResult] {
    requests.handle(.posts(ticket, posts))
    let reply = try await eventually("the frame gets its results") { replies.drain().first }
    guard case .results(ticket, let results) = reply else {
      throw TimeoutError(description: "the reply has no results")
    }
    return results
  }

  private func code(_ result: SessionPostResult) -> String {
    if case .refused(let refusal) = result { refusal.refusal.code } else { "" }
  }

  @Test("A post is durable when its result says so, under the id of the result")
  func durable() async throws {
    let token = try await token()
    for _ in 0..<2 {
      // The second frame is a repeat. It gets the same ids.
      let results = try await results([post(token, "a"), post(token, "b", "Lima")])
      let ids = results.compactMap { if case .accepted(let id, _, _) = $0 { id } else { nil } }
      let stored = try await map.components.database.posts(ids)
      #expect(Set(stored.map(\.id)) == Set(ids) && stored.map(\.place).sorted() == ["Lima", "Oslo"])
    }
    #expect(try await map.users().map(\.posts) == [2])
  }

  @Test("A frame has one result for each post, in order: accepted, invalid, replayed, conflicting or without a session")
  func mixed() async throws {
    let token = try await token()
    let frame = [
      post(token, "a"), post(token, "b", ""), post("wrong", "c"), post(token, "a"), post(token, "a", "Lima"),
      post(token, "d"),
    ]
    let results = try await results(frame)
    #expect(
      results.map(code) == ["", "invalid_place", "session_required", "", "idempotency_key_reused", ""], "\(results)")
    guard case .accepted(let first, _, isReplayed: false) = results[0],
      case .accepted(first, _, isReplayed: true) = results[3], case .accepted(_, _, isReplayed: false) = results[5]
    else {
      Issue.record("\(results)")
      return
    }
  }

  @Test("The end of a wait reaches the route of its request, and of no other")
  func endOfWait() async throws {
    let router = Router(context: ConnectionContext.self)
    router.get("/wait") { _, context -> Response in
      await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
        context.onWaitEnd { continuation.resume() }
      }
      return Response(status: .accepted)
    }
    requests.begin(router)
    let request = ForwardedRequest(
      method: "GET", target: "/wait", authority: "localhost", headers: [], body: [], clientAddress: nil)
    let other = GatewayServer.Ticket(peer: ticket.peer, request: ticket.request + 1)
    for ticket in [other, ticket] { requests.handle(.http(ticket, request, hashesMax: 0)) }
    requests.handle(.endWait(ticket))
    #expect(try await response().ticket == ticket)
    requests.handle(.endWait(other))
    #expect(try await response().ticket == other)
  }

  /// Waits for the next response.
  private func response() async throws -> (ticket: GatewayServer.Ticket, status: Int) {
    let reply = try await eventually("the request gets its response") { replies.drain().first }
    guard case .response(let ticket, let response) = reply else {
      throw TimeoutError(description: "the reply is no response")
    }
    return (ticket, response.status)
  }

  @Test("A post whose write fails is refused")
  func failedWrite() async throws {
    let token = try await token()
    #expect(try await results([post(token, "a")]).map(code) == [""])
    map.end()
    #expect(try await results([post(token, "b")]).map(code) == ["store_unavailable"])
  }
}
