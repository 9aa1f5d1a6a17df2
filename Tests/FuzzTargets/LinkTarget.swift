import Domain
import Foundation

/// The target for links of posts. An accepted link has the scheme http or https and a host, and is safe for pages and
/// terminals. `URLComponents` finds the same parts in the link.
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

  /// Checks a submission that allows any link. A valid link is stored with its text only if the spelling differs. An
  /// invalid link is stored only as text.
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
