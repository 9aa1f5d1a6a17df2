/// Which posts somebody searches for; what is given must all hold.
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
    feed.contains(entry)
      && contains(
        entry.updatedMs, [entry.place, entry.label, "\(entry.firstName) \(entry.lastName)", entry.link])
  }

  /// Whether a post is one of those, whatever became of it; its owner's name is not looked at.
  package func contains(_ post: Post) -> Bool {
    feed.contains(post)
      && contains(post.updatedMs, [post.place, post.outcome?.label ?? "", post.linkText ?? post.link])
  }

  private func contains(_ updatedMs: Int64, _ texts: [String]) -> Bool {
    guard updatedMs >= sinceMs, updatedMs < untilMs else { return false }
    return text.isEmpty || texts.contains { $0.lowercased().contains(text) }
  }
}
