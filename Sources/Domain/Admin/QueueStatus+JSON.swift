extension QueueStatus {
  /// Adds its members to an open object.
  package func write(to json: inout JSONWriter) {
    json.add("paused", pausedMs != nil)
    if let since = pausedMs { json.add("pausedAt", unixMs: since) }
    json.add("depth", queue.depth)
    json.add("depthMax", depthMax)
    json.add("longestWaitMs", queue.longestWaitMs)
    json.add("waitMaxMs", waitMaxMs)
    if let oldest = oldestMs { json.add("oldestAcceptedAt", unixMs: oldest) }
    for (state, count) in [
      (QueueState.ready, queue.ready), (.leased, queue.leased), (.settling, queue.settling),
      (.delayed, queue.delayed), (.waiting, queue.waiting), (.dead, dead),
    ] { json.add(state.word, count) }
    json.add("lookups", queue.lookups)
    json.array("deadByReason", deadByReason) { json, count in
      json.add("reason", count.reason)
      json.add("count", count.count)
    }
    json.add("upMs", upMs)
    json.add("accepted", accepted)
    json.add("settled", settled)
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
      json.add("answered", worker.answered)
      json.add("failed", worker.failed)
      json.add("heardMs", worker.heardAgoMs)
      json.add("remote", worker.isRemote)
    }
    json.array("feeds", feeds) { json, feed in
      json.add("name", feed.name)
      json.add("seq", feed.seq)
      json.add("heardMs", feed.heardAgoMs)
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
