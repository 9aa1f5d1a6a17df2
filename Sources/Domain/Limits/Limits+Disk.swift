/// Limits of the disk.
extension Limits {
  /// Free bytes of the data folder's file system below which the disk counts as full, even without posts. They are 16
  /// pages of the database, about what the commit of one group of posts appends.
  package static let diskFullBytes: Int64 = 65_536
  /// Free bytes from which a full disk may recover: 1 MiB, so that readiness does not change with each post.
  package static let diskRecoveredBytes: Int64 = 1_048_576
  /// Interval between two checks of the disk, in milliseconds. Readiness changes at most this late. A check is one
  /// system call, or a commit of one page while the disk is full.
  package static let diskCheckMs: Int64 = 1_000
  /// Timeout for another connection's lock on the database, in milliseconds.
  package static let databaseBusyMs: Int64 = 5_000
  /// Maximum number of parallel quick reads, each on a connection of its own. Further reads wait for a connection.
  /// Scans have other connections.
  package static let databaseReadersMax = 4
  /// Page cache of one connection to the database, in KiB. `MemoryTests` adds up the caches of all connections.
  package static let databaseCacheKiB = 16_384
  /// Length of the write-ahead log, in pages, from which a commit copies it to the database: 16 MB. SQLite's default is
  /// a quarter. With the greater length commits wait for that copy less often. After a crash, a start reads at most
  /// about as much.
  package static let databaseCheckpointPages = 4_000
  /// Number of posts of a batch that one statement stores, which costs less than one statement each. SQLite prepares
  /// one statement for this number, and one for a single post.
  package static let postsPerInsert = 16
  /// Pause of a job whose settlement the store has refused, in milliseconds. The disk is full, or has failed.
  package static let storeRetryPauseMs: Int64 = 5_000
  /// Largest database, in bytes, whose integrity each start checks from end to end. Such a database holds 100,000
  /// queued posts, with which `bench --only memory` measures the duration of a start.
  package static let databaseCheckBytesMax = 67_108_864
  /// Largest database, in bytes, that a clean stop rewrites after deletions: about a million posts, some seconds. The
  /// stop takes that much longer, and Docker waits only ten seconds.
  package static let databaseCompactBytesMax = 268_435_456
  /// Number of commits whose durations are kept for percentiles.
  package static let commitTimesKept = 512
}
