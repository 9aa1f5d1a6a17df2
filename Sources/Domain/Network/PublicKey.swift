/// Public CURVE key, which identifies a peer: 32 bytes, or 40 characters of Z85.
package struct PublicKey: Sendable, Hashable, CustomStringConvertible {
  /// The 32 bytes of the key.
  package let bytes: [UInt8]
  package let description: String

  /// Parses 40 characters of Z85. Nil for any other text.
  package init?(_ text: some StringProtocol) {
    guard text.utf8.count == 40, let bytes = Z85.bytes(text) else { return nil }
    self.bytes = bytes
    description = String(text)
  }

  /// Returns nil unless there are 32 bytes.
  package init?(bytes: [UInt8]) {
    guard bytes.count == 32, let text = Z85.text(bytes) else { return nil }
    self.bytes = bytes
    description = text
  }

  /// First eight characters of the key with an ellipsis, enough for people to find the key in a list.
  package var beginning: String { description.prefix(8) + "…" }
}
