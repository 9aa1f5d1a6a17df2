import Domain
import Foundation
import Testing

@testable import LoadTest

@Suite("Places file of a load test")
struct PlaceTextsTests {
  private func read(_ bytes: some Sequence<UInt8>) throws -> PlaceTexts {
    let file = FileManager.default.temporaryDirectory.appending(path: "places-\(UUID().uuidString)")
    try Data(bytes).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    return try PlaceTexts(file: file.path)
  }

  @Test("Each line of a places file is a place, trimmed, and empty lines are skipped")
  func lines() throws {
    guard case .lines(let lines) = try read(" Seattle \r\n\n東京\n".utf8) else {
      Issue.record("The places are not read as lines.")
      return
    }
    #expect(lines == ["Seattle", "東京"])
  }

  @Test("A places file that is missing or not UTF-8 is refused")
  func unreadable() {
    let missing = #expect(throws: LoadTestError.self) { try PlaceTexts(file: "/nowhere/places") }
    #expect(missing?.description == "cannot read /nowhere/places as lines of UTF-8.")
    let other = #expect(throws: LoadTestError.self) { try read([0xC3, 0x28, 0x0A]) }
    #expect(other?.description.hasSuffix(" as lines of UTF-8.") == true)
  }

  @Test("A places file that is empty or holds an invalid place is refused")
  func refused() {
    let empty = #expect(throws: LoadTestError.self) { try read("\n".utf8) }
    #expect(empty?.description.hasSuffix(" has 0 places, not 1 to \(LoadLimits.placesMax).") == true)
    let long = String(repeating: "x", count: Limits.placeBytesMax + 1)
    for text in ["Seattle\nA\u{7}B\n", "Seattle\n\(long)\n"] {
      let error = #expect(throws: LoadTestError.self) { try read(text.utf8) }
      #expect(error?.description.hasPrefix("line 2 of ") == true)
    }
  }
}
