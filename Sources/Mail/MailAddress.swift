import Domain

/// An email address in the envelope and the headers of a mail. No address contains a character with a meaning in
/// headers or in SMTP, so no address can add a header or a command.
///
/// The form is wider than that of a new account's address, because earlier versions accepted further addresses.
package struct MailAddress: Sendable, Equatable {
  /// The address, such as "ada@example.org".
  package let text: String

  /// Returns nil for a text without one @ between two parts, and for one with white space, an invisible character or
  /// one of `()<>[]:;,\"`. Nil too for a host in `.invalid`, which has no mailbox (RFC 2606). Accounts of providers
  /// without a verified address have such a host.
  package init?(_ text: String) {
    let parts = text.split(separator: "@", omittingEmptySubsequences: false)
    guard parts.count == 2, parts.allSatisfy({ !$0.isEmpty }), text.utf8.count <= Limits.emailBytesMax, text.isSafeLine,
      !text.unicodeScalars.contains(where: MailAddress.isForbidden), !parts[1].lowercased().hasSuffix(".invalid")
    else { return nil }
    self.text = text
  }

  /// Part after the @.
  var host: Substring { text[text.index(after: text.firstIndex(of: "@") ?? text.startIndex)...] }

  /// True if every mail server accepts the characters of the address. Others need the extension SMTPUTF8 (RFC 6531).
  package var isASCII: Bool { text.utf8.allSatisfy { $0 < 0x80 } }

  private static func isForbidden(_ scalar: Unicode.Scalar) -> Bool {
    scalar.properties.isWhitespace || scalar.properties.isDefaultIgnorableCodePoint
      || "()<>[]:;,\\\"".unicodeScalars.contains(scalar)
  }
}
