package import Domain

/// A published post, with the data that the compatibility API returns.
package struct ListedPost: Sendable {
  package let entry: FeedEntry
  /// The text that the owner gave as the link. Nil if the text was a link.
  package let linkText: String?

  package init(entry: FeedEntry, linkText: String?) { (self.entry, self.linkText) = (entry, linkText) }
}
