import Glibc

/// Link of a post: an http or https address with a host. A browser can open the link, and a page can safely show it.
///
/// The server never opens the link. The compatibility API handles other texts from the original service's clients.
package struct WebLink: Sendable, Hashable {
  /// Reason why a text is not a link.
  package enum Refusal: Error, Equatable {
    case empty
    case tooLong
    case character
    case scheme(String)
    case host
    case credentials
    case port

    /// Explanation for people: the error, and a valid form.
    package var reason: String {
      switch self {
      case .empty: "is empty; give a web address such as https://example.org/me"
      case .tooLong: "is longer than \(Limits.linkBytesMax) bytes"
      case .character:
        "has a space, a control or invisible character, or one of \\ < > \" { } | ^ `; percent-encode it"
      case .scheme(let scheme): "begins with \"\(scheme)\"; only http:// and https:// are accepted"
      case .host: "has no valid host name; write it as https://example.org/me"
      case .credentials: "contains a user name or password; remove the part before the @"
      case .port: "has a port that is not a number from 1 to 65535"
      }
    }
  }

  /// The link, for example "https://example.org/me".
  package let text: String

  /// Parses a web address. `example.org/x` becomes `https://example.org/x`.
  ///
  /// - Throws: the reason why the text is not a web address.
  package init(_ input: String) throws(Refusal) {
    let trimmed = WebLink.trimmed(Array(input.utf8)[...])
    guard !trimmed.isEmpty else { throw .empty }
    guard trimmed.count <= Limits.linkBytesMax else { throw .tooLong }
    guard input.isSafeLine, trimmed.allSatisfy({ !WebLink.isForbidden($0) }),
      input.utf8.allSatisfy({ $0 < 128 }) || !input.unicodeScalars.contains(where: WebLink.isForbidden)
    else { throw .character }

    let (scheme, rest) = try WebLink.splitScheme(trimmed)
    let end = rest.firstIndex { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") }
    let authority = rest[..<(end ?? rest.endIndex)]
    guard !authority.contains(UInt8(ascii: "@")) else { throw .credentials }
    try WebLink.check(authority: authority, hasScheme: scheme != nil)
    // Most links already have their canonical form.
    let isCanonical =
      scheme != nil && trimmed.count == input.utf8.count
      && !trimmed[..<authority.endIndex].contains { (65...90).contains($0) }
    text =
      isCanonical
      ? input
      : (scheme ?? "https") + "://" + String(decoding: authority.map(WebLink.lowercased), as: UTF8.self)
        + String(decoding: rest[authority.endIndex...], as: UTF8.self)
    guard text.utf8.count <= Limits.linkBytesMax else { throw .tooLong }
  }

  private typealias Bytes = ArraySlice<UInt8>

  /// Returns the scheme in lower case and the text after it. The scheme is nil if the text begins with its host.
  private static func splitScheme(_ text: Bytes) throws(Refusal) -> (String?, Bytes) {
    guard let colon = text.firstIndex(of: UInt8(ascii: ":")),
      !text[..<colon].contains(where: { "/?#[".utf8.contains($0) })
    else {
      guard text.first != UInt8(ascii: "/") else { throw .scheme("//") }
      return (nil, text)
    }
    let scheme = String(decoding: text[..<colon].map(lowercased), as: UTF8.self)
    let rest = text[text.index(after: colon)...]
    if rest.starts(with: "//".utf8) {
      guard scheme == "http" || scheme == "https" else { throw .scheme(scheme + "://") }
      return (scheme, rest.dropFirst(2))
    }
    // "example.org:8080/x" has a port, "javascript:1" a scheme. A text with a dot before the colon begins with a host.
    let digits = rest.prefix { !"/?#".utf8.contains($0) }
    guard scheme.utf8.contains(UInt8(ascii: ".")), digits.allSatisfy({ (48...57).contains($0) }) else {
      throw .scheme(scheme + ":")
    }
    return (nil, text)
  }

  private static func check(authority: Bytes, hasScheme: Bool) throws(Refusal) {
    var host = authority
    if authority.first == UInt8(ascii: "["), let close = authority.firstIndex(of: UInt8(ascii: "]")) {
      host = authority[..<authority.index(after: close)]
      var address = in6_addr()
      guard inet_pton(AF_INET6, String(decoding: host.dropFirst().dropLast(), as: UTF8.self), &address) == 1 else {
        throw .host
      }
    } else {
      host = authority.prefix { $0 != UInt8(ascii: ":") }
      let labels = host.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
      let named = labels.last?.isEmpty == true ? labels.dropLast() : labels[...]
      guard !named.isEmpty, named.count > 1 || hasScheme, named.allSatisfy(isLabel) else { throw .host }
    }
    let port = authority[host.endIndex...]
    guard !port.isEmpty else { return }
    guard port.first == UInt8(ascii: ":"), port.dropFirst().allSatisfy({ (48...57).contains($0) }),
      let number = UInt16(String(decoding: port.dropFirst(), as: UTF8.self)), number > 0
    else { throw .port }
  }

  private static func isLabel(_ label: Bytes) -> Bool {
    !label.isEmpty && label.first != 45 && label.last != 45
      && label.allSatisfy { byte in
        (48...57).contains(byte) || (97...122).contains(lowercased(byte)) || byte == 45 || byte == 95 || byte >= 128
      }
  }

  private static func lowercased(_ byte: UInt8) -> UInt8 { (65...90).contains(byte) ? byte + 32 : byte }

  private static func trimmed(_ bytes: Bytes) -> Bytes {
    var bytes = bytes
    while bytes.first == 32 { bytes = bytes.dropFirst() }
    while bytes.last == 32 { bytes = bytes.dropLast() }
    return bytes
  }

  /// Returns true for white space, full-width forms of ASCII and invisible characters. Browsers read a full-width form
  /// as the ASCII character, so ／ would end the host. Invisible characters such as joiners are valid in texts, but
  /// would make two links look alike.
  private static func isForbidden(_ scalar: Unicode.Scalar) -> Bool {
    guard scalar.value >= 128 else { return false }
    let properties = scalar.properties
    return properties.isWhitespace || (0xFF01...0xFF5E).contains(scalar.value)
      || properties.isDefaultIgnorableCodePoint && !properties.isVariationSelector
  }

  private static func isForbidden(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: " "), UInt8(ascii: "\\"), UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "\""),
      UInt8(ascii: "{"), UInt8(ascii: "}"), UInt8(ascii: "|"), UInt8(ascii: "^"), UInt8(ascii: "`"):
      true
    default: false
    }
  }
}
