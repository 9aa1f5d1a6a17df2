import Domain
import Metrics
import NIOCore
import Synchronization
import Web

/// Streams whose connections one event loop has: what a tick brings is written to all of them in rounds, without a task
/// that wakes for each.
final class EventLoopBroadcaster: Sendable {
  /// Nobody else than the event loop looks in.
  private struct State {
    var clients: [StreamClient] = []
    /// Those of the round that it has not come to: it goes from the last to the first, so that who leaves makes no
    /// other one be left out. The place is taken by the last, which has been told, and is found to have been.
    var remaining = 0
    /// What the round tells. One for all, so that the bytes are the same.
    var version: ListRevision?
    /// Whether another round is to come.
    var isAwaited = false
    /// When it may.
    var dueAt = NIODeadline.distantPast
    var begunAt = NIODeadline.distantPast
    var took = TimeAmount.zero
    /// Whether a sweep is to come.
    var isSwept = false
  }

  let eventLoop: any EventLoop
  /// Whether its streams are of the whole list. Others cost much more, and have rounds of their own.
  let isShared: Bool
  private let version: @Sendable () -> ListRevision?
  private let dropped: Counter
  private let isWoken = Atomic(false)
  private let state: NIOLoopBoundBox<State>

  /// - Parameters:
  ///   - dropped: counts clients that did not read.
  ///   - version: the list of the last tick.
  init(
    _ eventLoop: any EventLoop, isShared: Bool, dropped: Counter, version: @escaping @Sendable () -> ListRevision?
  ) {
    self.eventLoop = eventLoop
    self.isShared = isShared
    self.dropped = dropped
    self.version = version
    state = .makeBoxSendingValue(State(), as: State.self, eventLoop: eventLoop)
  }

  /// There is something new to be told. Any thread.
  func wake() {
    guard !isWoken.exchange(true, ordering: .acquiringAndReleasing) else { return }
    eventLoop.execute { [self] in
      isWoken.store(false, ordering: .releasing)
      awaitRound()
    }
  }

  /// Ends all. Any thread.
  func end() {
    eventLoop.execute { [self] in
      for client in state.value.clients { end(client) }
    }
  }

  private func end(_ client: StreamClient) {
    // Who does not read would not take the end either.
    if client.response.isWritable { remove(client) } else { client.response.close() }
  }

  /// Takes one in, and tells it the first. On the event loop.
  func add(_ client: StreamClient, _ version: ListRevision) {
    client.index = state.value.clients.count
    state.value.clients.append(client)
    if !state.value.isSwept { scheduleSweep() }
    let bound = NIOLoopBound(client, eventLoop: eventLoop)
    client.response.onClientDisconnect { [self] departure in
      if departure == .slowReader { dropped.increment() }
      remove(bound.value)
    }
    let retry = FeedEvent.retry(ms: .random(in: Limits.streamRetryMs))
    client.response.write([ByteBuffer(bytes: retry.bytes)] + version.events(after: &client.cursor, client.filter))
    client.lastSentAt = eventLoop.now
  }

  /// From the begin of one round to that of the next.
  ///
  /// - Parameter took: how long the one took.
  static func pause(after took: TimeAmount) -> TimeAmount {
    min(max(.milliseconds(Limits.streamIntervalMs), took * 2), .milliseconds(Limits.streamIntervalMaxMs))
  }

  /// Another round, after the present one.
  private func awaitRound() {
    guard !state.value.isAwaited else { return }
    state.value.isAwaited = true
    if state.value.remaining == 0 { scheduleRound() }
  }

  private func scheduleRound() {
    eventLoop.assumeIsolated().scheduleTask(deadline: max(state.value.dueAt, eventLoop.now)) { [self] in
      state.value.isAwaited = false
      state.value.remaining = state.value.clients.count
      state.value.version = version()
      state.value.begunAt = eventLoop.now
      state.value.took = .zero
      writeBatch()
    }
  }

  /// A part of the round.
  private func writeBatch() {
    let now = eventLoop.now
    let count = isShared ? Limits.streamsPerBatch : Limits.filteredStreamsPerBatch
    for _ in 0..<count { if let client = next() { send(client, at: now) } else { break } }
    state.value.took = state.value.took + (eventLoop.now - now)
    if state.value.remaining > 0 {
      eventLoop.assumeIsolated().scheduleTask(in: .microseconds(Limits.streamPauseUs)) { [self] in writeBatch() }
      return
    }
    state.value.version = nil
    state.value.dueAt = state.value.begunAt + Self.pause(after: state.value.took)
    if state.value.isAwaited { scheduleRound() }
  }

  /// Nil when all have been told. Writes may end connections, and so take clients off the list meanwhile.
  private func next() -> StreamClient? {
    state.value.remaining = min(state.value.remaining, state.value.clients.count)
    guard state.value.remaining > 0 else { return nil }
    state.value.remaining -= 1
    return state.value.clients[state.value.remaining]
  }

  private func send(_ client: StreamClient, at now: NIODeadline) {
    guard now < client.endsAt else { return end(client) }
    guard client.response.isWritable else { return }
    var events = state.value.version?.events(after: &client.cursor, client.filter) ?? []
    if events.isEmpty, now - client.lastSentAt >= .milliseconds(Limits.streamHeartbeatMs) { events = [Self.heartbeat] }
    guard !events.isEmpty else { return }
    client.response.write(events)
    client.lastSentAt = now
  }

  private func scheduleSweep() {
    state.value.isSwept = true
    eventLoop.assumeIsolated().scheduleTask(in: .milliseconds(Limits.streamSweepMs)) { [self] in
      awaitRound()
      state.value.isSwept = false
      if !state.value.clients.isEmpty { scheduleSweep() }
    }
  }

  private func remove(_ client: StreamClient) {
    guard let index = client.index, let last = state.value.clients.popLast() else { return }
    client.index = nil
    if last !== client {
      last.index = index
      state.value.clients[index] = last
    }
    client.onEnd()
  }

  private static let heartbeat = ByteBuffer(bytes: FeedEvent.heartbeat.bytes)
}

/// One stream. Thread: its event loop.
final class StreamClient {
  let response: StreamingResponse
  let filter: FeedFilter
  /// When it is ended, at the next sweep.
  let endsAt: NIODeadline
  /// Called once, when it is over.
  let onEnd: () -> Void
  var cursor: StreamCursor
  var lastSentAt = NIODeadline.distantPast
  /// Where it is among those of its loop; nil when it is not.
  var index: Int?

  init(
    _ answer: StreamingResponse, _ cursor: StreamCursor, _ filter: FeedFilter, endsAt: NIODeadline = .distantFuture,
    onEnd: @escaping () -> Void
  ) {
    self.response = answer
    self.cursor = cursor
    self.filter = filter
    self.endsAt = endsAt
    self.onEnd = onEnd
  }
}
