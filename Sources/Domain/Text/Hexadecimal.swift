/// Returns a number in lower-case hexadecimal, padded with zeros to at least `digits` digits.
package func hexadecimal(_ number: UInt64, digits: Int) -> String {
  let text = String(number, radix: 16)
  return String(repeating: "0", count: max(0, digits - text.count)) + text
}

/// Returns two lower-case hexadecimal digits for each byte.
package func hexadecimal(_ bytes: some Sequence<UInt8>) -> String {
  bytes.map { hexadecimal(UInt64($0), digits: 2) }.joined()
}

extension Array<UInt8> {
  /// Decodes text that `hexadecimal(_:)` writes. Nil for other text.
  package init?(hexadecimal text: some StringProtocol) {
    func digit(_ byte: UInt8) -> UInt8? {
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
      case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
      default: nil
      }
    }
    let digits = text.utf8.compactMap(digit)
    guard digits.count == text.utf8.count, digits.count.isMultiple(of: 2) else { return nil }
    self = stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
  }
}
