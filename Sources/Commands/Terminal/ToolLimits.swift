import Domain

/// Limits of the commands for people: ranges of their options, timeouts, intervals of displays, and sizes of buffers.
enum ToolLimits {
  /// Range of `--concurrency`, in lookups. A worker holds twice as many jobs, up to the maximum window.
  static let concurrencyRange = 1...Limits.windowMax / 2
  /// Range of `up --workers`. Each worker has its own thread, and few machines have more cores.
  static let workersRange = 1...64
  /// Range of `--limit`, in rows of a list. A single reply of the admin socket has all of them.
  static let listRowsRange = 1...min(Limits.adminPostsMax, Limits.adminUsersMax)
  /// Default of `--limit`, in rows: a few screens.
  static let listRowsDefault = 100
  /// Default of `--connect-timeout` of `conformance`, in seconds: people start the program by hand.
  static let conformanceConnectTimeoutSeconds = 30

  /// Timeout for ingest's reply on the admin socket.
  static let adminReplyTimeout = Duration.seconds(5)
  /// Time for retries of a post: as long as a restart of ingest takes.
  static let postResend = Duration.seconds(5)
  /// Random pause between two attempts to send a post, in milliseconds.
  static let postResendMs = 250...750
  /// Timeout of `post --wait`, in seconds.
  static let postWaitSeconds = 10
  /// Maximum bytes per read of a key file or of a child's output. The longest usual key file and a full Linux pipe fit.
  static let readBytes = 65_536
  /// Maximum bytes of a problem's code in a message to people.
  static let problemCodeBytesMax = 64
  /// Maximum bytes of a problem's detail in a message to people: a sentence or two.
  static let problemDetailBytesMax = 512

  /// Time for a child process to end after SIGTERM, before SIGKILL. A program that says goodbye waits half a second for
  /// the reply.
  static let childGracePeriod = Duration.seconds(3)
  /// Interval between two checks of a child's output and end. It is the tick of the run that judges the child.
  static let childPoll = Duration.milliseconds(Limits.runTickMs)

  /// Interval between two requests of `top`. Rates and ages have a resolution of a second.
  static let topInterval = Duration.seconds(1)
  /// Interval between two updates of `watch`. Ages have a resolution of a second.
  static let watchTick = Duration.seconds(1)
  /// Minimum interval between two drawings of `watch`. People see no more than ten a second.
  static let watchFrame = Duration.milliseconds(100)
  /// Time without a list, after which `watch` reports once that it waits for the feed.
  static let watchSilence = Duration.seconds(3)
  /// Maximum number of events of the feed in the queue to the display. Each holds a list of 100 posts, about 30 KB if
  /// they share no memory.
  static let pendingEventsMax = 64
  /// Time for which a new row is highlighted, in milliseconds. A person who looks away for a moment still sees it.
  static let highlightMs: Int64 = 5_000
  /// Maximum number of unread keys. A person presses fewer during a drawing.
  static let keysMax = 16
  /// Rows and columns of a window whose size the terminal does not report: those of a VT100.
  static let windowDefault = (rows: 24, columns: 80)
  /// Width of a progress bar, in characters.
  static let barCells = 30
  /// Minimum interval between two drawings of a progress line.
  static let progressInterval = Duration.milliseconds(100)

  /// Maximum bytes of a row of a table of places, or of a line of JSON. A hundred queries with all options fit, so
  /// there is space for columns that the reader ignores.
  static let tableRecordBytesMax = 65_536
  /// Bytes of a table that are read and geocoded together: thousands of rows, so that the handover costs nothing.
  static let tableChunkBytes = 262_144
}
