import Domain

/// Name of a backup: `onthemap-20261126T181530Z`. Names sort by time, which is UTC in whole seconds.
struct BackupName: Sendable, Hashable, Comparable {
  /// The name without an extension.
  let stem: String

  /// Time in the name, such as `20261126T181530Z`.
  var time: String { String(stem.dropFirst(BackupName.prefix.count)) }
  /// Name of the database's copy.
  var file: String { stem + ".sqlite" }
  /// Name of the manifest.
  var manifest: String { stem + ".json" }
  /// Name of the copy before it is complete.
  var part: String { file + ".part" }
  /// Name of the folder in which `restore --check` prepares the backup.
  var check: String { stem + ".check" }
  /// Names of files that a backup leaves behind if its process is killed.
  var leftovers: [String] { [part, part + "-journal", part + "-wal", part + "-shm", manifest + ".new"] }

  /// - Parameter unixMs: Time of the backup, in milliseconds since 1970, UTC.
  init(unixMs: Int64) {
    let time = timestamp(unixMs: unixMs).prefix { $0 != "." }.filter { $0 != "-" && $0 != ":" }
    stem = BackupName.prefix + time + "Z"
  }

  /// Parses the name of a file or folder whose name begins with a backup's name. Nil for any other name.
  init?(leading name: String) {
    let stem = String(name.prefix(BackupName.prefix.count + 16))
    let time = Array(stem.dropFirst(BackupName.prefix.count).utf8)
    guard stem.hasPrefix(BackupName.prefix), time.count == 16, time[8] == UInt8(ascii: "T"),
      time[15] == UInt8(ascii: "Z"),
      (Array(time[..<8]) + time[9..<15]).allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
    else { return nil }
    self.stem = stem
  }

  static func < (a: BackupName, b: BackupName) -> Bool { a.stem < b.stem }

  private static let prefix = "onthemap-"
}
