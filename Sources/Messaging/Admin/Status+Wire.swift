import Domain
import SwiftProtobuf

extension Onthemap_Admin_V1_Rate {
  init(_ reading: RateMeter.Reading) {
    total = reading.total
    perSecond = reading.perSecond
  }

  var reading: RateMeter.Reading {
    RateMeter.Reading(total: total, perSecond: perSecond.isFinite ? max(0, perSecond) : 0)
  }
}

extension Onthemap_Admin_V1_Status {
  init(_ status: QueueStatus) {
    let queue = status.queue
    (ready, leased, committing) = (UInt32(queue.ready), UInt32(queue.leased), UInt32(queue.committing))
    (delayed, waitingRemote, lookups) = (UInt32(queue.delayed), UInt32(queue.waitingRemote), UInt32(queue.lookups))
    depthMax = UInt32(status.depthMax)
    (longestWaitMs, waitMaxMs) = (UInt64(max(0, queue.longestWaitMs)), UInt64(max(0, status.waitMaxMs)))
    dead = UInt64(status.dead)
    deadByReason = status.deadByReason.map { count in
      .with { ($0.reason, $0.count) = (count.reason, UInt64(count.count)) }
    }
    oldestUnixMs = UInt64(max(0, status.oldestMs ?? 0))
    pausedUnixMs = UInt64(max(0, status.pausedMs ?? 0))
    uptimeMs = UInt64(max(0, status.uptimeMs))
    (accepted, completed, failed) = (.init(status.accepted), .init(status.completed), .init(status.failed))
    commits = status.commits.count
    (commitP50Us, commitP99Us) = (UInt32(clamping: status.commits.p50Us), UInt32(clamping: status.commits.p99Us))
    (diskFreeBytes, diskSizeBytes) = (UInt64(max(0, status.disk.freeBytes)), UInt64(max(0, status.disk.sizeBytes)))
    (databaseBytes, diskFullUnixMs) = (
      UInt64(max(0, status.disk.databaseBytes)), UInt64(max(0, status.disk.fullMs ?? 0))
    )
    workers = queue.workers.map(Onthemap_Admin_V1_Worker.init)
    feeds = status.feeds.map { feed in
      .with {
        ($0.name, $0.seq, $0.lastSeenAgoMs) = (feed.name, feed.seq, UInt64(max(0, feed.lastSeenAgoMs)))
        if let subscribers = feed.subscribers { $0.subscribers = UInt32(clamping: subscribers) }
      }
    }
  }

  var status: QueueStatus {
    var status = QueueStatus()
    (status.queue.ready, status.queue.leased, status.queue.committing) = (Int(ready), Int(leased), Int(committing))
    (status.queue.delayed, status.queue.lookups) = (Int(delayed), Int(lookups))
    status.queue.waitingRemote = Int(waitingRemote)
    status.queue.workers = workers.map(\.worker)
    status.depthMax = Int(depthMax)
    (status.queue.longestWaitMs, status.waitMaxMs) = (Int64(clamping: longestWaitMs), Int64(clamping: waitMaxMs))
    status.dead = Int(clamping: dead)
    status.deadByReason = deadByReason.map { .init(reason: $0.reason, count: Int(clamping: $0.count)) }
    status.oldestMs = unixMs(oldestUnixMs)
    status.pausedMs = unixMs(pausedUnixMs)
    status.uptimeMs = Int64(clamping: uptimeMs)
    (status.accepted, status.completed, status.failed) = (accepted.reading, completed.reading, failed.reading)
    status.commits = .init(count: commits, p50Us: Int64(commitP50Us), p99Us: Int64(commitP99Us))
    status.disk = DiskStatus(
      freeBytes: Int64(clamping: diskFreeBytes), sizeBytes: Int64(clamping: diskSizeBytes),
      databaseBytes: Int64(clamping: databaseBytes), fullMs: unixMs(diskFullUnixMs))
    status.feeds = feeds.map {
      .init(
        name: $0.name, seq: $0.seq, lastSeenAgoMs: Int64(clamping: $0.lastSeenAgoMs),
        subscribers: $0.hasSubscribers ? Int($0.subscribers) : nil)
    }
    return status
  }
}

extension Onthemap_Admin_V1_Worker {
  init(_ worker: QueueSnapshot.Worker) {
    session = worker.session
    name = worker.name
    credit = UInt32(worker.credit)
    leases = UInt32(worker.leases)
    jobsSent = worker.jobsSent
    answered = .init(worker.results)
    failed = worker.failed
    lastSeenAgoMs = UInt64(max(0, worker.lastSeenAgoMs))
    remote = worker.isRemote
  }

  var worker: QueueSnapshot.Worker {
    .init(
      session: session, name: name, credit: Int(credit), leases: Int(leases), jobsSent: jobsSent,
      results: answered.reading, failed: failed, lastSeenAgoMs: Int64(clamping: lastSeenAgoMs), isRemote: remote)
  }
}
