import Domain
import HTTPTypes
import NIOCore
import NIOEmbedded
import NIOHTTPTypes
import Testing

@testable import Web

@Suite("Unread responses")
struct UnreadResponsesTests {
  /// Passes on the bodies of responses, as the bytes that a channel counts.
  private final class BodyEncoder: ChannelOutboundHandler {
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = ByteBuffer

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
      guard case .body(let body) = unwrapOutboundIn(data) else { return }
      context.write(wrapOutboundOut(body), promise: promise)
    }
  }

  /// A connection of a client that does not read.
  private final class Reader {
    let channel: EmbeddedChannel
    private let watch: HTTPConnectionGuard

    init(_ unread: UnreadResponses, _ loop: EmbeddedEventLoop) throws {
      let counts = ConnectionCounts(perNetworkMax: 1, proxies: TrustedProxies())
      watch = HTTPConnectionGuard(counts, unread) { _, _ in nil }
      channel = EmbeddedChannel(handlers: [BodyEncoder(), watch], loop: loop)
      try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 4_000)).wait()
    }

    /// Writes a response that the client leaves unread.
    func write(_ bytes: Int) {
      channel.write(HTTPResponsePart.body(ByteBuffer(repeating: 0, count: bytes)), promise: nil)
      setWritable(false)
    }

    func becomeStream() { _ = StreamingResponse(connectionGuard: watch, eventLoop: channel.embeddedEventLoop) }

    func setWritable(_ isWritable: Bool) {
      channel.isWritable = isWritable
      channel.pipeline.fireChannelWritabilityChanged()
      channel.embeddedEventLoop.run()
    }
  }

  private let loop = EmbeddedEventLoop()

  @Test("The budget may be full, and one byte more closes the connection that has not read for the longest time")
  func budget() throws {
    let unread = UnreadResponses(bytesMax: 100)
    let readers = try (0..<4).map { _ in try Reader(unread, loop) }
    for (reader, bytes) in zip(readers, [30, 40, 30]) { reader.write(bytes) }
    #expect(readers.map(\.channel.isActive) == [true, true, true, true])
    // The first client reads on, and stops again.
    readers[0].setWritable(true)
    readers[0].write(30)
    readers[3].write(1)
    #expect(readers.map(\.channel.isActive) == [true, false, true, true])
  }

  @Test("A client that reads or disconnects frees its part of the budget, and a stream needs none")
  func freed() throws {
    let unread = UnreadResponses(bytesMax: 100)
    let readers = try (0..<4).map { _ in try Reader(unread, loop) }
    readers[0].write(60)
    readers[0].setWritable(true)
    readers[1].write(60)
    readers[1].channel.close(promise: nil)
    readers[2].becomeStream()
    readers[2].write(200)
    readers[3].write(100)
    #expect(readers.map(\.channel.isActive) == [true, false, true, true])
  }
}
