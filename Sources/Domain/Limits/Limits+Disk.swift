/// Limits of the disk.
extension Limits {
  /// Free bytes of the data folder's file system below which the disk counts as full, also without posts: 16
  /// pages of the database, about what the commit of one group of posts appends.
  package static let diskFullBytes: Int64 = 65_536
  /// Free bytes from which a full disk may have room again: 1 MiB, so that readiness does not change with each post.
  package static let diskRecoveredBytes: Int64 = 1_048_576
  /// Time between two checks of the disk, in milliseconds: the delay of readiness. A check is one system call or, at a
  /// full disk, a commit of one page.
  package static let diskCheckMs: Int64 = 1_000
  /// Timeout for the lock of another connection on the database, in milliseconds.
  package static let databaseBusyMs: Int64 = 5_000
  /// Quick reads that run at once, each on a connection of its own; further ones wait for one. Scans have others.
  package static let databaseReadersMax = 4
  /// Page cache of one connection to the database, in KiB. `MemoryTests` adds up those of all connections.
  package static let databaseCacheKiB = 16_384
  /// Pages of the log after which a commit copies them to the database: 16 MB, four times SQLite's default, so that
  /// commits wait for that copy less often. After a crash, a start reads at most about as much.
  package static let databaseCheckpointPages = 4_000
  /// Posts of a batch that one statement stores, which costs less than one statement each. SQLite prepares one for this
  /// number and one for a single post.
  package static let postsPerInsert = 16
  /// Pause of a job whose settlement the store has refused, in milliseconds: the disk is full, or has failed.
  package static let storeRetryPauseMs: Int64 = 5_000
  /// A database up to this size is read from end to end at each start, to see whether it is whole: all of 100,000
  /// queued posts, with which `bench --only memory` tells how long a start takes.
  package static let databaseCheckBytesMax = 67_108_864
  /// A clean stop rewrites a database up to this size if something was deleted: about a million posts, some seconds.
  /// The stop takes that much longer, and Docker waits for ten seconds only.
  package static let databaseCompactBytesMax = 268_435_456
  /// Commits whose times are kept, for their percentiles.
  package static let commitTimesKept = 512
}
