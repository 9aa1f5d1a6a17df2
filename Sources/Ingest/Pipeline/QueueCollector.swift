import Domain
import Messaging
import Store
import Telemetry

/// Collector of the queue's metrics. It reads the metrics from the reactor and the store at each scrape, so they cost
/// nothing between scrapes. Any thread.
final class QueueCollector: Sendable {
  private let database: any StoreHealth & QueueReader
  private let inspector: QueueInspector
  private let pause: QueuePause

  init(database: any StoreHealth & QueueReader, inspector: QueueInspector, pause: QueuePause) {
    self.database = database
    self.inspector = inspector
    self.pause = pause
  }

  /// Returns the samples. Omits samples that are not available within `Limits.queueInspectionTimeoutMs`.
  func collect() async -> [Sample] {
    var samples = database.space.samples
    samples.append(Metric.queueMax.sample(Limits.queueDepthMax))
    samples.append(Metric.queuePaused.sample(pause.sinceMs == nil ? 0 : 1))
    if case .status(let snapshot, _, _)? = await inspector.liveState(about: .status) {
      samples += [
        Metric.queuePosts.sample(snapshot.ready, QueueState.ready.name),
        Metric.queuePosts.sample(snapshot.leased, QueueState.leased.name),
        Metric.queuePosts.sample(snapshot.committing, QueueState.committing.name),
        Metric.queuePosts.sample(snapshot.delayed, QueueState.delayed.name),
        Metric.queuePosts.sample(snapshot.waitingRemote, QueueState.waitingRemote.name),
        Metric.queueLookups.sample(snapshot.lookups),
        Metric.queueWait.sample(Double(snapshot.longestWaitMs) / 1_000),
        Metric.queueWorkers.sample(snapshot.workers.count),
        Metric.queueCredit.sample(snapshot.workers.reduce(0) { $0 + $1.credit }),
      ]
    }
    if let dead = try? await database.deadCounts().all {
      samples.append(Metric.queuePosts.sample(dead, QueueState.dead.name))
    }
    do {
      let oldestMs = try await database.oldestQueuedMs()
      samples.append(Metric.queueOldest.sample(oldestMs.map { Double(max(0, WallClock.unixMs - $0)) / 1_000 } ?? 0))
    } catch {
      // Omit the sample: its value is unknown.
    }
    return samples
  }
}

extension StoreSpace {
  fileprivate var samples: [Sample] {
    var samples = [
      Metric.storeBytes.sample(dataBytes), Metric.storeWAL.sample(logBytes),
      Metric.storeFull.sample(fullMs == nil ? 0 : 1),
    ]
    if sizeBytes > 0 { samples += [Metric.storeFree.sample(freeBytes), Metric.storeSize.sample(sizeBytes)] }
    return samples
  }
}
