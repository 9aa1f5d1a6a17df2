import Domain
import HTTPTypes
import Hummingbird
import Messaging
import Metrics
import NIOCore
import Synchronization
import Telemetry
import Web

/// All streams of events at `/v2/feed/stream`, and when they are written to. Any thread.
///
/// No stream has a queue: it is a cursor, which is compared with the list at each tick when its connection takes more.
/// So a slow one costs as much as a quick one, and is told more at once. Ticks come at the first change, and then
/// not more often than `Limits.streamIntervalMs`.
final class SSEBroadcaster: Sendable {
  private struct State: Sendable {
    var loops: [EventLoopBroadcaster] = []
    /// The list of the last tick.
    var version: ListRevision?
    var isTickScheduled = false
    var tickedAt = NIODeadline.distantPast
    var isOver = false
  }

  private let latest: CurrentList
  private let capacity: Int
  private let openCount = Atomic(0)
  private let state = Mutex(State())
  private let subscribers = Metric.feedSubscribers.meter("sse")
  private let dropped = Metric.feedStreamsDropped.counter()
  private let refused = Metric.feedStreamsRefused.counter()

  /// Streams at this moment.
  var count: Int { openCount.load(ordering: .relaxed) }

  /// - Parameter places: streams at once, at most.
  init(_ latest: CurrentList, capacity: Int) {
    self.latest = latest
    self.capacity = capacity
    subscribers.set(0)
  }

  /// A stream's answer, which goes on until the client leaves or the process ends.
  ///
  /// - Parameters:
  ///   - last: the event that the client has seen last; nil for a new one.
  ///   - endMs: when it ends, since 1970; nil for never.
  func response(
    after last: EventID?, _ filter: FeedFilter, _ context: ConnectionContext, endMs: Int64? = nil
  ) throws -> Response {
    // Given back with the answer, whatever becomes of it: that of HEAD is never written.
    guard let place = StreamSlot(of: self) else {
      refused.increment()
      throw Problem(
        .serviceUnavailable, "too_many_streams",
        "this feed has \(capacity) streams open, as many as it may; try again later, or at another feed",
        retryAfterSeconds: Limits.retryRestartSeconds)
    }
    // For nginx: what it collects comes too late.
    let headers: HTTPFields = [.contentType: "text/event-stream", .xAccelBuffering: "no"]
    return Response(
      status: .ok, headers: headers,
      body: ResponseBody { writer in
        await self.follow(StreamCursor(last: last), filter, context, endMs: endMs)
        withExtendedLifetime(place) {}
        try await writer.finish(nil)
      })
  }

  /// The list has changed.
  func changed() {
    guard openCount.load(ordering: .relaxed) > 0 else { return }
    let tick = state.withLock { state -> (EventLoopBroadcaster, NIODeadline)? in
      guard !state.isTickScheduled, let first = state.loops.first else { return nil }
      state.isTickScheduled = true
      return (first, state.tickedAt + .milliseconds(Limits.streamIntervalMs))
    }
    guard let (loop, deadline) = tick else { return }
    if deadline <= .now() {
      loop.eventLoop.execute { self.tick() }
    } else {
      loop.eventLoop.scheduleTask(deadline: deadline) { self.tick() }
    }
  }

  /// Ends all streams, and those that come from now on.
  func end() {
    let loops = state.withLock { state in
      state.isOver = true
      return state.loops
    }
    for loop in loops { loop.end() }
  }

  private func tick() {
    state.withLock { state in
      state.isTickScheduled = false
      state.tickedAt = .now()
    }
    let version = latest.version
    let loops = state.withLock { state in
      state.version = version
      return state.loops
    }
    for loop in loops { loop.wake() }
  }

  /// Until the client leaves, or all streams end.
  private func follow(
    _ cursor: StreamCursor, _ filter: FeedFilter, _ context: ConnectionContext, endMs: Int64?
  ) async {
    let endsAt = endMs.map { NIODeadline.now() + .milliseconds(max(0, $0 - WallClock.unixMs)) } ?? .distantFuture
    await withCheckedContinuation { continuation in
      context.openStream { [self] answer in
        // The loop first: then no change after this version can miss it.
        guard let answer, let loop = loop(answer.eventLoop, filter), let version = latest.version else {
          return continuation.resume()
        }
        loop.add(StreamClient(answer, cursor, filter, endsAt: endsAt) { continuation.resume() }, version)
      }
    }
  }

  /// Nil when all streams have ended.
  private func loop(_ eventLoop: any EventLoop, _ filter: FeedFilter) -> EventLoopBroadcaster? {
    state.withLock { state in
      guard !state.isOver else { return nil }
      let known = state.loops.first { $0.eventLoop === eventLoop && $0.isShared == filter.isAll }
      if let known { return known }
      let loop = EventLoopBroadcaster(eventLoop, isShared: filter.isAll, dropped: dropped) { [weak self] in
        self?.state.withLock { $0.version }
      }
      state.loops.append(loop)
      return loop
    }
  }

  /// A stream that is open, or about to be.
  private final class StreamSlot: Sendable {
    private let streams: SSEBroadcaster

    init?(of streams: SSEBroadcaster) {
      self.streams = streams
      let taken = streams.openCount.wrappingAdd(1, ordering: .relaxed).newValue
      // What is not made whole ends here, and gives back what it took.
      guard taken <= streams.capacity else { return nil }
      streams.subscribers.set(taken)
    }

    deinit {
      streams.subscribers.set(streams.openCount.wrappingSubtract(1, ordering: .relaxed).newValue)
    }
  }
}

extension HTTPField.Name {
  fileprivate static let xAccelBuffering = Self("X-Accel-Buffering")!
}
