import Domain
import Foundation
import Logging
import Messaging
import Synchronization

/// Latency of changes to one subscriber, in an open loop at a fixed rate.
final class FeedLatency: Sendable {
  private struct State {
    /// Publication times by sequence number, in ns of the monotonic clock.
    var putNs: [UInt64] = []
    var tookMs: [Double] = []
    var isListed = false
  }

  private let state = Mutex(State())

  private init() {}

  /// Measures the latency from the moment at which ingest would publish a committed change, by the monotonic clock.
  static func fromChangeLog(_ stage: BenchFeed, rate: Int, seconds: Int) async throws -> Durations {
    let latency = FeedLatency()
    let after = stage.seq
    let subscriber = try await latency.subscribe(stage.publish) { entry, state in
      guard entry.seq > after else { return }
      state.tookMs.append(Double(Waves.nowNs - state.putNs[Int(entry.seq - after) - 1]) / 1e6)
    }
    defer { subscriber.stop() }
    let start = ContinuousClock.now
    for number in 0..<(rate * seconds) {
      try await Task.sleep(until: start + .microseconds(number * 1_000_000 / rate), clock: .continuous)
      latency.state.withLock { $0.putNs.append(Waves.nowNs) }
      stage.put()
    }
    return try await latency.all(rate * seconds)
  }

  /// Measures the latency from the moment at which ingest passes a worker's result to the writer. The latency includes
  /// commit and fdatasync. The entry has this moment in whole milliseconds, rounded down, so half a millisecond is
  /// subtracted.
  static func fromIngest(_ deployment: Deployment, rate: Int, seconds: Int) async throws -> Durations {
    let latency = FeedLatency()
    let subscriber = try await latency.subscribe(Endpoint(deployment.publish)) { entry, state in
      let nowMs = Date().timeIntervalSince1970 * 1e3
      state.tookMs.append(nowMs - Double(entry.updatedMs) - 0.5)
    }
    defer { subscriber.stop() }
    _ = try deployment.load(rate: rate, seconds: seconds, overZeroMQ: true)
    return try await latency.all(rate * seconds)
  }

  private func subscribe(
    _ feed: Endpoint, _ record: @escaping @Sendable (FeedEntry, inout State) -> Void
  ) async throws -> Reactor {
    var logger = Logger(label: "bench")
    logger.logLevel = .critical
    let quiet = logger
    let (reactor, _) = try Reactor.start("subscriber", wake: WakeupEvent()) { [self] context in
      let subscriber = try FeedSubscriber(context, connect: [feed], logger: quiet) { [self] event in
        state.withLock { state in
          switch event {
          case .list: state.isListed = true
          case .changes(let delta, _): for entry in delta.upsert { record(entry, &state) }
          case .stale, .desynced: break
          }
        }
      }
      return ([subscriber], ())
    }
    try await wait("a list") { $0.isListed }
    return reactor
  }

  private func all(_ count: Int) async throws -> Durations {
    try await wait("\(count) changes at the subscriber") { $0.tookMs.count >= count }
    return Durations(ms: state.withLock(\.tookMs))
  }

  private func wait(_ event: String, _ holds: (State) -> Bool) async throws {
    let deadline = ContinuousClock.now + .seconds(30)
    while !state.withLock({ holds($0) }) {
      guard ContinuousClock.now < deadline else { throw BenchError("not within 30 s: \(event)") }
      try await Task.sleep(for: .milliseconds(5))
    }
  }
}
