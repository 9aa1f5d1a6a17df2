import Logging
import Testing

@testable import Commands

@Suite("Log lines")
struct LogLinesTests {
  private func line(_ message: String, _ metadata: Logger.Metadata, own: Logger.Metadata = [:]) -> String {
    var lines = LogLines(label: "ingest")
    lines.metadata = own
    return lines.line(
      LogEvent(
        level: .warning, message: "\(message)", metadata: metadata, source: "Link", file: "f", function: "g", line: 1),
      unixMs: 1_700_000_000_123)
  }

  @Test("A log line has its time, level, role and message, and its metadata by name")
  func order() {
    #expect(
      line("worker lost", ["worker": "w-1", "again": "3"], own: ["boot": "2", "again": "1"])
        == "2023-11-14T22:13:20.123Z warning ingest: worker lost again=3 boot=2 worker=w-1\n")
  }

  @Test("Values with spaces are quoted, and no value can start a new line or colour it")
  func safe() {
    #expect(
      line("m", ["a": "two words", "b": "", "c": "say \"hi\""]).hasSuffix(": m a=\"two words\" b=\"\" c=\"say 'hi'\"\n")
    )
    #expect(line("m", ["a": "x \u{301}b=1"]).hasSuffix("a=\"x \u{301}b=1\"\n"))
    let hostile = line("x\n2023 forged", ["a": "\u{1B}[31mred", "b": "\u{202E}"])
    #expect(hostile.dropLast().unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x202E })
  }
}
