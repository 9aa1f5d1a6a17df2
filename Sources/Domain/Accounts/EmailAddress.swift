/// The email address of a new account, in lower case, so that one mailbox has one account.
///
/// The form is that of addresses in use (RFC 5321, sections 4.1.2 and 4.5.3.1), without quoted local parts and without
/// literal IP addresses. Letters of every script are valid (RFC 6531). An earlier version accepted further addresses,
/// and their accounts stay valid.
package struct EmailAddress: Sendable, Equatable {
  /// The address, such as "ada@example.org": at most `Limits.emailBytesMax` bytes on one safe line.
  package let text: String

  /// Trims white space, and converts to lower case. Returns nil for a text without the form of an address.
  package init?(_ text: String) {
    let text = text.trimmedLine.lowercased()
    let parts = text.split(separator: "@", omittingEmptySubsequences: false)
    guard parts.count == 2, text.utf8.count <= Limits.emailBytesMax, text.isSafeLine,
      // Invisible characters would allow two accounts whose addresses look alike.
      !text.unicodeScalars.contains(where: \.properties.isDefaultIgnorableCodePoint),
      EmailAddress.isLocalPart(parts[0]), EmailAddress.isHost(parts[1])
    else { return nil }
    self.text = text
  }

  /// True for words that are joined by single dots.
  private static func isLocalPart(_ part: Substring) -> Bool {
    part.utf8.count <= Limits.emailLocalPartBytesMax
      && part.split(separator: ".", omittingEmptySubsequences: false).allSatisfy { !$0.isEmpty }
      && !part.unicodeScalars.contains { $0.properties.isWhitespace || "()<>[]:;,\\\"".unicodeScalars.contains($0) }
  }

  /// True for a host name of at least two labels, of which the last one is not a number.
  private static func isHost(_ host: Substring) -> Bool {
    let labels = host.split(separator: ".", omittingEmptySubsequences: false)
    guard labels.count >= 2, let last = labels.last, !last.allSatisfy(\.isNumber) else { return false }
    return labels.allSatisfy { label in
      (1...Limits.hostLabelBytesMax).contains(label.utf8.count) && label.first != "-" && label.last != "-"
        && label.allSatisfy { $0 == "-" || $0.isLetter || $0.isNumber }
    }
  }
}
