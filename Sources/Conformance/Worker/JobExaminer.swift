import Domain
package import Logging
package import Messaging

/// Ingest's end of the job link for one worker that is examined: a ROUTER, driven by `WorkerExam`.
package final class JobExaminer: Station {
  package let socket: Socket
  /// With the port that was taken.
  package let endpoint: Endpoint
  private let inbox: Inbox<ExamineeNews>
  private let listener: ExamListener
  private var exam: WorkerExam
  /// Connections by ZeroMQ's routing id: a new one shows that the worker has connected anew.
  private var connections: [[UInt8]: Int] = [:]
  private var peer: [UInt8]?
  private var hasCome = false
  private var hasFinished = false

  /// On the reactor's thread, as all of it.
  ///
  /// - Parameters:
  ///   - waitMs: how long the worker may take to come.
  ///   - query: a text that it can find, 1 to `Limits.placeBytesMax` bytes.
  ///   - hasProcess: whether `ExamListener.terminate` can end it.
  ///   - inbox: the end of its process.
  package init(
    _ context: Reactor.Context, bind: Endpoint, waitMs: Int64, query: String, hasProcess: Bool,
    inbox: Inbox<ExamineeNews>,
    logger: Logger, listener: ExamListener
  ) throws(LinkError) {
    // A frame that is too long is to be seen, not cut off.
    socket = try context.socket(.router, frameBytesMax: 16 * Limits.jobFrameBytesMax)
    try socket.set(ZMQOption.routerMandatory, 1)
    endpoint = try context.bind(socket, bind, as: .jobs, curve: nil, logger: logger)
    self.inbox = inbox
    self.listener = listener
    exam = WorkerExam(waitMs: waitMs, query: query, hasProcess: hasProcess, nowMs: Reactor.nowMs)
  }

  package func receive(_ frames: [[UInt8]], nowMs: Int64) {
    guard let peer = frames.first else { return }
    let connection = connections[peer] ?? connections.count + 1
    connections[peer] = connection
    self.peer = peer
    exam.hear(WorkerExam.Utterance(frames.dropFirst(), connection: connection), nowMs: nowMs)
    if !hasCome, let worker = exam.worker {
      hasCome = true
      listener.came(worker)
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

  package func leave() {
    guard let session = exam.session, let peer else { return }
    for frames in WorkerExam.Said.drain(session: session).messages { socket.send(frames: [peer] + frames) }
  }

  private func send() {
    for something in exam.takeSaid() {
      if something == .terminate { listener.terminate() }
      guard let peer else { continue }
      for frames in something.messages { socket.send(frames: [peer] + frames) }
    }
  }
}
