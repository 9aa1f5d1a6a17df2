import Foundation
import Testing

@testable import Commands

@Suite("Doctor: output")
struct DiagnosisTextTests {
  private let checks = [
    Check.ok("clock-synchronized", "the clock is synchronized", .init(3, "ms")),
    .failure("data-folder", "/d is not a folder", remedy: "Pass another folder"),
    .notChecked("running-version", "no service answers"),
    .warning("memory", "1 GB", .init(1.5, "bytes"), remedy: "More"),
    .failure("key-file", "others can read it", remedy: "Run: chmod 600 k"),
  ]

  @Test("Each check has an aligned line, the worst first, and a summary follows")
  func lines() {
    #expect(
      DiagnosisText.lines(checks, isColoured: false) == [
        "failure      data-folder         /d is not a folder. Pass another folder",
        "failure      key-file            others can read it. Run: chmod 600 k",
        "warning      memory              1 GB. More",
        "not checked  running-version     no service answers",
        "ok           clock-synchronized  the clock is synchronized",
        "2 failures, 1 warning, 1 not checked, 1 ok",
      ])
  }

  @Test("Colours change the verdict only, and no text of a check reaches the terminal as a command")
  func colours() {
    let plain = DiagnosisText.lines(checks, isColoured: false)
    let coloured = DiagnosisText.lines(checks, isColoured: true)
    #expect(coloured[0].hasPrefix("\u{1B}[1;31mfailure\u{1B}[0m      data-folder"))
    #expect(coloured.map { $0.replacing(#/\u{1B}\[[0-9;]*m/#, with: "") } == plain)
    #expect(!DiagnosisText.lines([.ok("a", "\u{1B}[2J")], isColoured: false)[0].contains("\u{1B}"))
  }

  @Test("JSON has the service, the version, and each check with its value, its unit and its remedy")
  func json() throws {
    let text = DiagnosisText.json(service: "up", checks)
    let object = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
    #expect(object["service"] as? String == "up" && object["healthy"] as? Bool == false)
    let found = try #require(object["checks"] as? [[String: Any]])
    #expect(found.map { $0["verdict"] as? String } == ["failure", "failure", "warning", "not_checked", "ok"])
    #expect(found[0]["id"] as? String == "data-folder" && found[0]["remedy"] as? String == "Pass another folder")
    #expect(found[2]["value"] as? Double == 1.5 && found[2]["unit"] as? String == "bytes")
    #expect(found[3].keys.sorted() == ["finding", "id", "verdict"])
    let healthy = try JSONSerialization.jsonObject(with: Data(DiagnosisText.json(service: "feed", [checks[0]]).utf8))
    #expect((healthy as? [String: Any])?["healthy"] as? Bool == true)
  }

  @Test("Blocking work that exceeds its limit has no result")
  func limits() async {
    #expect(await bounded(.seconds(120)) { 7 } == 7)
    let gate = DispatchSemaphore(value: 0)
    #expect(await bounded(.milliseconds(10)) { gate.wait() } == nil)
    gate.signal()
  }
}
