package import Domain
import Foundation
import GRDB
import Glibc
import Logging
import Store

/// Restore of a backup, while ingest does not run.
package struct Restore: Sendable {
  /// Outcome of a restore, or of its check.
  package struct Report: Sendable, Equatable {
    /// Path of the backup.
    package var backup: String
    /// Time of the backup, in milliseconds since 1970, UTC.
    package var createdMs: Int64
    package var accounts: Int
    package var posts: Int
    package var queued: Int
    /// Last post of the backup. Nil without posts.
    package var lastPost: PostID?
    /// Last post of the old folder, if it is known and later than the backup's.
    package var lastLostPost: PostID?
    /// New epoch.
    package var epoch = ""
    /// Number of posts that were deleted after the backup, and are deleted again.
    package var deletedPosts = 0
    /// Number of accounts that were deleted after the backup, and are deleted again.
    package var deletedAccounts = 0
    /// Deletions after the backup that the restore cannot repeat. Nil if there are none.
    package var unknownDeletions: UnknownDeletions?
    /// Number of sessions that the restore has ended.
    package var endedSessions = 0
    /// Path of the restored data folder. Nil for a check.
    package var folder: String?
    /// Path of the old data folder from now on. Nil if there was none.
    package var oldFolder: String?
  }

  /// Deletions that a restore cannot repeat.
  package enum UnknownDeletions: Sendable, Equatable {
    /// The old folder has no list of deletions.
    case missingList
    /// The list cannot be read, or is another file.
    case unreadableList
    /// The list is not complete before a time, in milliseconds since 1970, UTC. It begins there, or some records before
    /// it are damaged.
    case before(unixMs: Int64, damaged: Int)
  }

  private let backup: BackupFile

  /// Finds a backup, and reads its manifest.
  ///
  /// - Parameter path: Path of a backup's file, or of a folder, whose latest backup counts.
  /// - Throws: `BackupError` if there is no such backup, or if a newer program has made it.
  package init(_ path: String) throws(BackupError) { backup = try BackupFile(path) }

  /// Prepares the backup in a new folder beside it, with all checks, and removes that folder. Blocks for the disk.
  ///
  /// - Throws: `BackupError` if the backup cannot be restored.
  package func check(unixMs: Int64) async throws(BackupError) -> Report {
    let parent = BackupFolder(path: backup.folder)
    parent.removeLeftovers()
    let needed = backup.manifest.bytes + Limits.backupMarginBytes
    if let free = PlainFile.freeBytes(parent.path), free < needed {
      throw BackupError("\(parent.path) has \(free) bytes free, and the check needs \(needed). Free some space.")
    }
    let folder = parent.path((backup.name ?? BackupName(unixMs: unixMs)).check)
    guard mkdir(folder, 0o700) == 0, let lock = FolderLock(folder) else {
      throw BackupError(
        "cannot create \(folder): \(SystemError()). The check writes beside the backup: run as the folder's "
          + "owner, or copy the backup to another folder.")
    }
    defer { withExtendedLifetime(lock) { try? FileManager.default.removeItem(atPath: folder) } }
    return try await prepare(folder, old: nil, keepsSessions: false, deletions: [])
  }

  /// Restores the backup as a data folder, in place of the existing one, which gets another name. Durable on return.
  /// Blocks for the disk. A process that is killed leaves the old folder or the new one in place, and perhaps an
  /// unfinished folder, `….restoring-…` or `….before-restore-…`.
  ///
  /// - Parameter keepsSessions: True if the backup's sessions stay valid.
  /// - Throws: `BackupError`. The existing folder is then still in place.
  package func run(
    into dataFolder: String, keepsSessions: Bool, unixMs: Int64
  ) async throws(BackupError) -> Report {
    let target = try RestoreTarget(dataFolder, bytes: backup.manifest.bytes)
    let time = target.freeTime(unixMs: unixMs)
    let folder = target.newFolder(time)
    guard mkdir(folder, 0o700) == 0 else { throw BackupError("cannot create \(folder): \(SystemError()).") }
    var report: Report
    do throws(BackupError) {
      let (deletions, unknown) = Restore.deletions(in: target, sinceMs: backup.manifest.createdMs)
      report = try await prepare(
        folder, old: target.highWater?.mark, keepsSessions: keepsSessions, deletions: deletions?.records ?? [])
      report.unknownDeletions = unknown
      do {
        try target.keep(deletions == nil ? [] : [DeletionList.name], in: folder)
        try target.keep([BackupWriter.recordName], in: folder)
        try target.adopt(folder, files: Restore.files(in: folder))
      } catch { throw BackupError("cannot prepare \(folder): \(error).") }
      report.oldFolder = try target.replace(with: folder, time: time)
    } catch {
      try? FileManager.default.removeItem(atPath: folder)
      throw error
    }
    report.folder = target.path
    return report
  }

  /// Reads the list of deletions of the existing folder.
  private static func deletions(
    in target: RestoreTarget, sinceMs: Int64
  ) -> (list: DeletionListContents?, unknown: UnknownDeletions?) {
    let path = target.path + DeletionList.name
    do {
      let list = try DeletionListContents(path)
      let isComplete = list.beginMs <= sinceMs
      return (list, isComplete ? nil : .before(unixMs: list.beginMs, damaged: list.damaged))
    } catch {
      return (nil, PlainFile.status(path) == nil ? .missingList : .unreadableList)
    }
  }

  /// Copies the backup to a folder, checks the copy, and makes it a database that continues under a new epoch.
  private func prepare(
    _ folder: String, old: HighWater.Mark?, keepsSessions: Bool, deletions: [DeletionRecord]
  ) async throws(BackupError) -> Report {
    let database = folder + "/onthemap.sqlite"
    try backup.copy(to: database)
    let manifest = backup.manifest
    let lastPost = PostID(manifest.post)
    var report = Report(
      backup: backup.path, createdMs: manifest.createdMs, accounts: manifest.accounts, posts: manifest.posts,
      queued: manifest.queued, lastPost: lastPost,
      lastLostPost: old.flatMap { PostID(rawValue: $0.post) }.flatMap { $0 > lastPost ?? $0 ? $0 : nil })
    do {
      try checkContents(database)
      report.endedSessions = try rewrite(database, old: old, keepsSessions: keepsSessions)
      let store = try SQLiteDatabase(folder: folder, logger: Logger(label: "restore") { _ in SwiftLogNoOpLogHandler() })
      defer { store.close() }
      report.epoch = store.epoch.description
      for record in deletions { try await store.repeatDeletion(record, in: &report) }
    } catch let error as BackupError { throw error } catch {
      throw BackupError("cannot restore \(backup.path): \(error).")
    }
    // The store has copied its log to the database, unless the disk is full. The database is now a single file.
    guard PlainFile.status(database + "-wal")?.st_size ?? 0 == 0 else {
      throw BackupError("cannot complete \(database). Free some space, and restore again.")
    }
    for name in ["-wal", "-shm"] { unlink(database + name) }
    return report
  }

  /// Compares the copy with the manifest, after a complete check of the copy.
  private func checkContents(_ database: String) throws {
    let queue = try DatabaseQueue(path: database, configuration: DatabaseContents.configuration(readonly: true))
    let contents = try queue.read { db in try DatabaseContents(checking: db, path: backup.path) }
    try queue.close()
    guard backup.manifest.matches(contents) else {
      throw BackupError("\(backup.path) has other numbers than its manifest. Restore another backup.")
    }
  }

  /// Gives the database a new epoch and numbers that only rise, ends its sessions, and writes its high-water file.
  ///
  /// - Returns: the number of sessions that have ended.
  private func rewrite(_ database: String, old: HighWater.Mark?, keepsSessions: Bool) throws -> Int {
    let mark = backup.manifest.record?.mark ?? HighWater.Mark()
    let generation = max(mark.generation, old?.generation ?? 0) + Limits.restoreGenerationStep
    guard generation < Limits.generationMax else {
      throw BackupError(
        "the database would have \(generation) starts of ingest; the maximum is \(Limits.generationMax - 1).")
    }
    let queue = try DatabaseQueue(path: database, configuration: DatabaseContents.configuration(readonly: false))
    let (record, ended) = try queue.write { db in
      try db.execute(sql: "UPDATE meta SET epoch = randomblob(16), boot = ?", arguments: [generation])
      // The ids of lost accounts stay unused, so that an id in the audit log belongs to one account.
      if let account = old?.account {
        try db.execute(
          sql: """
            UPDATE sqlite_sequence SET seq = max(seq, :id) WHERE name = 'account';
            INSERT INTO sqlite_sequence (name, seq)
              SELECT 'account', :id WHERE NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = 'account');
            """, arguments: ["id": account])
      }
      // Links in mails that were used after the backup must not work again.
      try db.execute(sql: "DELETE FROM mail_token")
      var ended = 0
      if !keepsSessions {
        ended = try SecureDeletion.erase(in: db) {
          try db.execute(sql: "DELETE FROM session")
          return db.changesCount
        }
      }
      return (try StartupCheck.record(db), ended)
    }
    try queue.close()
    guard let record else { throw BackupError("\(backup.path) has no meta row. Restore another backup.") }
    _ = try HighWater(path: RestoreTarget.parent(of: database) + "/onthemap.highwater", record)
    return ended
  }

  private static func files(in folder: String) -> [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).map { "\(folder)/\($0)" }
  }
}

extension SQLiteDatabase {
  /// Deletes an account or a post again, as its owner has deleted it, unless it is deleted or unknown.
  fileprivate func repeatDeletion(_ record: DeletionRecord, in report: inout Restore.Report) async throws {
    guard try await !pool.read({ db in try record.isDone(db) }) else { return }
    switch record.deletion {
    case .post(let post):
      guard let account = try await self.post(post)?.account else { return }
      _ = try await delete(post, of: account, unixMs: record.unixMs)
      report.deletedPosts += 1
    case .account(let account):
      // If a power loss or a repair removed the newest accounts, a later person may have the id of a deleted account.
      let createdMs = try await self.account(account)?.createdMs ?? 0
      guard record.unixMs >= createdMs - Limits.deletionClockStepMs else { return }
      guard try await close(account, unixMs: record.unixMs) else { return }
      var after: PostID?
      repeat {
        after = try await erasePosts(of: account, after: after, unixMs: record.unixMs).next
      } while after != nil
      report.deletedAccounts += 1
    }
  }
}
