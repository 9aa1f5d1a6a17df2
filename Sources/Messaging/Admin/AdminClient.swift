package import Domain
import SwiftProtobuf

/// A tool's end of the admin socket: a DEALER that asks, and hands on what is answered.
package final class AdminClient: ReactorSocket {
  /// A question with a number of the caller's. Any thread, through the inbox.
  package typealias Request = (id: UInt64, request: AdminRequest)

  package let socket: Socket
  private let inbox: CommandQueue<Request>
  private let onReply: @Sendable (UInt64, AdminReply) -> Void
  private var waiting: [Request] = []

  /// - Parameters:
  ///   - inbox: takes the questions; whoever asks bounds them.
  ///   - answered: called on the reactor's thread with each answer and its question's number; must not wait.
  package init(
    _ context: Reactor.Context, connect endpoint: Endpoint, inbox: CommandQueue<Request>,
    answered: @escaping @Sendable (UInt64, AdminReply) -> Void
  ) throws(LinkError) {
    socket = try context.socket(.dealer, frameBytesMax: Limits.adminReplyBytesMax)
    try socket.set(ZMQOption.immediate, 1)
    try socket.connect(endpoint)
    self.inbox = inbox
    self.onReply = answered
  }

  package func receive(_ frames: [[UInt8]], nowMs: Int64) {
    guard frames.count == 1, let frame = try? AdminReplyFrame(serializedBytes: frames[0]),
      frame.magic == Protocol.magic
    else { return }
    guard frame.major == Protocol.major, let answer = frame.answer else {
      let refusal = AdminRefusal(.unsupportedVersion, "ingest answers in a way that this version does not know")
      return onReply(frame.requestID, .refused(refusal))
    }
    onReply(frame.requestID, answer)
  }

  package func tick(nowMs: Int64) -> Int64 {
    waiting += inbox.drain()
    while let question = waiting.first {
      // Without a connection it is refused, and not kept by libzmq: an ingest that comes later would get all at once.
      guard socket.send(AdminRequestFrame(id: question.id, question.request).bytes) == .accepted else {
        return nowMs + Limits.adminRetryMs
      }
      waiting.removeFirst()
    }
    return .max
  }

  package func shutDown() {}
}
