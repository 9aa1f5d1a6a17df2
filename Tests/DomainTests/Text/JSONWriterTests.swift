import Foundation
import Fuzzing
import Testing

@testable import Domain

@Suite("JSON writer")
struct JSONWriterTests {
  private func parsed(_ json: JSONWriter) throws -> NSDictionary {
    try #require(try JSONSerialization.jsonObject(with: Data(json.bytes)) as? NSDictionary)
  }

  @Test("Members keep their order, with commas between them at every depth")
  func order() {
    let json = JSONWriter.object { json in
      json.add("a", 1)
      json.object("b") { $0.add("c", true) }
      json.array("d", [1, 2]) { $0.add("e", $1) }
      json.array("f", [Int]()) { $0.add("g", $1) }
      json.object("h") { _ in }
      json.add("i", "x")
    }
    #expect(
      String(decoding: json.bytes, as: UTF8.self)
        == #"{"a":1,"b":{"c":true},"d":[{"e":1},{"e":2}],"f":[],"h":{},"i":"x"}"#)
  }

  @Test("Objects on separate lines have no commas between them, and number arrays keep their order")
  func lines() {
    var json = JSONWriter()
    for number in 1...2 { json.line { $0.add("a", [Double(number), -0.5, .nan]) } }
    #expect(String(decoding: json.bytes, as: UTF8.self) == "{\"a\":[1,-0.5,null]}\n{\"a\":[2,-0.5,null]}\n")
  }

  @Test(
    "Any text survives a round trip, and cannot end a script element",
    arguments: ["", "\"", "\\", "a\\\"b", "\u{0}\u{1F}\n\r\t", "</script><!--", "日本語 é 🗺", "\u{2028}", "\u{7F}"])
  func texts(text: String) throws {
    let json = JSONWriter.object { $0.add(text, text) }
    #expect(try parsed(json) == [text: text])
    #expect(!json.bytes.contains(UInt8(ascii: "<")))
    #expect(json.bytes.allSatisfy { $0 >= 0x20 })
  }

  @Test(
    "Numbers survive a round trip",
    arguments: [0, -1, 0.1, -122.332_069_9, 1e-7, 1e15, 1e300, 9_007_199_254_740_992, 0.000_012_3])
  func numbers(number: Double) throws {
    let decoded = try parsed(JSONWriter.object { $0.add("n", number) })["n"] as? Double
    #expect(decoded == number)
  }

  @Test("A number that is not finite becomes null", arguments: [Double.nan, .infinity, -.infinity])
  func notFinite(number: Double) throws {
    #expect(try parsed(JSONWriter.object { $0.add("n", number) })["n"] is NSNull)
  }

  @Test("Timestamps are RFC 3339 in UTC and equal Foundation's")
  func times() throws {
    let format = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
    #expect(timestamp(unixMs: 0) == "1970-01-01T00:00:00.000Z")
    #expect(timestamp(unixMs: 951_782_400_000) == "2000-02-29T00:00:00.000Z")
    #expect(timestamp(unixMs: -1) == "1969-12-31T23:59:59.999Z")
    var random = SeededRandom(seed: 2)
    for _ in 0..<2_000 {
      let seconds = Int64.random(in: -2_208_988_800...4_102_444_800, using: &random)
      let date = Date(timeIntervalSince1970: Double(seconds))
      #expect(timestamp(unixMs: seconds * 1_000) == format.format(date))
    }
  }

  @Test("The JSON of the list has epoch, staleness, hash and entries, newest first")
  func list() throws {
    let state = FeedState(
      epoch: .filled(with: 255), seq: 2, entries: [.sample(id: 62, seq: 2), .sample(id: 1, seq: 1)])
    let json = try parsed(state.json(isStale: true))
    #expect(json["epoch"] as? String == String(repeating: "ff", count: 16))
    #expect(json["stale"] as? Bool == true)
    #expect(json["stateHash"] as? String == hexadecimal(state.hash, digits: 16))
    let entries = try #require(json["entries"] as? [NSDictionary])
    #expect(entries.map { $0["id"] as? String } == ["0000000010", "0000000001"])
    #expect(entries[0]["latitude"] as? Double == 51.5)
    #expect(entries[0]["createdAt"] as? String == "1970-01-01T00:00:00.001Z")
  }
}
