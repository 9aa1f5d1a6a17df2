import Glibc

/// Standard output: a terminal, or a pipe.
struct WatchScreen {
  let isTerminal: Bool

  /// A terminal that can place its cursor.
  init(environment: [String: String]) {
    isTerminal = isatty(STDOUT_FILENO) == 1 && environment["TERM"] ?? "dumb" != "dumb"
  }

  /// The window's size; what terminals began with where it is unknown.
  var size: (rows: Int, columns: Int) {
    var size = winsize()
    guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_row > 0, size.ws_col > 0 else {
      return ToolLimits.windowDefault
    }
    return (Int(size.ws_row), Int(size.ws_col))
  }

  /// Before the first drawing: no cursor, which would jump about, and no line that goes on in the next one, should a
  /// terminal take a character for wider than it is here.
  func begin() { write("\u{1B}[?25l\u{1B}[?7l") }

  /// After the last drawing: the cursor below it, where the shell goes on.
  func end() { write("\u{1B}[\(size.rows);1H\u{1B}[?7h\u{1B}[?25h\n") }

  /// True if the reader of the output has gone, as after `| head`. Needs no write: the next may be hours away.
  var hasNoReader: Bool {
    var output = pollfd(fd: STDOUT_FILENO, events: 0, revents: 0)
    return poll(&output, 1, 0) > 0 && Int32(output.revents) & (POLLERR | POLLHUP | POLLNVAL) != 0
  }

  /// Writes all of it, waiting where the reader is slow. False when nobody reads any more.
  @discardableResult
  func write(_ text: String) -> Bool { writeAll(text, on: STDOUT_FILENO) }
}
