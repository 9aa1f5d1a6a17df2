import HeapModule

/// What an operator sees of the queue. Each look goes over all jobs: a few ms where 100,000 wait, for a queue that long
/// has other delays, and nearly nothing where few do.
extension JobScheduler {
  /// The queue at a moment.
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
      case .settling: snapshot.settling += 1
      case .delayed: snapshot.delayed += 1
      case .waiting: snapshot.waiting += 1
      }
    }
    snapshot.longestWaitMs = longestWaitMs(nowMs: nowMs)
    snapshot.workers = sessions.sorted { $0.key < $1.key }.map { id, session in
      .init(
        session: id, name: session.worker, credit: session.credit, leases: session.leases.count,
        jobsSent: session.jobsSent, answered: session.answers.reading(nowMs: nowMs), failed: session.failures,
        heardAgoMs: max(0, nowMs - session.lastReceivedMs), isRemote: session.remoteIntervalMs != nil)
    }
    return snapshot
  }

  /// How long the post has been ready that has waited longest for a worker, in ms; 0 where none waits, or the queue is
  /// paused. Goes over the accounts that have one waiting.
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

  /// Where a post is; nil when it is not in the queue.
  package func placement(of post: PostID, nowMs: Int64) -> QueuePlacement? {
    guard let entry = jobs[JobID(post)] else { return nil }
    switch entry.state {
    case .ready: return QueuePlacement(id: post, state: .ready)
    case .leased(_, let session, let untilMs):
      let worker = sessions[session]?.worker ?? ""
      return QueuePlacement(id: post, state: .leased, worker: worker, leftMs: max(0, untilMs - nowMs))
    case .settling: return QueuePlacement(id: post, state: .settling)
    case .delayed(let untilMs): return QueuePlacement(id: post, state: .delayed, leftMs: max(0, untilMs - nowMs))
    case .waiting: return QueuePlacement(id: post, state: .waiting)
    }
  }

  /// Returns the first posts in a state, or in any state with nil, by rising id.
  ///
  /// - Parameters:
  ///   - after: only those with a greater id.
  ///   - limit: 1 or more.
  package func placements(in state: QueueState?, after: PostID?, limit: Int, nowMs: Int64) -> [QueuePlacement] {
    var first: Heap<UInt64> = []
    for (id, entry) in jobs where !id.isLookup && id.rawValue > after?.rawValue ?? 0 && entry.state.isSeen(as: state) {
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

  /// Counts what a worker has answered, for the operator; the time is that of its message.
  package mutating func count(answers: Int, failures: Int, of id: UInt64) {
    sessions[id]?.answers.add(answers, nowMs: seenMs)
    sessions[id]?.failures += UInt64(failures)
  }
}

extension JobScheduler.State {
  fileprivate func isSeen(as state: QueueState?) -> Bool {
    guard let state else { return true }
    return switch self {
    case .ready: state == .ready
    case .leased: state == .leased
    case .settling: state == .settling
    case .delayed: state == .delayed
    case .waiting: state == .waiting
    }
  }
}
