import HTTPTypes
import NIOCore
import NIOEmbedded
import NIOHTTPTypes
import Testing

@testable import Domain
@testable import Web

@Suite("Connection limit per network")
struct ConnectionCountsTests {
  private func address(_ text: String) throws -> IPAddress { try #require(IPAddress(text)) }

  @Test("A network at its limit gets no further connection until one closes")
  func networks() throws {
    let counts = ConnectionCounts(perNetworkMax: 2, proxies: TrustedProxies())
    for (first, same, other) in [
      ("192.0.2.1", "192.0.2.1", "192.0.2.2"), ("2001:db8::1", "2001:db8::2", "2001:db8:0:1::1"),
    ] {
      #expect(try counts.admit(address(first)) && counts.admit(address(same)))
      #expect(!counts.admit(try address(first)))
      #expect(counts.admit(try address(other)))
      counts.release(try address(same))
      #expect(counts.admit(try address(first)))
      #expect(!counts.admit(try address(same)))
    }
  }

  @Test("Loopback addresses and trusted proxies have no connection limit", arguments: ["127.0.0.9", "::1", "10.1.2.3"])
  func exempt(text: String) throws {
    let counts = ConnectionCounts(perNetworkMax: 1, proxies: TrustedProxies([try #require(AddressRange("10.0.0.0/8"))]))
    for _ in 0..<3 { #expect(counts.admit(try address(text))) }
    for _ in 0..<3 { counts.release(try address(text)) }
  }

  /// Opens a connection from 192.0.2.1 through the guard.
  private func connect(_ counts: ConnectionCounts) throws -> EmbeddedChannel {
    let channel = EmbeddedChannel(handler: HTTPConnectionGuard(counts, UnreadResponses()) { _, _ in nil })
    let peer = try SocketAddress(ipAddress: "192.0.2.1", port: 4_000)
    channel.remoteAddress = peer
    try channel.connect(to: peer).wait()
    return channel
  }

  private func sendRequest(_ channel: EmbeddedChannel) throws {
    let head = HTTPRequest(method: .get, scheme: "http", authority: "map.example", path: "/")
    try channel.writeInbound(HTTPRequestPart.head(head))
  }

  @Test("A surplus connection gets 429 and is closed, and after another close a new connection is served")
  func surplus() throws {
    let counts = ConnectionCounts(perNetworkMax: 1, proxies: TrustedProxies())
    let first = try connect(counts)
    try sendRequest(first)
    #expect(try first.readInbound(as: HTTPRequestPart.self) != nil)

    let second = try connect(counts)
    try sendRequest(second)
    #expect(try second.readInbound(as: HTTPRequestPart.self) == nil, "A refused request must not reach the server.")
    guard case .head(let head)? = try second.readOutbound(as: HTTPResponsePart.self) else {
      Issue.record("The refused request got no response.")
      return
    }
    #expect(head.status == .tooManyRequests && head.headerFields[.retryAfter] == "1")
    #expect(head.headerFields[.connection] == "close")
    #expect(!second.isActive)

    try first.close().wait()
    // The event loop's next pass releases the slot of the closed connection.
    first.embeddedEventLoop.run()
    let third = try connect(counts)
    try sendRequest(third)
    #expect(try third.readInbound(as: HTTPRequestPart.self) != nil)
  }

  @Test("A surplus connection that sends nothing is closed after its timeout")
  func silent() throws {
    let counts = ConnectionCounts(perNetworkMax: 1, proxies: TrustedProxies())
    let (first, second) = (try connect(counts), try connect(counts))
    for channel in [first, second] {
      channel.embeddedEventLoop.advanceTime(by: .milliseconds(Limits.httpRefusedMs - 1))
      #expect(channel.isActive)
      channel.embeddedEventLoop.advanceTime(by: .milliseconds(1))
    }
    #expect(first.isActive && !second.isActive)
    try first.close().wait()
  }
}
