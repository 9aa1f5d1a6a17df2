/// A public key of CURVE: who a peer is. 32 bytes, written as 40 characters of Z85.
package struct PublicKey: Sendable, Hashable, CustomStringConvertible {
  /// 32 of them.
  package let bytes: [UInt8]
  package let description: String

  /// Nil where the text is no key.
  package init?(_ text: some StringProtocol) {
    guard text.utf8.count == 40, let bytes = Z85.bytes(text) else { return nil }
    self.bytes = bytes
    description = String(text)
  }

  /// Nil where these are not 32 bytes.
  package init?(bytes: [UInt8]) {
    guard bytes.count == 32, let text = Z85.text(bytes) else { return nil }
    self.bytes = bytes
    description = text
  }

  /// Its first characters: enough for people to find it in a list.
  package var beginning: String { description.prefix(8) + "…" }
}
