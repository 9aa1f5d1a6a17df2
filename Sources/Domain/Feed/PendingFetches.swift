/// Fetches of feeds that ingest keeps open until there is something new: one of each peer, `Limits.feedsMax` at most.
package struct PendingFetches<Peer: Hashable & Sendable>: Sendable {
  /// A feed's request for the changes that follow its list.
  package struct Fetch: Sendable {
    package let peer: Peer
    /// Number of the request, which the reply repeats.
    package let id: UInt64
    /// History of the feed's list; nil without a list.
    package let epoch: Epoch?
    /// Sequence number of the feed's list.
    package let afterSeq: UInt64
    /// Changes in the reply at most; 1 or more.
    package let changesMax: Int
    /// Time of the reply if nothing has changed by then, in ms.
    package let untilMs: Int64

    /// - Parameters:
    ///   - changesMax: as the feed asks for it; 0 counts as 1.
    ///   - waitMs: as the feed asks for it; more than `Limits.fetchWaitMs` counts as that.
    package init(
      peer: Peer, id: UInt64, epoch: Epoch?, afterSeq: UInt64, changesMax: Int, waitMs: Int64, nowMs: Int64
    ) {
      (self.peer, self.id, self.epoch, self.afterSeq) = (peer, id, epoch, afterSeq)
      self.changesMax = max(1, changesMax)
      untilMs = nowMs + min(waitMs, Limits.fetchWaitMs)
    }
  }

  /// Open fetches in the order in which they came.
  private var fetches: [Fetch] = []

  package init() {}

  /// Opens a fetch. It replaces the peer's earlier one. One more than `Limits.feedsMax` is dropped, and its feed asks
  /// again after its timeout.
  package mutating func open(_ fetch: Fetch) {
    fetches.removeAll { $0.peer == fetch.peer }
    guard fetches.count < Limits.feedsMax else { return }
    fetches.append(fetch)
  }

  /// Returns the replies that can be sent now, and closes their fetches.
  package mutating func replies(
    from log: inout ChangeLog, nowMs: Int64
  ) -> [(fetch: Fetch, answer: ChangeLog.FetchResult)] {
    var replies: [(fetch: Fetch, answer: ChangeLog.FetchResult)] = []
    var rest: [Fetch] = []
    for fetch in fetches {
      if let answer = log.fetch(epoch: fetch.epoch, afterSeq: fetch.afterSeq, max: fetch.changesMax) {
        replies.append((fetch, answer))
      } else if fetch.untilMs <= nowMs {
        replies.append((fetch, .changes([], lastSeq: fetch.afterSeq, hash: log.hash)))
      } else {
        rest.append(fetch)
      }
    }
    fetches = rest
    return replies
  }

  /// Time at which the next fetch is due that nothing has answered, in ms; far away without a fetch.
  package var nextMs: Int64 { fetches.lazy.map(\.untilMs).min() ?? .max }
}
