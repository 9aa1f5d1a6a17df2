import Domain
import Messaging
import ServiceLifecycle
import Store
import Synchronization

/// History of the queue over the last hour, with a sample every `Limits.queueHistoryStepMs`. A new process has no
/// samples. Any thread.
final class QueueHistory: Service {
  /// State of the queue at one moment.
  struct Sample: Sendable {
    /// Time of the sample, in milliseconds since 1970, UTC.
    let atMs: Int64
    let depth: Int
    let dead: Int
    /// Age of the oldest queued post, in milliseconds. 0 if the queue is empty.
    let oldestMs: Int64
    /// Accepted posts per second, over the last `Limits.rateWindowSeconds`. `settled` and `failed` have the same unit.
    let accepted: Double
    let settled: Double
    let failed: Double
    let workers: Int
    let subscribers: Int
  }

  private let database: any QueueReader
  private let inspector: QueueInspector
  private let samples = Mutex<[Sample]>([])

  init(database: any QueueReader, inspector: QueueInspector) {
    self.database = database
    self.inspector = inspector
  }

  /// Runs until graceful shutdown.
  func run() async {
    while !Task.isShuttingDownGracefully, !Task.isCancelled {
      if let sample = await sample() { add(sample) }
      try? await cancelWhenGracefulShutdown { try await Task.sleep(for: .milliseconds(Limits.queueHistoryStepMs)) }
    }
  }

  /// Returns the samples since a time, oldest first.
  func samples(sinceMs: Int64) -> [Sample] { samples.withLock { $0.filter { $0.atMs >= sinceMs } } }

  /// Adds a sample. Above the maximum, drops the oldest.
  func add(_ sample: Sample) {
    samples.withLock { samples in
      samples.append(sample)
      samples.removeFirst(max(0, samples.count - Limits.queueHistorySamples))
    }
  }

  /// Returns a sample. Nil if the reactor or the store is too busy, which leaves a gap.
  private func sample() async -> Sample? {
    guard case .status(let queue, let rates, let feeds) = await inspector.liveState(about: .status),
      let dead = try? await database.deadCounts().all, let oldest = try? await database.oldestQueuedMs() as Int64??
    else { return nil }
    let nowMs = WallClock.unixMs
    let oldestMs = oldest.map { max(0, nowMs - $0) } ?? 0
    return Sample(
      atMs: nowMs, depth: queue.depth, dead: dead, oldestMs: oldestMs,
      accepted: rates.accepted.perSecond, settled: rates.settled.perSecond, failed: rates.failed.perSecond,
      workers: queue.workers.count, subscribers: feeds.reduce(0) { $0 + ($1.subscribers ?? 0) })
  }
}
