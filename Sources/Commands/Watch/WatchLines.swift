import Domain
import Messaging

/// Lines for pipes: a line for each new post, oldest first, with tabs between time, name, place and link.
struct WatchLines: WatchFormat {
  private static let stale = "delayed: the feed cannot reach ingest"
  private let limit: Int
  private var shown = 0
  private var last: (epoch: Epoch, seq: UInt64)?
  private var remarks: [String] = []

  /// Creates the format.
  ///
  /// - Parameter limit: Number of posts before the end.
  init(limit: Int) { self.limit = limit }

  var isDone: Bool { shown >= limit }

  mutating func drainRemarks() -> [String] {
    defer { remarks = [] }
    return remarks
  }

  mutating func text(for events: [FeedSubscriber.Event], _ moment: RenderContext) -> String {
    var text = ""
    for event in events {
      switch event {
      case .list(let state, let isStale):
        text += lines(for: unseen(in: state))
        if isStale { remarks.append(WatchLines.stale) }
      case .changes(let delta, let state):
        text += lines(for: delta.newOrEdited)
        last = (state.epoch, state.seq)
      case .stale(let isStale):
        remarks.append(isStale ? WatchLines.stale : "the feed reaches ingest again")
      case .desynced(let reason): remarks.append("reconnecting: \(WatchText(reason.description).text)")
      }
    }
    return text
  }

  /// Returns the entries of a list that were not shown yet, oldest first.
  private mutating func unseen(in state: FeedState) -> [FeedEntry] {
    defer { last = (state.epoch, state.seq) }
    guard let last else { return state.entries.reversed() }
    guard last.epoch == state.epoch else {
      remarks.append("the feed's epoch changed; its list follows")
      return state.entries.reversed()
    }
    let new = Array(state.entries.prefix { $0.seq > last.seq })
    if new.count == Limits.feedEntriesMax, let oldest = new.last, oldest.seq > last.seq + 1 {
      remarks.append("changes \(last.seq + 1) to \(oldest.seq - 1) were missed and are not shown")
    }
    return new.reversed()
  }

  private mutating func lines(for entries: some Collection<FeedEntry>) -> String {
    let entries = entries.prefix(limit - shown)
    shown += entries.count
    return entries.map { entry in
      [timestamp(unixMs: entry.createdMs), entry.shownName.text, entry.shownPlace.text, entry.shownLink.text]
        .joined(separator: "\t") + "\n"
    }.joined()
  }
}
