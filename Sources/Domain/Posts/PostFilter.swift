/// Filter for a search of posts. A post must match every part that is given.
package struct PostFilter: Sendable {
  /// Filter by country and by bounding box.
  package var feed: FeedFilter
  /// Text to search for in the place as typed or as found, in the owner's name and in the link. Lower case. Empty for
  /// all posts.
  private let text: String
  /// Earliest time of the last change, inclusive, in milliseconds since 1970, UTC.
  package var sinceMs: Int64
  /// Latest time of the last change, exclusive, in milliseconds since 1970, UTC.
  package var untilMs: Int64

  package init(feed: FeedFilter = .all, text: String = "", sinceMs: Int64 = .min, untilMs: Int64 = .max) {
    self.feed = feed
    self.text = text.trimmedLine.lowercased()
    self.sinceMs = sinceMs
    self.untilMs = untilMs
  }

  /// Returns true if the filter passes the entry.
  package func contains(_ entry: FeedEntry) -> Bool {
    feed.contains(entry)
      && contains(
        entry.updatedMs, [entry.place, entry.label, "\(entry.firstName) \(entry.lastName)", entry.link])
  }

  /// Returns true if the filter passes the post, whatever its state. The filter does not search the owner's name.
  package func contains(_ post: Post) -> Bool {
    feed.contains(post)
      && contains(post.updatedMs, [post.place, post.outcome?.label ?? "", post.linkText ?? post.link])
  }

  private func contains(_ updatedMs: Int64, _ texts: [String]) -> Bool {
    guard updatedMs >= sinceMs, updatedMs < untilMs else { return false }
    return text.isEmpty || texts.contains { $0.lowercased().contains(text) }
  }
}
