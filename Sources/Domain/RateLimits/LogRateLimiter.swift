/// Keeps what peers do from filling the log: a line about one subject once a minute, and few lines a second about all.
package struct LogRateLimiter: Sendable {
  private struct Subject {
    var atMs: Int64
    var suppressed: Int
  }

  private var subjects: [String: Subject] = [:]
  private var second = Int64.min
  private var linesInSecond = 0

  /// Nothing said yet.
  package init() {}

  /// Nil when the line is to be left out; otherwise how many about the same subject were left out since the last one.
  package mutating func admit(_ subject: String, nowMs: Int64) -> Int? {
    if let last = subjects[subject], nowMs - last.atMs < Limits.logRepeatMs {
      subjects[subject]?.suppressed += 1
      return nil
    }
    if second != nowMs / 1_000 { (second, linesInSecond) = (nowMs / 1_000, 0) }
    if subjects[subject] == nil, subjects.count >= Limits.logSubjectsMax {
      subjects = subjects.filter { nowMs - $0.value.atMs < Limits.logRepeatMs }
    }
    guard linesInSecond < Limits.logLinesPerSecondMax,
      subjects[subject] != nil || subjects.count < Limits.logSubjectsMax
    else { return nil }
    linesInSecond += 1
    defer { subjects[subject] = Subject(atMs: nowMs, suppressed: 0) }
    return subjects[subject]?.suppressed ?? 0
  }
}
