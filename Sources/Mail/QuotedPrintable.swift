/// The transfer encoding of a mail's body (RFC 2045, section 6.7). People can read ASCII in it without a decoder.
enum QuotedPrintable {
  /// Maximum length of a line, without its end.
  private static let lineBytesMax = 76

  /// Encodes a text. Its lines end with LF or CRLF, and those of the result with CRLF.
  static func encode(_ text: String) -> String {
    text.replacing("\r\n", with: "\n").split(separator: "\n", omittingEmptySubsequences: false)
      .map { encode(line: $0.utf8) }.joined(separator: "\r\n")
  }

  private static func encode(line: Substring.UTF8View) -> String {
    var encoded = ""
    var length = 0
    for index in line.indices {
      let piece = encode(line[index], isLast: line.index(after: index) == line.endIndex)
      // Keep one column for the sign of a soft line break.
      if length + piece.utf8.count > lineBytesMax - 1 {
        encoded += "=\r\n"
        length = 0
      }
      encoded += piece
      length += piece.utf8.count
    }
    return encoded
  }

  /// Encodes a byte. White space at the end of a line would be lost on its way.
  private static func encode(_ byte: UInt8, isLast: Bool) -> String {
    let isLiteral = (0x21...0x7E).contains(byte) && byte != UInt8(ascii: "=") || byte == 0x20 && !isLast
    if isLiteral { return String(UnicodeScalar(byte)) }
    let digits = String(byte, radix: 16, uppercase: true)
    return digits.utf8.count == 1 ? "=0\(digits)" : "=\(digits)"
  }
}
