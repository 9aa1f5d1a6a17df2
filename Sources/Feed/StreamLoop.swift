import Metrics
import NIOCore
import OnTheMap
import Synchronization
import Web

/// The streams whose connections one event loop has: what a tick brings is written to all of them in one go, without a
/// task that wakes for each.
final class StreamLoop: Sendable {
  let eventLoop: any EventLoop
  private let version: @Sendable () -> ListVersion?
  private let dropped: Counter
  private let isWoken = Atomic(false)
  private let tookNs = Atomic<Int64>(0)
  /// Nobody else than the event loop looks in.
  private let clients: NIOLoopBoundBox<[StreamClient]>

  /// - Parameters:
  ///   - dropped: counts clients that did not read.
  ///   - version: the list of the last tick.
  init(_ eventLoop: any EventLoop, dropped: Counter, version: @escaping @Sendable () -> ListVersion?) {
    self.eventLoop = eventLoop
    self.dropped = dropped
    self.version = version
    clients = .makeBoxSendingValue([], as: [StreamClient].self, eventLoop: eventLoop)
  }

  /// How long the last tick took it. Any thread.
  var took: TimeAmount { .nanoseconds(tookNs.load(ordering: .relaxed)) }

  /// There is something new to be told. Any thread.
  func wake() {
    guard !isWoken.exchange(true, ordering: .acquiringAndReleasing) else { return }
    eventLoop.execute { [self] in
      isWoken.store(false, ordering: .releasing)
      let begun = NIODeadline.now()
      tell(at: begun)
      tookNs.store((NIODeadline.now() - begun).nanoseconds, ordering: .relaxed)
    }
  }

  /// Ends all. Any thread.
  func end() {
    eventLoop.execute { [self] in
      for client in clients.value {
        // Who does not read would not take the end either.
        if client.answer.isWritable { remove(client) } else { client.answer.close() }
      }
    }
  }

  /// Takes one in, and tells it the first. On the event loop.
  func add(_ client: StreamClient, _ version: ListVersion) {
    client.index = clients.value.count
    clients.value.append(client)
    if clients.value.count == 1 { scheduleSweep() }
    let bound = NIOLoopBound(client, eventLoop: eventLoop)
    client.answer.whenClientGone { [self] departure in
      if departure == .cutOff { dropped.increment() }
      remove(bound.value)
    }
    let retry = FeedEvent.retry(ms: .random(in: Limits.streamRetryMs))
    client.answer.write([ByteBuffer(bytes: retry.bytes)] + version.events(after: &client.cursor, client.filter))
    client.toldAt = .now()
  }

  /// Writes may end connections, and so take clients off the list meanwhile.
  private func tell(at now: NIODeadline) {
    guard let version = version() else { return }
    for client in clients.value where client.answer.isWritable {
      let events = version.events(after: &client.cursor, client.filter)
      guard !events.isEmpty else { continue }
      client.answer.write(events)
      client.toldAt = now
    }
  }

  private func scheduleSweep() {
    eventLoop.assumeIsolated().scheduleTask(in: .milliseconds(Limits.streamSweepMs)) { [self] in
      let now = NIODeadline.now()
      tell(at: now)
      for client in clients.value
      where now - client.toldAt >= .milliseconds(Limits.streamHeartbeatMs) && client.answer.isWritable {
        client.answer.write([Self.heartbeat])
        client.toldAt = now
      }
      if !clients.value.isEmpty { scheduleSweep() }
    }
  }

  private func remove(_ client: StreamClient) {
    guard let index = client.index, let last = clients.value.popLast() else { return }
    client.index = nil
    if last !== client {
      last.index = index
      clients.value[index] = last
    }
    client.whenOver()
  }

  private static let heartbeat = ByteBuffer(bytes: FeedEvent.heartbeat.bytes)
}

/// One stream. Thread: its event loop.
final class StreamClient {
  let answer: OpenAnswer
  let filter: FeedFilter
  /// Called once, when it is over.
  let whenOver: () -> Void
  var cursor: StreamCursor
  var toldAt = NIODeadline.distantPast
  /// Where it is among those of its loop; nil when it is not.
  var index: Int?

  init(_ answer: OpenAnswer, _ cursor: StreamCursor, _ filter: FeedFilter, whenOver: @escaping () -> Void) {
    self.answer = answer
    self.cursor = cursor
    self.filter = filter
    self.whenOver = whenOver
  }
}
