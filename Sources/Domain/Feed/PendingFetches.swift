/// Fetches that ingest keeps open until the list changes: one for each peer, at most `Limits.feedsMax`.
package struct PendingFetches<Peer: Hashable & Sendable>: Sendable {
  /// A feed's request for the changes after its list.
  package struct Fetch: Sendable {
    package let peer: Peer
    /// Number of the request, which the reply repeats.
    package let id: UInt64
    /// Epoch of the feed's list. Nil without a list.
    package let epoch: Epoch?
    /// Sequence number of the feed's list.
    package let afterSeq: UInt64
    /// Maximum number of changes in the reply, 1 or more.
    package let changesMax: Int
    /// Time of the reply if nothing has changed by then, in milliseconds.
    package let untilMs: Int64

    /// - Parameters:
    ///   - changesMax: Maximum from the request. 0 counts as 1.
    ///   - waitMs: Wait from the request. A value above `Limits.fetchWaitMs` counts as that limit.
    package init(
      peer: Peer, id: UInt64, epoch: Epoch?, afterSeq: UInt64, changesMax: Int, waitMs: Int64, nowMs: Int64
    ) {
      (self.peer, self.id, self.epoch, self.afterSeq) = (peer, id, epoch, afterSeq)
      self.changesMax = max(1, changesMax)
      untilMs = nowMs + min(waitMs, Limits.fetchWaitMs)
    }
  }

  /// Open fetches in the order of their arrival.
  private var fetches: [Fetch] = []

  package init() {}

  /// Opens a fetch, which replaces the peer's earlier fetch. Above `Limits.feedsMax` the fetch is dropped, and its feed
  /// retries after its timeout.
  package mutating func open(_ fetch: Fetch) {
    fetches.removeAll { $0.peer == fetch.peer }
    guard fetches.count < Limits.feedsMax else { return }
    fetches.append(fetch)
  }

  /// Returns the replies that can be sent now, and closes their fetches.
  package mutating func replies(
    from log: inout ChangeLog, nowMs: Int64
  ) -> [(fetch: Fetch, reply: ChangeLog.FetchResult)] {
    var replies: [(fetch: Fetch, reply: ChangeLog.FetchResult)] = []
    var rest: [Fetch] = []
    for fetch in fetches {
      if let reply = log.fetch(epoch: fetch.epoch, afterSeq: fetch.afterSeq, max: fetch.changesMax) {
        replies.append((fetch, reply))
      } else if fetch.untilMs <= nowMs {
        replies.append((fetch, .changes([], lastSeq: fetch.afterSeq, hash: log.hash)))
      } else {
        rest.append(fetch)
      }
    }
    fetches = rest
    return replies
  }

  /// Time of the next reply if the list does not change before, in milliseconds. `Int64.max` without a fetch.
  package var nextMs: Int64 { fetches.lazy.map(\.untilMs).min() ?? .max }
}
