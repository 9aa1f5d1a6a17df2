/// ZeroMQ's text form of keys: five characters for four bytes (ZeroMQ RFC 32). The project has its own code because
/// `PublicKey` is in the domain, which does not import libzmq.
package enum Z85 {
  private static let alphabet = Array(
    "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#".utf8)

  /// Decodes a text. Nil if its length is not a multiple of 5, or if a character is not one of the 85. Nil also if five
  /// characters encode more than four bytes.
  package static func bytes(_ text: some StringProtocol) -> [UInt8]? {
    let characters = Array(text.utf8)
    guard characters.count % 5 == 0 else { return nil }
    var bytes: [UInt8] = []
    for start in stride(from: 0, to: characters.count, by: 5) {
      var value: UInt64 = 0
      for character in characters[start..<(start + 5)] {
        guard let digit = alphabet.firstIndex(of: character) else { return nil }
        value = value * 85 + UInt64(digit)
      }
      guard let word = UInt32(exactly: value) else { return nil }
      withUnsafeBytes(of: word.bigEndian) { bytes.append(contentsOf: $0) }
    }
    return bytes
  }

  /// Encodes bytes. Nil if their number is not a multiple of 4.
  package static func text(_ bytes: [UInt8]) -> String? {
    guard bytes.count % 4 == 0 else { return nil }
    var characters: [UInt8] = []
    for start in stride(from: 0, to: bytes.count, by: 4) {
      var value = bytes[start..<(start + 4)].reduce(0) { $0 << 8 | Int($1) }
      let group = (0..<5).map { _ in
        defer { value /= 85 }
        return alphabet[value % 85]
      }
      characters.append(contentsOf: group.reversed())
    }
    return String(decoding: characters, as: UTF8.self)
  }
}
