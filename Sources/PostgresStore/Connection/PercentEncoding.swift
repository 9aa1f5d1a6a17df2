import Domain

/// Percent-encoding of URLs (RFC 3986, section 2.1).
enum PercentEncoding {
  /// Returns the text that is encoded. Nil for an invalid encoding, for bytes that are not UTF-8, and for control
  /// characters.
  static func decode(_ text: Substring) -> String? {
    var bytes: [UInt8] = []
    var rest = Array(text.utf8)[...]
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%") else {
        bytes.append(byte)
        continue
      }
      let digits = rest.prefix(2).compactMap { Character(UnicodeScalar($0)).hexDigitValue }
      guard digits.count == 2 else { return nil }
      bytes.append(UInt8(digits[0] << 4 | digits[1]))
      rest = rest.dropFirst(2)
    }
    guard let decoded = String(validating: bytes, as: UTF8.self) else { return nil }
    return decoded.unicodeScalars.contains { $0.properties.generalCategory == .control } ? nil : decoded
  }

  /// Decodes the name of a role or a database.
  static func decodeName(_ text: Substring, _ part: String) throws(PostgresAddressError) -> String {
    guard let name = decode(text) else { throw .encoding(part) }
    guard (1...Limits.postgresNameBytesMax).contains(name.utf8.count) else {
      throw PostgresAddressError(
        "the \(part) in the URL must have 1 to \(Limits.postgresNameBytesMax) bytes, not \(name.utf8.count).")
    }
    return name
  }

  /// Encodes every byte that has a meaning in a URL.
  static func encode(_ text: String) -> String {
    text.utf8.map { byte in
      let character = Character(UnicodeScalar(byte))
      let isPlain = byte < 0x80 && (character.isLetter || character.isNumber || "-._~".contains(character))
      return isPlain ? String(character) : "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
    }.joined()
  }
}
