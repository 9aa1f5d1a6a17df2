/// Limits of the disk.
extension Limits {
  /// Free bytes of the data folder's file system below which the disk counts as full, even without posts. This is 16
  /// pages of the database, about as much as the commit of one group of posts appends.
  package static let diskFullBytes: Int64 = 65_536
  /// Free bytes from which a full disk may recover: 1 MiB, so that readiness does not change with each post.
  package static let diskRecoveredBytes: Int64 = 1_048_576
  /// Interval between two checks of the disk, in milliseconds. Readiness follows the disk within this time. A check is
  /// one system call, or a commit of one page while the disk is full.
  package static let diskCheckMs: Int64 = 1_000
  /// Timeout for a lock on the database that another connection has, in milliseconds.
  package static let databaseBusyMs: Int64 = 5_000
  /// Maximum number of parallel quick reads. Each has its own connection, and further reads wait for a connection.
  /// Scans have other connections.
  package static let databaseReadersMax = 4
  /// Page cache of one connection to the database, in KiB. `MemoryTests` adds up the caches of all connections.
  package static let databaseCacheKiB = 16_384
  /// Length of the write-ahead log from which a commit copies it to the database, in pages: 16 MB. SQLite's default is
  /// a quarter of this length, and makes commits wait for the copy more often. After a crash, a start reads at most
  /// about 16 MB of the WAL.
  package static let databaseCheckpointPages = 4_000
  /// Number of posts that one statement inserts, which costs less than one statement per post. The store prepares one
  /// statement for this number, and one for a single post.
  package static let postsPerInsert = 16
  /// Pause of a job whose settlement the store has refused, in milliseconds. The disk is full or has failed.
  package static let storeRetryPauseMs: Int64 = 5_000
  /// Size of the largest database that each start checks completely, in bytes. Such a database holds 100,000 queued
  /// posts. `bench --only memory` measures a start with this number.
  package static let databaseCheckBytesMax = 67_108_864
  /// Size of the largest database that a graceful shutdown rewrites after deletions, in bytes: about a million posts.
  /// The rewrite takes a few seconds, and Docker waits only ten seconds for the stop.
  package static let databaseCompactBytesMax = 268_435_456
  /// Number of commits whose durations are kept for percentiles.
  package static let commitTimesKept = 512
}
