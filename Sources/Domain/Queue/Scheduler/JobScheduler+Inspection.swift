import HeapModule

/// An operator's view of the queue. An inspection of all jobs takes a few ms with 100,000 jobs, and almost no time with
/// few.
extension JobScheduler {
  /// Returns the queue's current contents.
  package func snapshot(nowMs: Int64) -> QueueSnapshot {
    var snapshot = QueueSnapshot()
    for (id, entry) in jobs {
      guard !id.isLookup else {
        snapshot.lookups += 1
        continue
      }
      switch entry.state {
      case .ready: snapshot.ready += 1
      case .leased: snapshot.leased += 1
      case .committing: snapshot.committing += 1
      case .delayed: snapshot.delayed += 1
      case .waitingRemote: snapshot.waitingRemote += 1
      }
    }
    snapshot.longestWaitMs = longestWaitMs(nowMs: nowMs)
    snapshot.workers = sessions.sorted { $0.key < $1.key }.map { id, session in
      .init(
        session: id, name: session.worker, credit: session.credit, leases: session.leases.count,
        jobsSent: session.jobsSent, results: session.results.reading(nowMs: nowMs), failed: session.failures,
        lastSeenAgoMs: max(0, nowMs - session.lastReceivedMs), isRemote: session.remoteIntervalMs != nil)
    }
    return snapshot
  }

  /// Returns the longest wait of a ready post, in milliseconds. 0 if no post waits or the queue is paused. The search
  /// visits the accounts with a waiting post.
  package func longestWaitMs(nowMs: Int64) -> Int64 {
    func sinceMs(_ id: JobID) -> Int64? {
      guard let entry = jobs[id], case .ready = entry.state else { return nil }
      return entry.sinceMs
    }
    guard !isPaused else { return 0 }
    let first = ready.firstPosts(sinceMs) + [poisonSuspects.lazy.compactMap(sinceMs).first].compactMap(\.self)
    guard let sinceMs = first.min() else { return 0 }
    return max(0, nowMs - max(sinceMs, resumedMs))
  }

  /// Returns the state of a queued post. A leased post has its worker, and a leased or delayed post has the remaining
  /// time. Nil if the post is not in the queue.
  package func placement(of post: PostID, nowMs: Int64) -> QueuePlacement? {
    guard let entry = jobs[JobID(post)] else { return nil }
    switch entry.state {
    case .ready: return QueuePlacement(id: post, state: .ready)
    case .leased(_, let session, let untilMs):
      let worker = sessions[session]?.worker ?? ""
      return QueuePlacement(id: post, state: .leased, worker: worker, remainingMs: max(0, untilMs - nowMs))
    case .committing: return QueuePlacement(id: post, state: .committing)
    case .delayed(let untilMs): return QueuePlacement(id: post, state: .delayed, remainingMs: max(0, untilMs - nowMs))
    case .waitingRemote: return QueuePlacement(id: post, state: .waitingRemote)
    }
  }

  /// Returns the first queued posts in a state, by ascending id. A nil state stands for all states.
  ///
  /// - Parameters:
  ///   - after: Lower bound of the ids, exclusive.
  ///   - limit: Maximum number of posts, 1 or more.
  package func placements(in state: QueueState?, after: PostID?, limit: Int, nowMs: Int64) -> [QueuePlacement] {
    var first: Heap<UInt64> = []
    for (id, entry) in jobs where !id.isLookup && id.rawValue > after?.rawValue ?? 0 && entry.state.matches(state) {
      if first.count < limit {
        first.insert(id.rawValue)
      } else if let last = first.max, id.rawValue < last {
        first.replaceMax(with: id.rawValue)
      }
    }
    return first.unordered.sorted().compactMap { id in
      PostID(rawValue: id).flatMap { placement(of: $0, nowMs: nowMs) }
    }
  }

  /// Counts a worker's results for the operator, at the time of its message.
  package mutating func count(results: Int, failures: Int, of id: UInt64) {
    sessions[id]?.results.add(results, nowMs: seenMs)
    sessions[id]?.failures += UInt64(failures)
  }
}

extension JobScheduler.State {
  fileprivate func matches(_ state: QueueState?) -> Bool {
    guard let state else { return true }
    return switch self {
    case .ready: state == .ready
    case .leased: state == .leased
    case .committing: state == .committing
    case .delayed: state == .delayed
    case .waitingRemote: state == .waitingRemote
    }
  }
}
