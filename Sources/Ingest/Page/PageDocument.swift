import NIOCore

/// A document of the page in one language. Any thread.
///
/// All responses with the document share its bytes. Only a document about a post is made for its response.
struct PageDocument: Sendable {
  /// The document, if it is not about a post.
  let file: PageFiles.File
  let texts: PageTexts
  private let name: String
  /// The document's parts before and after the title, in whose place a preview comes.
  private let parts: [Substring]

  /// - Parameter html: The translated document. The operators' page has its own title, and no preview.
  init(name: String, _ html: String, _ texts: PageTexts) {
    (self.name, self.texts) = (name, texts)
    parts = html.split(separator: "<title>\(LinkPreview.site)</title>", maxSplits: 1)
    file = PageDocument.file(name, parts, LinkPreview(in: texts), url: nil)
  }

  /// Returns the document about a post.
  ///
  /// - Parameter url: The document's absolute URL. Nil if it is unknown.
  func file(about preview: LinkPreview, url: String?) -> PageFiles.File {
    PageDocument.file(name, parts, preview, url: url)
  }

  private static func file(
    _ name: String, _ parts: [Substring], _ preview: LinkPreview, url: String?
  ) -> PageFiles.File {
    PageFiles.File(name: name, ByteBuffer(string: parts.joined(separator: preview.tags(url: url))))
  }
}
