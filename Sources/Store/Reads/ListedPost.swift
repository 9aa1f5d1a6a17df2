package import Domain

/// A published post, as the list of the original service shows it.
package struct ListedPost: Sendable {
  package let entry: FeedEntry
  /// The owner's text in place of a link that is none.
  package let linkText: String?

  package init(entry: FeedEntry, linkText: String?) { (self.entry, self.linkText) = (entry, linkText) }
}
