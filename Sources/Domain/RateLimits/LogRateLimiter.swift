/// Rate limiter for log lines about peers: one line per minute about each subject, and ten per second in total.
package struct LogRateLimiter: Sendable {
  private struct Subject {
    var atMs: Int64
    var suppressed: Int
  }

  private var subjects: [String: Subject] = [:]
  private var second = Int64.min
  private var linesInSecond = 0

  /// Creates a limiter that has not admitted any line.
  package init() {}

  /// Admits or suppresses a line.
  ///
  /// - Returns: the number of lines about the subject that were suppressed since its last line. Nil if the caller must
  ///   suppress this line too.
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
