import Domain
import Testing

@Suite("Hexadecimal digits")
struct HexadecimalTests {
  @Test("A number is padded with zeros to the minimum of digits")
  func numbers() {
    #expect(hexadecimal(0, digits: 4) == "0000")
    #expect(hexadecimal(0xAF, digits: 4) == "00af")
    #expect(hexadecimal(.max, digits: 2) == "ffffffffffffffff")
  }

  @Test("Every byte survives a round trip")
  func roundTrip() {
    let bytes = Array(UInt8.min ... .max)
    #expect(hexadecimal(bytes).hasPrefix("000102"))
    #expect([UInt8](hexadecimal: hexadecimal(bytes)) == bytes)
    #expect([UInt8](hexadecimal: "")?.isEmpty == true)
  }

  @Test("A text other than pairs of lower-case digits is refused", arguments: ["0", "0g", "AF", "0x00", "00 ", "é0"])
  func refusal(text: String) {
    #expect([UInt8](hexadecimal: text) == nil)
  }
}
