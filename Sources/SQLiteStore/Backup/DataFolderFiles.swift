import Foundation
import Glibc

/// The names in ingest's data folder. A restore moves the whole folder away, so it refuses a folder with other files,
/// such as one with settings and keys.
enum DataFolderFiles {
  /// Files of ingest and of `backup`, with those that a killed process leaves.
  private static let own: Set<String> = [
    "onthemap.sqlite", "onthemap.sqlite-wal", "onthemap.sqlite-shm", "onthemap.sqlite-journal", "onthemap.sqlite.new",
    "onthemap.sqlite.new-journal", "onthemap.highwater", "onthemap.highwater.new", "onthemap.deletions",
    "onthemap.deletions.new", "onthemap.deletions.damaged", "onthemap.backup", "onthemap.backup.new", "onthemap.lock",
    "onthemap.moved", "onthemap.moved.new",
  ]
  /// Files that a repair creates beside the database (deploy/Restore.md, section Damaged files).
  private static let repaired: Set<String> = ["dump.sql", "new.sqlite", "new.sqlite-journal"]
  /// Folders of earlier restores to a mount point, before the time.
  private static let restored = ["before-restore-", "restoring-"]
  /// File of a feed's last list. A killed feed leaves one with a number.
  private static let snapshot = "feed.snapshot"
  /// Name of the feed's folder, with `onthemap up`.
  private static let feed = "feed"

  /// Returns the names in a folder that are not ingest's, sorted. A name in the feed's folder has that folder before
  /// it. Blocks for the disk.
  ///
  /// - Parameter isMountPoint: True if a restore keeps the folder, and replaces only ingest's files in it. Other files
  ///   are then allowed beside a database.
  static func others(in folder: String, isMountPoint: Bool) -> [String] {
    // The lock reports a folder that cannot be read.
    guard let names = try? FileManager.default.contentsOfDirectory(atPath: folder) else { return [] }
    let hasDatabase = names.contains("onthemap.sqlite") || names.contains("onthemap.highwater")
    if isMountPoint, hasDatabase { return [] }
    return names.flatMap { others($0, in: folder, hasDatabase: hasDatabase) }.sorted()
  }

  /// Returns an entry's name unless it is ingest's, or the other names in the feed's folder.
  private static func others(_ name: String, in folder: String, hasDatabase: Bool) -> [String] {
    let path = folder + "/" + name
    let type = PlainFile.status(path).map { $0.st_mode & S_IFMT }
    // A setting may give the admin socket and the sockets of the links other names in this folder.
    if type == S_IFSOCK { return [] }
    guard type == S_IFDIR else {
      let isOwn =
        own.contains(name) || [feed, "admin.sock"].contains(name) || isSnapshot(name)
        // Only a killed `doctor` leaves such a file.
        || name.hasPrefix(".onthemap-doctor-") || hasDatabase && repaired.contains(name)
      return isOwn ? [] : [name]
    }
    if name == "lost+found" || isRestored(name) { return [] }
    guard name == feed else { return [name] }
    let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
    return names.filter { !isSnapshot($0) }.map { "\(feed)/\($0)" }
  }

  private static func isSnapshot(_ name: String) -> Bool {
    guard name.hasPrefix(snapshot + ".") else { return name == snapshot }
    return Int(name.dropFirst(snapshot.count + 1)) != nil
  }

  private static func isRestored(_ name: String) -> Bool {
    restored.contains { prefix in
      guard name.hasPrefix(prefix) else { return false }
      let time = String(name.dropFirst(prefix.count))
      return BackupName(leading: "onthemap-" + time)?.time == time
    }
  }
}
