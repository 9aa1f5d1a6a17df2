import Domain
package import Logging
package import Messaging

/// Ingest's end of submission for one producer under examination: a ROUTER, driven by `ProducerExam`.
package final class ProducerExaminer: Station {
  package let socket: Socket
  /// The bound address, with its actual port.
  package let endpoint: Endpoint
  private let inbox: Inbox<ExamineeNews>
  private let listener: ExamListener
  private var exam: ProducerExam
  /// Connections by ZeroMQ's routing id: a new id shows that the producer has reconnected.
  private var connections: [[UInt8]: Int] = [:]
  private var peers: [Int: [UInt8]] = [:]
  private var hasCome = false
  private var hasFinished = false

  /// Binds the socket. Call this and all else on the reactor's thread.
  ///
  /// - Parameters:
  ///   - waitMs: timeout for the producer's first message.
  ///   - inbox: reports the end of the producer's process.
  package init(
    _ context: Reactor.Context, bind: Endpoint, waitMs: Int64, inbox: Inbox<ExamineeNews>, logger: Logger,
    listener: ExamListener
  ) throws(LinkError) {
    // The exam must see a frame that is too long, so libzmq must not drop its connection.
    socket = try context.socket(.router, frameBytesMax: 4 * Limits.submitFrameBytesMax)
    try socket.set(ZMQOption.routerMandatory, 1)
    endpoint = try context.bind(socket, bind, as: .submit, curve: nil, logger: logger)
    self.inbox = inbox
    self.listener = listener
    exam = ProducerExam(waitMs: waitMs, nowMs: Reactor.nowMs)
  }

  package func receive(_ frames: [[UInt8]], nowMs: Int64) {
    guard let peer = frames.first else { return }
    let connection = connections[peer] ?? connections.count + 1
    connections[peer] = connection
    peers[connection] = peer
    exam.hear(ProducerExam.Utterance(frames.dropFirst(), connection: connection), nowMs: nowMs)
    if !hasCome {
      hasCome = true
      listener.came("a producer")
    }
    send()
  }

  package func turn(nowMs: Int64) -> Int64 {
    for case .ended(let code) in inbox.takeAll() { exam.ended(code, nowMs: nowMs) }
    exam.tick(nowMs: nowMs)
    send()
    if exam.isOver, !hasFinished {
      hasFinished = true
      listener.finished(exam.conformance)
    }
    return nowMs + 50
  }

  package func leave() {}

  private func send() {
    for something in exam.takeSaid() {
      guard let peer = peers[something.connection] else { continue }
      for frame in something.frames { socket.send(peer, frame) }
    }
  }
}
