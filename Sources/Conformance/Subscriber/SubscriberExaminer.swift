import Domain
package import Logging
package import Messaging

/// A feed for one subscriber that is examined, and the alternate that it is sent to: two XPUBs, driven by
/// `SubscriberExam`.
package final class SubscriberExaminer: Station {
  package let socket: Socket
  /// With the port that was taken.
  package let endpoint: Endpoint
  private let alternate: AlternateFeed
  private let inbox: Inbox<ExamineeNews>
  private let listener: ExamListener
  private var exam: SubscriberExam
  private var hasCome = false
  private var hasFinished = false

  /// On the reactor's thread, as all of it. The alternate takes a free port of the same host.
  ///
  /// - Parameters:
  ///   - waitMs: how long the subscriber may take to come.
  ///   - hasProcess: whether what it tells comes through the inbox.
  ///   - inbox: what its process prints, and its end.
  package init(
    _ context: Reactor.Context, bind: Endpoint, waitMs: Int64, hasProcess: Bool, inbox: Inbox<ExamineeNews>,
    logger: Logger, listener: ExamListener
  ) throws(LinkError) {
    (socket, endpoint) = try context.examFeed(bind, logger: logger)
    alternate = try AlternateFeed(context, bind: bind.withFreePort, logger: logger)
    self.inbox = inbox
    self.listener = listener
    exam = SubscriberExam(
      waitMs: waitMs, alternate: alternate.endpoint.connectable.description, hasProcess: hasProcess,
      nowMs: Reactor.nowMs)
    alternate.examiner = self
    context.add(alternate)
  }

  package func receive(_ frames: [[UInt8]], nowMs: Int64) { receive(frames, feed: 0, nowMs: nowMs) }

  package func turn(nowMs: Int64) -> Int64 {
    for news in inbox.takeAll() {
      switch news {
      case .shown(let shown): exam.show(shown, nowMs: nowMs)
      case .ended(let code): exam.ended(code, nowMs: nowMs)
      }
    }
    exam.tick(nowMs: nowMs)
    send()
    if exam.isOver, !hasFinished {
      hasFinished = true
      listener.finished(exam.conformance)
    }
    return nowMs + 50
  }

  package func leave() {}

  fileprivate func receive(_ frames: [[UInt8]], feed: Int, nowMs: Int64) {
    guard let demand = SubscriberExam.Demand(frames) else { return }
    exam.hear(demand, feed: feed, nowMs: nowMs)
    if !hasCome {
      hasCome = true
      listener.came("a subscriber")
    }
    send()
  }

  private func send() {
    for something in exam.takeSaid() {
      let socket = something.feed == 0 ? socket : alternate.socket
      for frames in something.messages { socket.send(frames: frames) }
    }
  }
}

/// The feed that a Bye names.
private final class AlternateFeed: Station {
  let socket: Socket
  let endpoint: Endpoint
  weak var examiner: SubscriberExaminer?

  init(_ context: Reactor.Context, bind: Endpoint, logger: Logger) throws(LinkError) {
    (socket, endpoint) = try context.examFeed(bind, logger: logger)
  }

  func receive(_ frames: [[UInt8]], nowMs: Int64) { examiner?.receive(frames, feed: 1, nowMs: nowMs) }

  func turn(nowMs: Int64) -> Int64 { .max }

  func leave() {}
}

extension Reactor.Context {
  fileprivate func examFeed(_ bind: Endpoint, logger: Logger) throws(LinkError) -> (Socket, Endpoint) {
    // A topic that is too long is to be seen, not cut off.
    let socket = try socket(.xpub, frameBytesMax: 16 * Limits.subscriptionBytesMax)
    try socket.set(ZMQOption.xpubVerbose, 1)
    return (socket, try self.bind(socket, bind, as: .feed, curve: nil, logger: logger))
  }
}
