import FoundationEssentials

extension Array<UInt8> {
  /// Base64url without padding (RFC 4648, section 5).
  package var base64URL: String {
    Data(self).base64EncodedString(options: [.base64URLAlphabet, .omitPaddingCharacter])
  }

  /// Decodes base64url without padding. Nil for other text.
  package init?(base64URL text: some StringProtocol) {
    guard !text.utf8.contains(where: { "+/=".utf8.contains($0) }) else { return nil }
    self.init(base64: String(text).replacing("-", with: "+").replacing("_", with: "/"))
  }

  /// Base64 without padding, as in password hashes (RFC 4648, section 4).
  package var base64: String { Data(self).base64EncodedString(options: .omitPaddingCharacter) }

  /// Decodes base64 without padding. Nil for other text.
  package init?(base64 text: some StringProtocol) {
    let padding = String(repeating: "=", count: (4 - text.utf8.count % 4) % 4)
    guard !text.utf8.contains(UInt8(ascii: "=")), let data = Data(base64Encoded: String(text) + padding) else {
      return nil
    }
    self.init(data)
  }
}
