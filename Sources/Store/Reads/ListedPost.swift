package import Domain

/// Published post, as the list of the original service shows it.
package struct ListedPost: Sendable {
  package let entry: FeedEntry
  /// The owner's text, if it is not the link itself.
  package let linkText: String?

  package init(entry: FeedEntry, linkText: String?) { (self.entry, self.linkText) = (entry, linkText) }
}
