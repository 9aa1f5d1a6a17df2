import Glibc

/// Standard output, which is a terminal or a pipe.
struct WatchScreen {
  let isTerminal: Bool

  /// Examines standard output. A terminal must be able to place its cursor.
  init(environment: [String: String]) {
    isTerminal = isatty(STDOUT_FILENO) == 1 && environment["TERM"] ?? "dumb" != "dumb"
  }

  /// Size of the window. The default if it is unknown.
  var size: (rows: Int, columns: Int) {
    var size = winsize()
    guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_row > 0, size.ws_col > 0 else {
      return ToolLimits.windowDefault
    }
    return (Int(size.ws_row), Int(size.ws_col))
  }

  /// Prepares the terminal before the first drawing. Hides the cursor, which would jump. Disables line wrap, because a
  /// terminal may count more columns for a character than this program.
  func begin() { write("\u{1B}[?25l\u{1B}[?7l") }

  /// Restores the terminal after the last drawing. The cursor is below it, where the shell continues.
  func end() { write("\u{1B}[\(size.rows);1H\u{1B}[?7h\u{1B}[?25h\n") }

  /// True if the reader of the output has closed it, as after `| head`. The check needs no write, because the next
  /// write may be hours away.
  var hasNoReader: Bool {
    var output = pollfd(fd: STDOUT_FILENO, events: 0, revents: 0)
    return poll(&output, 1, 0) > 0 && Int32(output.revents) & (POLLERR | POLLHUP | POLLNVAL) != 0
  }

  /// Writes the complete text, and waits for a slow reader. Returns false if the reader has closed it.
  @discardableResult
  func write(_ text: String) -> Bool { writeAll(text, on: STDOUT_FILENO) }
}
