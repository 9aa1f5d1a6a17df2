import Glibc

/// A line on standard error that is redrawn in place. It draws nothing if standard error is not a terminal.
struct ProgressLine: Sendable {
  /// True if standard error is a terminal.
  let isShown = isatty(STDERR_FILENO) == 1

  /// Writes the line over the previous one.
  func draw(_ line: @autoclosure () -> String) {
    if isShown { writeAll("\r\u{1B}[K" + line(), on: STDERR_FILENO) }
  }

  /// Erases the line.
  func clear() { draw("") }

  /// Returns a bar filled up to a share of 0 to 1, and the share in percent.
  static func bar(_ share: Double) -> String {
    let full = Int(share * Double(ToolLimits.barCells))
    return String(repeating: "█", count: full) + String(repeating: "░", count: ToolLimits.barCells - full)
      + "  \(Int(share * 100)) %"
  }
}
