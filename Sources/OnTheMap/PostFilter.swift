/// Which published posts somebody searches for; what is given must all hold.
package struct PostFilter: Sendable {
  /// By country and by place.
  package var feed: FeedFilter
  /// Part of the place as typed or as found, of the name, or of the link; in lower case, empty for all.
  private let text: String
  /// Not changed before; milliseconds since 1970, UTC.
  package var sinceMs: Int64
  /// Changed before; milliseconds since 1970, UTC.
  package var untilMs: Int64

  package init(feed: FeedFilter = .all, text: String = "", sinceMs: Int64 = .min, untilMs: Int64 = .max) {
    self.feed = feed
    self.text = text.trimmedLine.lowercased()
    self.sinceMs = sinceMs
    self.untilMs = untilMs
  }

  /// Whether a post is one of those.
  package func contains(_ entry: FeedEntry) -> Bool {
    guard entry.updatedMs >= sinceMs, entry.updatedMs < untilMs, feed.contains(entry) else { return false }
    guard !text.isEmpty else { return true }
    let name = "\(entry.firstName) \(entry.lastName)"
    return [entry.place, entry.label, name, entry.link].contains { $0.lowercased().contains(text) }
  }
}
