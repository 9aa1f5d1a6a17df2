import Domain
import Testing

@testable import Ingest

@Suite("Log lines of a full disk")
struct DiskFullLogTests {
  private var log = DiskFullLog()

  @Test("A full disk logs one line a minute with the refused writes, and one line when it has space again")
  mutating func full() {
    #expect(log.line(isFull: false, refused: 0, nowMs: 0) == nil)
    #expect(log.line(isFull: true, refused: 3, nowMs: 1_000) == .full(refused: 3))
    for second in 2..<61 { #expect(log.line(isFull: true, refused: 100, nowMs: Int64(second) * 1_000) == nil) }
    #expect(log.line(isFull: true, refused: 1, nowMs: 1_000 + Limits.logRepeatMs) == .full(refused: 5_901))
    #expect(log.line(isFull: true, refused: 2, nowMs: 62_000) == nil)
    #expect(log.line(isFull: false, refused: 4, nowMs: 63_000) == .recovered(refused: 6))
    #expect(log.line(isFull: false, refused: 0, nowMs: 64_000) == nil)
  }

  @Test("A disk that alternates between full and free does not flood the log")
  mutating func flapping() {
    var lines: [DiskFullLog.Line] = []
    for second in 0..<120 {
      lines += [log.line(isFull: second % 2 == 0, refused: 1, nowMs: Int64(second) * 1_000)].compactMap(\.self)
    }
    #expect(lines == [.full(refused: 1), .recovered(refused: 1), .full(refused: 59), .recovered(refused: 1)])
  }
}
