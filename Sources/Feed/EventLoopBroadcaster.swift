import Domain
import Metrics
import NIOCore
import Synchronization
import Web

/// Broadcaster for the streams of one event loop. It writes each tick's changes to the streams in rounds, without a
/// task for each stream.
final class EventLoopBroadcaster: Sendable {
  /// State that only the event loop uses.
  private struct State {
    var clients: [StreamClient] = []
    /// Number of clients not yet served in this round. The round runs backwards. A removed client's slot goes to the
    /// last client, which has been served already, so a removal skips no client.
    var remaining = 0
    /// Revision that the round sends. All clients get the same revision, so that they share its bytes.
    var revision: ListRevision?
    /// True if another round is requested.
    var isRoundRequested = false
    /// Earliest time of the next round.
    var dueAt = NIODeadline.distantPast
    var begunAt = NIODeadline.distantPast
    var writeTime = TimeAmount.zero
    /// True if a sweep is scheduled.
    var isSweepScheduled = false
  }

  let eventLoop: any EventLoop
  /// True if the streams show the whole list. Filtered streams cost much more, and have their own rounds.
  let isShared: Bool
  private let revision: @Sendable () -> ListRevision?
  private let dropped: Counter
  private let isWoken = Atomic(false)
  private let state: NIOLoopBoundBox<State>

  /// Creates the broadcaster of an event loop.
  ///
  /// - Parameters:
  ///   - dropped: Counter of streams closed because the client did not read.
  ///   - revision: Function that returns the list of the last tick.
  init(
    _ eventLoop: any EventLoop, isShared: Bool, dropped: Counter, revision: @escaping @Sendable () -> ListRevision?
  ) {
    self.eventLoop = eventLoop
    self.isShared = isShared
    self.dropped = dropped
    self.revision = revision
    state = .makeBoxSendingValue(State(), as: State.self, eventLoop: eventLoop)
  }

  /// Requests a round after a change. Any thread.
  func wake() {
    guard !isWoken.exchange(true, ordering: .acquiringAndReleasing) else { return }
    eventLoop.execute { [self] in
      isWoken.store(false, ordering: .releasing)
      requestRound()
    }
  }

  /// Ends all streams. Any thread.
  func end() {
    eventLoop.execute { [self] in
      for client in state.value.clients { end(client) }
    }
  }

  private func end(_ client: StreamClient) {
    // Close the connection of a client that does not read, because it would not read the end of the stream either.
    if client.response.isWritable { remove(client) } else { client.response.close() }
  }

  /// Adds a client, and sends it the first events. Event loop only.
  func add(_ client: StreamClient, _ revision: ListRevision) {
    client.index = state.value.clients.count
    state.value.clients.append(client)
    if !state.value.isSweepScheduled { scheduleSweep() }
    let bound = NIOLoopBound(client, eventLoop: eventLoop)
    client.response.onClientDisconnect { [self] departure in
      if departure == .slowReader { dropped.increment() }
      remove(bound.value)
    }
    let retry = FeedEvent.retry(ms: .random(in: Limits.streamRetryMs))
    client.response.write([ByteBuffer(bytes: retry.bytes)] + revision.events(after: &client.cursor, client.filter))
    client.lastSentAt = eventLoop.now
  }

  /// Returns the time from the start of one round to the start of the next.
  ///
  /// - Parameter writeTime: Time that the writes of the round took.
  static func pause(after writeTime: TimeAmount) -> TimeAmount {
    min(max(.milliseconds(Limits.streamIntervalMs), writeTime * 2), .milliseconds(Limits.streamIntervalMaxMs))
  }

  /// Requests a round. It follows the current round, if there is one.
  private func requestRound() {
    guard !state.value.isRoundRequested else { return }
    state.value.isRoundRequested = true
    if state.value.remaining == 0 { scheduleRound() }
  }

  private func scheduleRound() {
    eventLoop.assumeIsolated().scheduleTask(deadline: max(state.value.dueAt, eventLoop.now)) { [self] in
      state.value.isRoundRequested = false
      state.value.remaining = state.value.clients.count
      state.value.revision = revision()
      state.value.begunAt = eventLoop.now
      state.value.writeTime = .zero
      writeBatch()
    }
  }

  /// Serves a batch of clients, then yields the event loop until the next batch.
  private func writeBatch() {
    let now = eventLoop.now
    let count = isShared ? Limits.streamsPerBatch : Limits.filteredStreamsPerBatch
    for _ in 0..<count { if let client = next() { send(client, at: now) } else { break } }
    state.value.writeTime = state.value.writeTime + (eventLoop.now - now)
    if state.value.remaining > 0 {
      eventLoop.assumeIsolated().scheduleTask(in: .microseconds(Limits.streamPauseUs)) { [self] in writeBatch() }
      return
    }
    state.value.revision = nil
    state.value.dueAt = state.value.begunAt + Self.pause(after: state.value.writeTime)
    if state.value.isRoundRequested { scheduleRound() }
  }

  /// Returns the next client of the round. Nil when all are served. Writes may end connections, and thus remove
  /// clients.
  private func next() -> StreamClient? {
    state.value.remaining = min(state.value.remaining, state.value.clients.count)
    guard state.value.remaining > 0 else { return nil }
    state.value.remaining -= 1
    return state.value.clients[state.value.remaining]
  }

  private func send(_ client: StreamClient, at now: NIODeadline) {
    guard now < client.endsAt else { return end(client) }
    guard client.response.isWritable else { return }
    var events = state.value.revision?.events(after: &client.cursor, client.filter) ?? []
    if events.isEmpty, now - client.lastSentAt >= .milliseconds(Limits.streamHeartbeatMs) { events = [Self.heartbeat] }
    guard !events.isEmpty else { return }
    client.response.write(events)
    client.lastSentAt = now
  }

  private func scheduleSweep() {
    state.value.isSweepScheduled = true
    eventLoop.assumeIsolated().scheduleTask(in: .milliseconds(Limits.streamSweepMs)) { [self] in
      requestRound()
      state.value.isSweepScheduled = false
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

/// A client of an event stream. Event loop only.
final class StreamClient {
  let response: StreamingResponse
  let filter: FeedFilter
  /// Time after which the next round ends the stream.
  let endsAt: NIODeadline
  /// Callback at the end of the stream, called once.
  let onEnd: () -> Void
  var cursor: StreamCursor
  var lastSentAt = NIODeadline.distantPast
  /// Index among the clients of its loop. Nil outside the loop.
  var index: Int?

  init(
    _ response: StreamingResponse, _ cursor: StreamCursor, _ filter: FeedFilter, endsAt: NIODeadline = .distantFuture,
    onEnd: @escaping () -> Void
  ) {
    self.response = response
    self.cursor = cursor
    self.filter = filter
    self.endsAt = endsAt
    self.onEnd = onEnd
  }
}
