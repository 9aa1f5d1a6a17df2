import Domain
import Foundation
import Web

/// The preview of a link to the page, as browsers and chats show it. (The Open Graph protocol, https://ogp.me.)
struct LinkPreview: Sendable {
  /// Name of the page.
  static let site = "On The Map"

  /// Title of the post, with its owner's name and place. Nil for the page itself.
  private let post: String?
  private let description: String
  private let language: String

  /// Creates the preview of the page itself.
  init(in texts: PageTexts) {
    post = nil
    description = texts["welcome"]
    language = texts.language
  }

  /// Creates the preview of a published post. The title has the owner's words for the place, as the page has. The
  /// description has the name of the place found, and the date.
  init(of post: Post, by account: Account, in texts: PageTexts) {
    let name = "\(account.firstName) \(account.lastName)".trimmedLine
    self.post = texts.text("pin.of", ["name": name, "place": post.place])
    let label = post.outcome.map(\.label).flatMap { $0.isEmpty ? nil : $0 } ?? post.place
    description = "\(label) · \(LinkPreview.date(unixMs: post.createdMs, language: texts.language))"
    language = texts.language
  }

  /// Returns the title and the tags of a document.
  ///
  /// - Parameter url: The document's absolute URL. Nil if it is unknown.
  func tags(url: String?) -> String {
    var html = HTMLWriter()
    html.element("title", [:], post.map { "\($0) · \(LinkPreview.site)" } ?? LinkPreview.site)
    html.void("meta", ["name": "description", "content": description])
    html.void("meta", ["property": "og:type", "content": "website"])
    html.void("meta", ["property": "og:site_name", "content": LinkPreview.site])
    html.void("meta", ["property": "og:title", "content": post ?? LinkPreview.site])
    html.void("meta", ["property": "og:description", "content": description])
    if let locale = LinkPreview.locales[language] { html.void("meta", ["property": "og:locale", "content": locale]) }
    if let url { html.void("meta", ["property": "og:url", "content": url]) }
    html.void("meta", ["name": "twitter:card", "content": "summary"])
    return html.text
  }

  /// Returns a date for people, in UTC, because nothing tells the reader's time zone.
  private static func date(unixMs: Int64, language: String) -> String {
    Date(timeIntervalSince1970: Double(unixMs) / 1_000)
      .formatted(Date.FormatStyle(date: .long, time: .omitted, locale: Locale(identifier: language), timeZone: .gmt))
  }

  /// Open Graph's locale of each of the page's languages. A locale needs a territory.
  private static let locales = ["en": "en_US", "de": "de_DE", "es": "es_ES", "fr": "fr_FR", "pt": "pt_BR"]
}
