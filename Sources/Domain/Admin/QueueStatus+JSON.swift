extension QueueStatus {
  /// Writes the status's members to an open object.
  package func write(to json: inout JSONWriter) {
    json.add("paused", pausedMs != nil)
    if let since = pausedMs { json.add("pausedAt", unixMs: since) }
    json.add("depth", queue.depth)
    json.add("depthMax", depthMax)
    json.add("longestWaitMs", queue.longestWaitMs)
    json.add("waitMaxMs", waitMaxMs)
    if let oldest = oldestMs { json.add("oldestAcceptedAt", unixMs: oldest) }
    json.add("ready", queue.ready)
    json.add("leased", queue.leased)
    json.add("committing", queue.committing)
    json.add("delayed", queue.delayed)
    json.add("waitingRemote", queue.waitingRemote)
    json.add("dead", dead)
    json.add("lookups", queue.lookups)
    json.array("deadByReason", deadByReason) { json, count in
      json.add("reason", count.reason)
      json.add("count", count.count)
    }
    json.add("uptimeMs", uptimeMs)
    json.add("accepted", accepted)
    json.add("completed", completed)
    json.add("failed", failed)
    json.object("commits") { json in
      json.add("total", commits.count)
      json.add("p50Us", commits.p50Us)
      json.add("p99Us", commits.p99Us)
    }
    json.object("disk") { json in
      json.add("full", disk.fullMs != nil)
      if let since = disk.fullMs { json.add("fullAt", unixMs: since) }
      if disk.sizeBytes > 0 {
        json.add("freeBytes", disk.freeBytes)
        json.add("sizeBytes", disk.sizeBytes)
      }
      json.add("databaseBytes", disk.databaseBytes)
    }
    json.array("workers", queue.workers) { json, worker in
      json.add("name", worker.name)
      json.add("credit", worker.credit)
      json.add("leases", worker.leases)
      json.add("jobsSent", worker.jobsSent)
      json.add("answered", worker.results)
      json.add("failed", worker.failed)
      json.add("lastSeenAgoMs", worker.lastSeenAgoMs)
      json.add("remote", worker.isRemote)
    }
    json.array("feeds", feeds) { json, feed in
      json.add("name", feed.name)
      json.add("seq", feed.seq)
      json.add("lastSeenAgoMs", feed.lastSeenAgoMs)
      if let subscribers = feed.subscribers { json.add("subscribers", subscribers) }
    }
  }
}

extension JSONWriter {
  fileprivate mutating func add(_ name: String, _ reading: RateMeter.Reading) {
    object(name) { json in
      json.add("total", reading.total)
      json.add("perSecond", reading.perSecond)
    }
  }
}
