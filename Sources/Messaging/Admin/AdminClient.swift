package import Domain
import SwiftProtobuf

/// A tool's end of the admin socket: a DEALER that sends requests and passes on the replies.
package final class AdminClient: ReactorSocket {
  /// A request with an id of the caller's choice. Any thread may enqueue it.
  package typealias Request = (id: UInt64, request: AdminRequest)

  package let socket: Socket
  private let requests: CommandQueue<Request>
  private let onReply: @Sendable (UInt64, AdminReply) -> Void
  private var waiting: [Request] = []

  /// Creates the client, and connects its socket.
  ///
  /// - Parameters:
  ///   - requests: Queue of requests. The caller bounds its length.
  ///   - onReply: Handler of each reply and its request's id. It runs on the reactor's thread and must not block.
  package init(
    _ context: Reactor.Context, connect endpoint: Endpoint, requests: CommandQueue<Request>,
    onReply: @escaping @Sendable (UInt64, AdminReply) -> Void
  ) throws(LinkError) {
    socket = try context.socket(.dealer, frameBytesMax: Limits.adminReplyBytesMax)
    try socket.set(ZMQOption.immediate, 1)
    try socket.connect(endpoint)
    self.requests = requests
    self.onReply = onReply
  }

  package func receive(_ frames: [[UInt8]], nowMs: Int64) {
    guard frames.count == 1, let frame = try? AdminReplyFrame(serializedBytes: frames[0]),
      frame.magic == Protocol.magic
    else { return }
    guard frame.major == Protocol.major, let reply = frame.reply else {
      let refusal = AdminRefusal(
        .unsupportedVersion, "ingest sent an unknown reply; run the same version of onthemap on both ends")
      return onReply(frame.requestID, .refused(refusal))
    }
    onReply(frame.requestID, reply)
  }

  package func tick(nowMs: Int64) -> Int64 {
    waiting += requests.drain()
    while let (id, request) = waiting.first {
      // Without a connection the socket refuses a request. If libzmq queued requests, the next ingest would get all of
      // them together.
      guard socket.send(AdminRequestFrame(id: id, request).bytes) == .accepted else {
        return nowMs + Limits.adminRetryMs
      }
      waiting.removeFirst()
    }
    return .max
  }

  package func shutDown() {}
}
