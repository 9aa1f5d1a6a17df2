import Domain
import Foundation

/// The links of posts. Each is refused, or it is an http or https link to a host, safe for pages and terminals, and
/// other libraries read the same parts in it.
enum LinkTarget {
  static func read(_ input: [UInt8]) throws -> Bool {
    let text = String(decoding: input, as: UTF8.self)
    try kept(text)
    guard let link = try? WebLink(text) else { return false }
    let message = "\(text.debugDescription) became \(link.text.debugDescription)"
    try Finding.unless((try? WebLink(link.text)) == link, message)
    try Finding.unless(link.text.utf8.count <= Limits.linkBytesMax && link.text.isSafeLine, message)
    try Finding.unless(link.text.utf8.allSatisfy { !" \\<>\"{}|^`".utf8.contains($0) }, message)
    guard let scheme = ["http://", "https://"].first(where: { link.text.utf8.starts(with: $0.utf8) }) else {
      throw Finding(description: message)
    }
    let authority = String(
      decoding: link.text.utf8.dropFirst(scheme.utf8.count).prefix { !"/?#".utf8.contains($0) }, as: UTF8.self)
    // URLComponents follows RFC 3986, and reads plain ASCII only.
    guard let parts = URLComponents(string: link.text, encodingInvalidCharacters: false) else { return true }
    let port = parts.port == nil ? nil : authority.split(separator: ":").last.flatMap { Int($0) }
    try Finding.unless(parts.user == nil && parts.password == nil && port == parts.port, message)
    try Finding.unless(authority.hasPrefix(parts.encodedHost ?? "?"), message)
    return true
  }

  /// Checks a link from a client of the original service. It is stored as a link, with its own text only in another
  /// spelling, or as text that is no link.
  private static func kept(_ text: String) throws {
    guard
      let post = try? Submission(place: "Oslo", link: text, latitude: nil, longitude: nil, allowsAnyLink: true)
    else { return }
    let message = "\(text.debugDescription) was kept as \(post)"
    let given = text.trimmedLine
    if let kept = post.linkText {
      let isSpelling = kept != post.link && (try? WebLink(kept))?.text == post.link
      try Finding.unless(post.link.isEmpty ? kept == given : isSpelling, message)
      try Finding.unless(kept.isSafeLine && kept.utf8.count <= Limits.linkBytesMax, message)
    } else {
      try Finding.unless((try? WebLink(given))?.text == post.link, message)
    }
  }
}
