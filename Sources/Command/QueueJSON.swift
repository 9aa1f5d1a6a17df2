import OnTheMap

/// The queue for programs: one JSON object a line, with nothing in it that a terminal would obey.
enum QueueJSON {
  static func status(_ status: QueueStatus) -> String {
    line { json in
      let queue = status.queue
      json.add("paused", status.pausedMs != nil)
      if let since = status.pausedMs { json.add("pausedAt", unixMs: since) }
      json.add("depth", queue.depth)
      json.add("depthMax", status.depthMax)
      json.add("longestWaitMs", queue.longestWaitMs)
      json.add("waitMaxMs", status.waitMaxMs)
      if let oldest = status.oldestMs { json.add("oldestAcceptedAt", unixMs: oldest) }
      for (state, count) in [
        (QueueState.ready, queue.ready), (.leased, queue.leased), (.settling, queue.settling),
        (.delayed, queue.delayed), (.waiting, queue.waiting), (.dead, status.dead),
      ] { json.add(state.word, count) }
      json.add("lookups", queue.lookups)
      json.array("deadByReason", status.deadByReason) { json, count in
        json.add("reason", count.reason)
        json.add("count", count.count)
      }
      json.add("upMs", status.upMs)
      add("accepted", status.accepted, to: &json)
      add("settled", status.settled, to: &json)
      add("failed", status.failed, to: &json)
      json.object("commits") { json in
        json.add("total", status.commits.count)
        json.add("p50Us", status.commits.p50Us)
        json.add("p99Us", status.commits.p99Us)
      }
      json.array("workers", queue.workers) { json, worker in
        json.add("name", worker.name)
        json.add("credit", worker.credit)
        json.add("leases", worker.leases)
        json.add("jobsSent", worker.jobsSent)
        add("answered", worker.answered, to: &json)
        json.add("failed", worker.failed)
        json.add("heardMs", worker.heardAgoMs)
        json.add("remote", worker.isRemote)
      }
      json.array("feeds", status.feeds) { json, feed in
        json.add("name", feed.name)
        json.add("seq", feed.seq)
        json.add("heardMs", feed.heardAgoMs)
        if let subscribers = feed.subscribers { json.add("subscribers", subscribers) }
      }
    }
  }

  static func list(_ entries: [QueueEntry], next: PostID?) -> String {
    line { json in
      json.array("posts", entries) { add($1, to: &$0) }
      if let next { json.add("next", next.description) }
    }
  }

  static func report(_ entry: QueueEntry, _ history: [PostEvent]) -> String {
    line { json in
      add(entry, to: &json)
      json.array("history", history) { json, event in
        json.add("event", event.kind.word)
        json.add("at", unixMs: event.atMs)
        if !event.reason.code.isEmpty { json.add("code", event.reason.code) }
        if !event.reason.detail.isEmpty { json.add("detail", event.reason.detail) }
      }
    }
  }

  static func change(_ change: QueueChange) -> String {
    line { json in
      json.array("done", change.done) { $0.add("id", $1.description) }
      json.array("unchanged", change.unchanged) { json, post in
        json.add("id", post.id.description)
        json.add("state", post.state?.word ?? "unknown")
      }
    }
  }

  /// - Parameter sinceMs: nil when it is not paused.
  static func paused(_ sinceMs: Int64?) -> String {
    line { json in
      json.add("paused", sinceMs != nil)
      if let sinceMs { json.add("pausedAt", unixMs: sinceMs) }
    }
  }

  private static func line(_ body: (inout JSONText) -> Void) -> String { WatchJSON.ascii(JSONText.object(body).bytes) }

  private static func add(_ name: String, _ reading: RateMeter.Reading, to json: inout JSONText) {
    json.object(name) { json in
      json.add("total", reading.total)
      json.add("perSecond", reading.perSecond)
    }
  }

  private static func add(_ entry: QueueEntry, to json: inout JSONText) {
    json.add("id", entry.id.description)
    json.add("state", entry.state.word)
    json.add("account", entry.account.rawValue)
    json.add("place", entry.place)
    if !entry.link.isEmpty { json.add("link", entry.link) }
    if !entry.label.isEmpty { json.add("label", entry.label) }
    json.add("attempts", entry.attempts)
    json.add("leaseLosses", entry.leaseLosses)
    if let reason = entry.reason {
      json.object("reason") { json in
        json.add("code", reason.code)
        json.add("detail", reason.detail)
      }
    }
    json.add("createdAt", unixMs: entry.createdMs)
    json.add("updatedAt", unixMs: entry.updatedMs)
    if !entry.worker.isEmpty { json.add("worker", entry.worker) }
    if let left = entry.leftMs { json.add("leftMs", left) }
    if let trace = entry.trace { json.add("traceparent", trace.description) }
  }
}
