import Domain
package import Logging
package import Messaging

/// Ingest, three subscribers and one who asks, for one feed that is examined: driven by `FeedExam`.
package final class FeedExaminer: Station {
  package let socket: Socket
  /// With the port that was taken.
  package let endpoint: Endpoint
  private let subscribers: [Outpost]
  private let asker: Outpost?
  private let inbox: Inbox<ExamineeNews>
  private let listener: ExamListener
  private var exam: FeedExam
  /// Connections by ZeroMQ's routing id: a new one shows that the feed has connected anew.
  private var connections: [[UInt8]: Int] = [:]
  private var peer: [UInt8]?
  private var hasCome = false
  private var hasFinished = false

  /// On the reactor's thread, as all of it.
  ///
  /// - Parameters:
  ///   - feed: where the feed publishes.
  ///   - query: where it is asked; nil where it is not.
  ///   - waitMs: how long the feed may take to come.
  ///   - hasProcess: whether `ExamListener.terminate` can end it.
  ///   - inbox: the end of its process.
  package init(
    _ context: Reactor.Context, bind: Endpoint, feed: Endpoint, query: Endpoint?, waitMs: Int64, hasProcess: Bool,
    inbox: Inbox<ExamineeNews>, logger: Logger, listener: ExamListener
  ) throws(LinkError) {
    socket = try context.socket(.router, frameBytesMax: Limits.controlFrameBytesMax)
    try socket.set(ZMQOption.routerMandatory, 1)
    endpoint = try context.bind(socket, bind, as: .changes, curve: nil, logger: logger)
    var subscribers: [Outpost] = []
    for _ in 0..<3 { subscribers.append(try Outpost(context, .sub, connect: feed, logger: logger)) }
    self.subscribers = subscribers
    if let query { asker = try Outpost(context, .dealer, connect: query, logger: logger) } else { asker = nil }
    self.inbox = inbox
    self.listener = listener
    exam = FeedExam(waitMs: waitMs, hasQuestions: query != nil, hasProcess: hasProcess, nowMs: Reactor.nowMs)
    for (number, subscriber) in subscribers.enumerated() {
      subscriber.heard = { [unowned self] frames, nowMs in
        hear(FeedExam.Utterance(told: frames, subscriber: number), nowMs: nowMs)
      }
      context.add(subscriber)
    }
    if let asker {
      asker.heard = { [unowned self] frames, nowMs in hear(FeedExam.Utterance(answer: frames), nowMs: nowMs) }
      context.add(asker)
    }
    send()
  }

  package func receive(_ frames: [[UInt8]], nowMs: Int64) {
    guard let peer = frames.first else { return }
    let connection = connections[peer] ?? connections.count + 1
    connections[peer] = connection
    self.peer = peer
    hear(FeedExam.Utterance(fetch: frames.dropFirst(), connection: connection), nowMs: nowMs)
    if !hasCome, let name = exam.name {
      hasCome = true
      listener.came(name)
    }
  }

  package func turn(nowMs: Int64) -> Int64 {
    for case .ended(let code) in inbox.takeAll() { exam.ended(code, nowMs: nowMs) }
    exam.tick(nowMs: nowMs)
    send()
    if exam.isOver, !hasFinished {
      hasFinished = true
      listener.finished(exam.conformance)
    }
    return nowMs + 20
  }

  package func leave() {}

  private func hear(_ utterance: FeedExam.Utterance, nowMs: Int64) {
    exam.hear(utterance, nowMs: nowMs)
    send()
  }

  private func send() {
    for something in exam.takeSaid() {
      switch something {
      case .terminate: listener.terminate()
      case .subscribe(let subscriber, let subject): try? subscribers[subscriber].socket.subscribe(subject.topic)
      case .ask(let id, let question): asker?.socket.send(question.bytes(id: id))
      default:
        guard let peer else { continue }
        for frames in something.replies { socket.send(frames: [peer] + frames) }
      }
    }
  }
}

/// An end that the exam listens at.
private final class Outpost: Station {
  let socket: Socket
  var heard: ([[UInt8]], Int64) -> Void = { _, _ in }

  init(_ context: Reactor.Context, _ kind: Socket.Kind, connect: Endpoint, logger: Logger) throws(LinkError) {
    socket = try context.socket(kind, frameBytesMax: Limits.feedFrameBytesMax)
    try context.connect(socket, connect, curve: nil, logger: logger)
  }

  func receive(_ frames: [[UInt8]], nowMs: Int64) { heard(frames, nowMs) }

  func turn(nowMs: Int64) -> Int64 { .max }

  func leave() {}
}
