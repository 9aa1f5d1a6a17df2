import Domain
import Testing

@Suite("Hexadecimal digits")
struct HexadecimalTests {
  @Test("A number has at least the wanted digits, with leading zeros")
  func numbers() {
    #expect(hexadecimal(0, digits: 4) == "0000")
    #expect(hexadecimal(0xAF, digits: 4) == "00af")
    #expect(hexadecimal(.max, digits: 2) == "ffffffffffffffff")
  }

  @Test("Every byte is read as it was written")
  func roundTrip() {
    let bytes = Array(UInt8.min ... .max)
    #expect(hexadecimal(bytes).hasPrefix("000102"))
    #expect([UInt8](hexadecimal: hexadecimal(bytes)) == bytes)
    #expect([UInt8](hexadecimal: "")?.isEmpty == true)
  }

  @Test("Other text is refused", arguments: ["0", "0g", "AF", "0x00", "00 ", "é0"])
  func refusal(text: String) {
    #expect([UInt8](hexadecimal: text) == nil)
  }
}
