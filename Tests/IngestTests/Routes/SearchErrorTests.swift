import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import NIOEmbedded
import Store
import Synchronization
import Testing

@testable import Domain
@testable import Ingest
@testable import SQLiteStore
@testable import Web

@Suite("Errors and limits of searches")
struct SearchErrorTests {
  @Test(
    "A refused search gives 503 with Retry-After in each API's form",
    arguments: [
      (StoreError.tooManyScans, "too_many_searches", 155, 2), (StoreError.scanEnded, "search_timeout", 124, 2),
      (StoreError.unavailable("the connection was refused"), "store_unavailable", 1, 5),
    ])
  func problems(error: StoreError, code: String, number: Int, retryAfterSeconds: Int) throws {
    let problem = try #require(Problem.of(error))
    #expect(problem.status == .serviceUnavailable && problem.code == code)
    #expect(problem.retryAfterSeconds == retryAfterSeconds)
    // The store logs an outage once. Other problems are logged for each request.
    #expect(problem.isLoggedOnce == (code == "store_unavailable"))
    for path in CompatResponseFormat.lists {
      let body = String(buffer: try #require(CompatResponseFormat.body(of: problem, at: path)))
      #expect(body.contains("\"code\":\(number),"), "\(body)")
    }
  }

  /// Returns the client of a search over a channel.
  private func client(
    over channel: EmbeddedChannel, forwardedFor: String? = nil, proxies: TrustedProxies = TrustedProxies()
  ) -> ScanClient {
    var head = HTTPRequest(method: .get, scheme: "http", authority: "a", path: "/v2/posts")
    head.headerFields[.xForwardedFor] = forwardedFor
    let request = Request(head: head, body: .init(buffer: ByteBuffer()))
    let context = ConnectionContext(
      source: ApplicationRequestContextSource(
        channel: channel, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }))
    return ScanClient(request, context, Site(origin: "", proxies: proxies, allowedOrigins: []))
  }

  @Test(
    "A search counts for its client's network, except for loopback and proxies",
    arguments: [
      ("203.0.113.7", nil, "203.0.113.7"), ("2001:db8::7", nil, "2001:db8::"), ("127.0.0.1", nil, nil),
      ("203.0.113.7", "198.51.100.1", "203.0.113.7"), ("10.0.0.1", "198.51.100.1", "198.51.100.1"),
      ("10.0.0.1", nil, nil),
    ] as [(String, String?, String?)])
  func share(peer: String, forwardedFor: String?, network: String?) throws {
    let channel = EmbeddedChannel()
    channel.remoteAddress = try SocketAddress(ipAddress: peer, port: 1)
    let proxies = TrustedProxies([try #require(AddressRange("10.0.0.0/8"))])
    let client = client(over: channel, forwardedFor: forwardedFor, proxies: proxies)
    #expect(client.network == network.flatMap { IPAddress($0) })
  }

  @Test("A search is notified when its client disconnects")
  func disconnected() throws {
    let counts = ConnectionCounts(perNetworkMax: 9, proxies: TrustedProxies())
    let channel = EmbeddedChannel(handler: HTTPConnectionGuard(counts, UnreadResponses()) { _, _ in nil })
    let peer = try SocketAddress(ipAddress: "203.0.113.7", port: 4_000)
    channel.remoteAddress = peer
    try channel.connect(to: peer).wait()
    let calls = Mutex(0)
    client(over: channel).onDisconnect { calls.withLock { $0 += 1 } }
    channel.embeddedEventLoop.run()
    let before = calls.withLock { $0 }
    #expect(before == 0, "The client is still connected.")
    _ = try channel.finish(acceptAlreadyClosed: true)
    let after = calls.withLock { $0 }
    #expect(after == 1)
  }

  @Test("A search is notified if its client has already disconnected")
  func disconnectedBefore() async throws {
    let channel = EmbeddedChannel()
    let client = client(over: channel)
    await confirmation { disconnected in
      client.onDisconnect { disconnected() }
      channel.embeddedEventLoop.run()
    }
  }
}
