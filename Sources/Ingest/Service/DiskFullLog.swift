import Domain

/// Rate limiter for the log of a full disk. It allows one line a minute while the disk is full, and one line when the
/// disk has space again. A pure state machine: the caller checks the disk and supplies the time.
struct DiskFullLog: Sendable {
  /// A log line. `refused` counts the writes that did not fit since the previous line.
  enum Line: Equatable {
    case full(refused: Int)
    case recovered(refused: Int)
  }

  private var fullLineMs: Int64?
  /// True if the latest line reported a full disk.
  private var isFullReported = false
  private var refused = 0

  /// Records a check of the disk.
  ///
  /// - Parameter refused: The number of writes that did not fit since the previous check.
  /// - Returns: The line to write now. Nil if there is none.
  mutating func line(isFull: Bool, refused newlyRefused: Int, nowMs: Int64) -> Line? {
    refused += newlyRefused
    if isFull {
      if let fullLineMs, nowMs - fullLineMs < Limits.logRepeatMs { return nil }
      (fullLineMs, isFullReported) = (nowMs, true)
    } else {
      guard isFullReported else { return nil }
      isFullReported = false
    }
    defer { refused = 0 }
    return isFull ? .full(refused: refused) : .recovered(refused: refused)
  }
}
