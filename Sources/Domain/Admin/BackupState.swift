/// An operator's request for a backup.
package struct BackupRequest: Sendable, Equatable {
  /// Absolute path of the folder for backups.
  package var folder: String
  /// Number of backups to keep in the folder, within `Limits.backupsKeptRange`. Nil keeps all.
  package var keep: Int?
  /// True if the folder may be on the device of the data folder.
  package var isSameDeviceAllowed: Bool

  package init(folder: String, keep: Int? = nil, isSameDeviceAllowed: Bool = false) {
    self.folder = folder
    self.keep = keep
    self.isSameDeviceAllowed = isSameDeviceAllowed
  }
}

/// A finished backup.
package struct BackupSummary: Sendable, Equatable {
  /// Path of the backup's file.
  package var path: String
  /// Size of the file, in bytes.
  package var bytes: Int64
  /// Number of posts in the backup, without deleted posts.
  package var posts: Int
  /// Number of older backups that were removed.
  package var removed: Int

  package init(path: String, bytes: Int64, posts: Int, removed: Int) {
    self.path = path
    self.bytes = bytes
    self.posts = posts
    self.removed = removed
  }
}

/// State of a backup that ingest makes.
package struct BackupState: Sendable, Equatable {
  /// Outcome of a backup, or none yet.
  package enum Outcome: Sendable, Equatable {
    case running
    case succeeded(BackupSummary)
    /// The backup failed. The text says why, and what to do.
    case failed(String)
  }

  /// Number of the backup since ingest's start, from 1.
  package var number: UInt64
  /// Start of the backup, in milliseconds since 1970, UTC.
  package var startedMs: Int64
  package var outcome: Outcome

  package init(number: UInt64, startedMs: Int64, outcome: Outcome) {
    self.number = number
    self.startedMs = startedMs
    self.outcome = outcome
  }
}

/// A backup or a restore that failed. The text says why, and what to do.
package struct BackupError: Error, Equatable, CustomStringConvertible {
  package let description: String

  package init(_ description: String) { self.description = description }
}
