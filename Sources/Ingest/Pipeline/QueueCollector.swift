import Domain
import Messaging
import Store
import Telemetry

/// What the queue is at the moment of a scrape: asked of the reactor and of the database, so that between two scrapes
/// it costs nothing. Any thread.
final class QueueCollector: Sendable {
  private let database: any StoreHealth & QueueReader
  private let view: QueueInspector
  private let pause: QueuePause

  init(database: any StoreHealth & QueueReader, view: QueueInspector, pause: QueuePause) {
    self.database = database
    self.view = view
    self.pause = pause
  }

  /// What cannot be had within `Limits.queueInspectionTimeoutMs` is left out.
  func collect() async -> [Sample] {
    var samples = database.space.samples
    samples.append(Metric.queueMax.sample(Limits.queueDepthMax))
    samples.append(Metric.queuePaused.sample(pause.sinceMs == nil ? 0 : 1))
    if case .status(let snapshot, _, _)? = await view.liveState(about: .status) {
      samples += [
        Metric.queueJobs.sample(snapshot.ready, QueueState.ready.word),
        Metric.queueJobs.sample(snapshot.leased, QueueState.leased.word),
        Metric.queueJobs.sample(snapshot.settling, QueueState.settling.word),
        Metric.queueJobs.sample(snapshot.delayed, QueueState.delayed.word),
        Metric.queueJobs.sample(snapshot.waiting, QueueState.waiting.word),
        Metric.queueLookups.sample(snapshot.lookups),
        Metric.queueWait.sample(Double(snapshot.longestWaitMs) / 1_000),
        Metric.queueWorkers.sample(snapshot.workers.count),
        Metric.queueCredit.sample(snapshot.workers.reduce(0) { $0 + $1.credit }),
      ]
    }
    if let dead = try? await database.deadCounts().all {
      samples.append(Metric.queueJobs.sample(dead, QueueState.dead.word))
    }
    do {
      let oldestMs = try await database.oldestQueuedMs()
      samples.append(Metric.queueOldest.sample(oldestMs.map { Double(max(0, WallClock.unixMs - $0)) / 1_000 } ?? 0))
    } catch {
      // Left out, as what is not known.
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
