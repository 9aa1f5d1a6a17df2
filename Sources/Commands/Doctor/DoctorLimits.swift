import Domain

/// Limits of `doctor`: timeouts of its checks, and the figures from which it warns.
enum DoctorLimits {
  /// Timeout of the checks of the disk. A healthy disk needs well below a second, a lost network file system hangs.
  static let diskTimeout = Duration.seconds(20)
  /// Timeout of the inspection of a PostgreSQL database. Eight silent hosts and a silent leader take half of it.
  static let storeTimeout = Duration.seconds(60)
  /// Timeout of a name lookup and of a TCP connection.
  static let connectTimeout = Duration.seconds(5)
  /// Timeout of a ZeroMQ listener's greeting, which follows the connection immediately.
  static let greetingTimeout = Duration.seconds(5)
  /// Timeout of the response to an HTTP request at an address that sends no greeting. With eight addresses of ingest
  /// and eight of feeds, all checks end within two minutes.
  static let responseTimeout = Duration.seconds(2)
  /// Timeout of a handshake over ZeroMQ and the first message. A refusal takes two round trips, and a feed sends a
  /// heartbeat each second.
  static let handshakeTimeout = Duration.seconds(5)
  /// Timeout of an HTTP request or a TLS handshake, in milliseconds.
  static let requestMs = 5_000
  /// Maximum size of a response body that a check reads, in bytes. The longest metrics of a service fit.
  static let bodyBytesMax = 1_048_576
  /// Timeout of the request that returns through the public URL.
  static let forwardedTimeout = Duration.seconds(6)
  /// Maximum size of the head of a request that returns through the public URL, in bytes.
  static let forwardedHeadBytesMax = 16_384

  /// Number of measured syncs. Their median ignores a few slow ones.
  static let syncSamples = 15
  /// Number of bytes before each measured sync: one page of SQLite.
  static let syncBytes = 4_096
  /// Median of a sync below which a disk is suspect, in microseconds. A flash drive without a power-protected cache
  /// needs several times as long.
  static let syncSuspectUs = 30.0
  /// Median of a sync from which posts are slow, in microseconds: the threshold of the alert `OnTheMapSlowDisk`.
  static let syncSlowUs = 100_000.0
  /// Share of the disk that must be free, as a divisor: the threshold of the alert `OnTheMapDiskLow`.
  static let freeShare: Int64 = 10
  /// Free inodes below which the next file may fail. Ingest and SQLite create about ten files.
  static let inodesMin: UInt64 = 64

  /// Versions from which the libraries have all functions that the program calls. SQLite has strict tables since 3.37.
  static let sqliteMin = "3.37.0"
  /// First version of SQLite without the fault that damages the write-ahead log of two processes.
  static let sqliteTwoProcesses = "3.51.3"
  /// Version of libzmq for which the program's guard against an assertion is written.
  static let zeroMQMin = "4.3.4"
  /// Version of libsodium from which the functions that the program calls are stable.
  static let sodiumMin = "1.0.18"
  /// Duration of one password hash from which logins are slow, in milliseconds. It is usually 40 to 70.
  static let hashSlowMs = 1_000.0

  /// Number of descriptors of a process besides its clients and peers. They are files, event queues and libzmq's pipes.
  static let descriptorsOwn: UInt64 = 192
  /// Number of threads and processes that a service may start: `TasksMax=` of the units.
  static let tasksNeeded: UInt64 = 256
  /// Number of threads and processes below which a service does not start reliably.
  static let tasksMin: UInt64 = 64
  /// Largest file that ingest must be able to write, in bytes. A database of 1 TiB has about a billion posts.
  static let fileBytesMin: UInt64 = 1_099_511_627_776

  /// Memory of the program without load, in bytes.
  static let programBytes: Int64 = 100_000_000
  /// Memory of an HTTP connection with the longest headers and body, in bytes.
  static let connectionBytes: Int64 = 70_000
  /// Memory of a full queue with the longest places and links, in bytes.
  static let queueBytes: Int64 = 300_000_000
  /// Memory of the changes that ingest keeps for feeds, with the longest texts, in bytes.
  static let changesBytes: Int64 = 30_000_000
  /// Memory of producers' requests, if all have the largest size, in bytes.
  static let requestsBytes: Int64 = 180_000_000
  /// Memory of the posts that a gateway holds, with the longest places and links, in bytes.
  static let heldPostsBytes: Int64 = 26_000_000
  /// Number of connections to the database, each with a page cache.
  static let databaseConnections = 9

  /// Difference of two hosts' clocks from which a check warns, in milliseconds. The time in HTTP has whole seconds.
  static let clockOffsetMs: Int64 = 2_000
  /// Error of a synchronized clock from which a check warns, in microseconds.
  static let clockErrorUs = 1_000_000
  /// Remaining validity of a certificate below which a check warns, in days. Automatic renewals come earlier.
  static let certificateDays: Int64 = 14
}
