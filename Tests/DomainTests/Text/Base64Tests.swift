import Domain
import Testing

@Suite("Base64")
struct Base64Tests {
  /// Examples of RFC 4648, section 10, and one with the two characters in which the alphabets differ.
  private static let examples: [(bytes: [UInt8], standard: String, url: String)] = [
    ([], "", ""), (Array("f".utf8), "Zg", "Zg"), (Array("fo".utf8), "Zm8", "Zm8"), (Array("foo".utf8), "Zm9v", "Zm9v"),
    (Array("foobar".utf8), "Zm9vYmFy", "Zm9vYmFy"), ([0xFB, 0xFF], "+/8", "-_8"),
  ]

  @Test("Bytes survive a round trip in both alphabets, without padding")
  func roundTrip() {
    for example in Self.examples {
      #expect(example.bytes.base64 == example.standard)
      #expect(example.bytes.base64URL == example.url)
      #expect([UInt8](base64: example.standard) == example.bytes)
      #expect([UInt8](base64URL: example.url) == example.bytes)
    }
  }

  @Test("Padding, the other alphabet and other characters are refused", arguments: ["Zg==", "Z", "Zm9v\n", "Zg!!"])
  func refusal(text: String) {
    #expect([UInt8](base64: text) == nil)
    #expect([UInt8](base64URL: text) == nil)
    #expect([UInt8](base64: "-_8") == nil)
    #expect([UInt8](base64URL: "+/8") == nil)
  }
}
