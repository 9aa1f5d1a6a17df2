import HTTPTypes
import NIOCore
import NIOEmbedded
import NIOHTTPTypes
import Testing

@testable import Domain
@testable import Web

@Suite("Connections of a server that shuts down")
struct QuiescingTests {
  /// Counts the shutdown events that the guard passes on.
  private final class EventCounter: ChannelInboundHandler {
    typealias InboundIn = HTTPRequestPart
    var count = 0

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
      if event is ChannelShouldQuiesceEvent { count += 1 }
      context.fireUserInboundEventTriggered(event)
    }
  }

  private let counter = EventCounter()
  private let channel: EmbeddedChannel

  init() throws {
    let counts = ConnectionCounts(perNetworkMax: 1, proxies: TrustedProxies())
    channel = EmbeddedChannel(handlers: [HTTPConnectionGuard(counts, UnreadResponses()) { _, _ in nil }, counter])
    try channel.connect(to: SocketAddress(ipAddress: "192.0.2.1", port: 4_000)).wait()
  }

  private func shutDown() { channel.pipeline.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent()) }

  private func request() throws {
    let head = HTTPRequest(method: .get, scheme: "http", authority: "map.example", path: "/")
    try channel.writeInbound(HTTPRequestPart.head(head))
    try channel.writeInbound(HTTPRequestPart.end(nil))
  }

  /// Writes a response. Returns the value of its header Connection.
  private func respond() throws -> String? {
    try channel.writeOutbound(HTTPResponsePart.head(HTTPResponse(status: .noContent)))
    try channel.writeOutbound(HTTPResponsePart.end(nil))
    guard case .head(let head)? = try channel.readOutbound(as: HTTPResponsePart.self) else { return "no response" }
    _ = try channel.readOutbound(as: HTTPResponsePart.self)
    return head.headerFields[.connection]
  }

  @Test("An idle connection gets a second for its next request, whose response announces the end of the connection")
  func idle() throws {
    try request()
    #expect(try respond() == nil)
    shutDown()
    #expect(counter.count == 0)
    try request()
    #expect(counter.count == 1)
    #expect(try respond() == "close")
  }

  @Test("A new connection without a request ends after a second")
  func silent() {
    shutDown()
    channel.embeddedEventLoop.advanceTime(by: .milliseconds(Limits.httpQuiesceMs - 1))
    #expect(counter.count == 0)
    channel.embeddedEventLoop.advanceTime(by: .milliseconds(1))
    #expect(counter.count == 1)
  }

  @Test("The response in progress announces the end of the connection")
  func busy() throws {
    try request()
    shutDown()
    #expect(counter.count == 1)
    #expect(try respond() == "close")
  }

  @Test("A request whose body is incomplete after a second gets 408")
  func slowBody() throws {
    let head = HTTPRequest(method: .post, scheme: "http", authority: "map.example", path: "/")
    try channel.writeInbound(HTTPRequestPart.head(head))
    shutDown()
    #expect(counter.count == 1, "The request is in progress, so the server may wait for its response.")
    channel.embeddedEventLoop.advanceTime(by: .milliseconds(Limits.httpQuiesceMs))
    guard case .head(let response)? = try channel.readOutbound(as: HTTPResponsePart.self) else {
      Issue.record("The request got no response.")
      return
    }
    #expect(response.status == .requestTimeout && !channel.isActive)
  }

  @Test("A request that has arrived in part is served")
  func partial() throws {
    try request()
    #expect(try respond() == nil)
    // A read without a part is a piece of a head.
    channel.pipeline.fireChannelReadComplete()
    shutDown()
    #expect(counter.count == 0)
    try request()
    #expect(counter.count == 1)
    #expect(try respond() == "close")
  }
}
