/// Encoder for forms and queries (`application/x-www-form-urlencoded`). It writes a space as %20, which every decoder
/// accepts.
package enum FormText {
  /// Returns names and values as "a=1&b=2".
  package static func text(_ form: [(name: String, value: String)]) -> String {
    form.map { "\(encoded($0.name))=\(encoded($0.value))" }.joined(separator: "&")
  }

  /// Percent-encodes every byte of the text's UTF-8, except the unreserved characters of RFC 3986.
  package static func encoded(_ text: String) -> String {
    var encoded = ""
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
        UInt8(ascii: "~"):
        encoded.unicodeScalars.append(Unicode.Scalar(byte))
      default: encoded += (byte < 16 ? "%0" : "%") + String(byte, radix: 16, uppercase: true)
      }
    }
    return encoded
  }
}
