import Domain
import Web

/// The preview of a link to the page, as browsers and chats show it. (The Open Graph protocol, https://ogp.me.)
struct LinkPreview: Sendable {
  /// Name of the page. The title of a document that is not about a post.
  static let site = "On The Map"

  private let title: String

  /// Creates the preview of the page itself.
  init() { title = LinkPreview.site }

  /// Creates the preview of a published post, with the name that the list shows.
  init(of post: Post, by account: Account, in texts: PageTexts) {
    let name = "\(account.firstName) \(account.lastName)".trimmedLine
    let place = post.outcome.map(\.label).flatMap { $0.isEmpty ? nil : $0 } ?? post.place
    title = texts.text("pin.of", ["name": name, "place": place])
  }

  /// Returns the title and the tags of a document.
  ///
  /// - Parameter url: The document's absolute URL. Nil if it is unknown.
  func tags(url: String?, in texts: PageTexts) -> String {
    let description = texts["welcome"]
    var html = HTMLWriter()
    html.element("title", [:], title == LinkPreview.site ? title : "\(title) · \(LinkPreview.site)")
    html.void("meta", ["name": "description", "content": description])
    html.void("meta", ["property": "og:type", "content": "website"])
    html.void("meta", ["property": "og:site_name", "content": LinkPreview.site])
    html.void("meta", ["property": "og:title", "content": title])
    html.void("meta", ["property": "og:description", "content": description])
    if let url { html.void("meta", ["property": "og:url", "content": url]) }
    html.void("meta", ["name": "twitter:card", "content": "summary"])
    return html.text
  }
}
