import Domain
import HTTPTypes
import Hummingbird
import Messaging
import Metrics
import NIOCore
import Synchronization
import Telemetry
import Web

/// The event streams at `/v2/feed/stream`, and the schedule of their writes. Any thread.
///
/// A stream has a cursor instead of a queue. Each tick compares the cursor with the list if the connection accepts more
/// bytes. A slow stream thus costs as much as a fast stream, and gets more changes together. The first change causes a
/// tick immediately. Further ticks are at least `Limits.streamIntervalMs` apart.
final class SSEBroadcaster: Sendable {
  private struct State: Sendable {
    var loops: [EventLoopBroadcaster] = []
    /// The list of the last tick.
    var revision: ListRevision?
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

  /// Number of open streams.
  var count: Int { openCount.load(ordering: .relaxed) }

  /// Creates the broadcaster.
  ///
  /// - Parameters:
  ///   - latest: The list.
  ///   - capacity: Maximum number of open streams.
  init(_ latest: CurrentList, capacity: Int) {
    self.latest = latest
    self.capacity = capacity
    subscribers.set(0)
  }

  /// Returns the response with a stream, which lasts until the client leaves or the process ends.
  ///
  /// - Parameters:
  ///   - last: The last event that the client has. Nil for a new client.
  ///   - endMs: Time at which the stream ends, in milliseconds since 1970. Nil for never.
  func response(
    after last: EventID?, _ filter: FeedFilter, _ context: ConnectionContext, endMs: Int64? = nil
  ) throws -> Response {
    // The response owns the slot, and releases it even if its body is never written, as for HEAD.
    guard let slot = StreamSlot(of: self) else {
      refused.increment()
      throw Problem(
        .serviceUnavailable, "too_many_streams",
        "this feed has \(capacity) open streams, the maximum; try again later, or use another feed",
        retryAfterSeconds: Limits.retryRestartSeconds)
    }
    // The header disables buffering in nginx, because buffered events arrive too late.
    let headers: HTTPFields = [.contentType: "text/event-stream", .xAccelBuffering: "no"]
    return Response(
      status: .ok, headers: headers,
      body: ResponseBody { writer in
        await self.follow(StreamCursor(last: last), filter, context, endMs: endMs)
        withExtendedLifetime(slot) {}
        try await writer.finish(nil)
      })
  }

  /// Schedules a tick after a change of the list.
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

  /// Ends all streams. A stream that begins later ends immediately.
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
    let revision = latest.revision
    let loops = state.withLock { state in
      state.revision = revision
      return state.loops
    }
    for loop in loops { loop.wake() }
  }

  /// Streams until the client leaves, or all streams end.
  private func follow(
    _ cursor: StreamCursor, _ filter: FeedFilter, _ context: ConnectionContext, endMs: Int64?
  ) async {
    let endsAt = endMs.map { NIODeadline.now() + .milliseconds(max(0, $0 - WallClock.unixMs)) } ?? .distantFuture
    await withCheckedContinuation { continuation in
      context.openStream { [self] response in
        // Get the loop before the revision. A change after this revision then always reaches the stream.
        guard let response, let loop = loop(response.eventLoop, filter), let revision = latest.revision else {
          return continuation.resume()
        }
        loop.add(StreamClient(response, cursor, filter, endsAt: endsAt) { continuation.resume() }, revision)
      }
    }
  }

  /// Returns the broadcaster of an event loop. Nil after the end of all streams.
  private func loop(_ eventLoop: any EventLoop, _ filter: FeedFilter) -> EventLoopBroadcaster? {
    state.withLock { state in
      guard !state.isOver else { return nil }
      let known = state.loops.first { $0.eventLoop === eventLoop && $0.isShared == filter.isAll }
      if let known { return known }
      let loop = EventLoopBroadcaster(eventLoop, isShared: filter.isAll, dropped: dropped) { [weak self] in
        self?.state.withLock { $0.revision }
      }
      state.loops.append(loop)
      return loop
    }
  }

  /// The slot of a stream that is open, or about to open.
  private final class StreamSlot: Sendable {
    private let streams: SSEBroadcaster

    init?(of streams: SSEBroadcaster) {
      self.streams = streams
      let count = streams.openCount.wrappingAdd(1, ordering: .relaxed).newValue
      // A failed initializer also runs `deinit`, which releases the slot.
      guard count <= streams.capacity else { return nil }
      streams.subscribers.set(count)
    }

    deinit {
      streams.subscribers.set(streams.openCount.wrappingSubtract(1, ordering: .relaxed).newValue)
    }
  }
}

extension HTTPField.Name {
  fileprivate static let xAccelBuffering = Self("X-Accel-Buffering")!
}
