import Domain

/// Limits of the commands that people run: ranges of their options, timeouts, intervals of a display, and bounds of
/// what it keeps.
enum ToolLimits {
  /// Range of `--concurrency`, in lookups: a worker holds twice as many jobs, and ingest gives it a window at most.
  static let concurrencyRange = 1...Limits.windowMax / 2
  /// Range of `up --workers`: each has a thread of its own, and few machines have more cores.
  static let workersRange = 1...64
  /// Range of `--limit`, in rows of a list: those of one answer of the admin socket, of posts as of accounts.
  static let listRowsRange = 1...min(Limits.adminPostsMax, Limits.adminUsersMax)
  /// Rows of a list without `--limit`: a few screens.
  static let listRowsDefault = 100
  /// Seconds that `conform` waits for the program where `--wait` does not say: people start it by hand.
  static let conformanceWaitSeconds = 30

  /// Timeout of ingest's answer on the admin socket.
  static let adminReplyTimeout = Duration.seconds(5)
  /// Time for which a post is sent again: as long as a restart of ingest takes.
  static let postResend = Duration.seconds(5)
  /// Random pause between two of these tries, in milliseconds.
  static let postResendMs = 250...750
  /// Seconds that `post --wait` waits for the place.
  static let postWaitSeconds = 10
  /// Bytes that one read of a file of keys, or of a child's output, asks for: the longest usual file comes at once, and
  /// so does all that a pipe of Linux holds.
  static let readBytes = 65_536
  /// Code of a problem that is shown to people.
  static let problemCodeBytesMax = 64
  /// Detail of a problem that is shown to people: a sentence or two.
  static let problemDetailBytesMax = 512

  /// Time that a child process has to end after SIGTERM; then SIGKILL ends it. A program that says goodbye waits half a
  /// second for the answer.
  static let childGracePeriod = Duration.seconds(3)
  /// Interval between two looks whether a child process has printed something, or has ended: the tick of the run that
  /// judges it.
  static let childPoll = Duration.milliseconds(Limits.runTickMs)

  /// Interval between two questions of `top`: rates and ages are in seconds.
  static let topInterval = Duration.seconds(1)
  /// Interval between two looks of `watch` at the clock: ages are in seconds.
  static let watchTick = Duration.seconds(1)
  /// Shortest time between two drawings of `watch`: ten a second are as many as people see.
  static let watchFrame = Duration.milliseconds(100)
  /// Time without a list, after which `watch` says once that there is no feed.
  static let watchSilence = Duration.seconds(3)
  /// News from the feed that wait to be shown; each holds a list of 100 posts, about 30 KB where nothing is shared.
  static let pendingEventsMax = 64
  /// Time for which a new row stands out, in milliseconds: somebody who looks away for a moment still sees it.
  static let highlightMs: Int64 = 5_000
  /// Keys that wait to be read: nobody presses more within one drawing.
  static let keysMax = 16
  /// Rows and columns of a window whose size the terminal does not tell: those of a VT100.
  static let windowDefault = (rows: 24, columns: 80)
  /// Characters of a progress bar.
  static let barCells = 30
  /// Shortest time between two drawings of a progress line.
  static let progressInterval = Duration.milliseconds(100)

  /// Size of a row of a table of places, or of a line of JSON: a query with all its options fits a hundred times, and
  /// columns that are not read should fit too.
  static let tableRecordBytesMax = 65_536
  /// Bytes of a table that are read and looked up together: thousands of rows, so that handing them over costs nothing.
  static let tableChunkBytes = 262_144
}
