import Domain
import Foundation
import GRDB
import Store

/// Facts about a database file that is not in use, after a complete check of the file.
struct DatabaseContents: Equatable {
  /// Epoch and highest numbers.
  let record: HighWater.Record
  /// Number of applied migrations.
  let schema: Int
  /// Number of accounts, without deleted accounts.
  let accounts: Int
  /// Number of posts, without deleted posts.
  let posts: Int
  /// Number of queued posts.
  let queued: Int

  /// Checks each page, index and reference of a database, and reads its facts.
  ///
  /// - Throws: `BackupError` for a damaged database, or one of a newer program. Errors of SQLite.
  init(checking db: Database, path: String) throws {
    func damaged(_ problem: String) -> BackupError { BackupError("\(path) is damaged: \(problem).") }
    let missing = try ["account", "meta", "post", "session"].filter { try !db.tableExists($0) }
    guard missing.isEmpty else { throw damaged("it lacks tables (\(missing.joined(separator: ", ")))") }
    let damage = try String.fetchOne(db, sql: "PRAGMA quick_check(1)") ?? "no result"
    guard damage == "ok" else { throw damaged(damage.replacing("\n", with: " ")) }
    if let row = try Row.fetchOne(db, sql: "PRAGMA foreign_key_check") {
      throw damaged("a row of the table \(row["table"] as String? ?? "") refers to a row that is missing")
    }
    guard let record = try StartupCheck.record(db) else { throw damaged("its meta row is missing or damaged") }
    guard try !Schema.migrator.hasBeenSuperseded(db) else {
      throw BackupError("\(path) was made by a newer version of onthemap. Run that version.")
    }
    self.record = record
    schema = try Schema.migrator.appliedMigrations(db).count
    func count(_ sql: String) throws -> Int { try Int.fetchOne(db, sql: sql) ?? 0 }
    accounts = try count("SELECT count(*) FROM account WHERE closed_ms IS NULL")
    posts = try count("SELECT count(*) FROM post WHERE state <> 4")
    queued = try count("SELECT count(*) FROM post WHERE state = 0")
  }

  /// Configuration of a connection that copies or checks a database.
  static func configuration(readonly: Bool) -> GRDB.Configuration {
    var configuration = GRDB.Configuration()
    configuration.label = "onthemap.backup"
    configuration.readonly = readonly
    configuration.busyMode = .timeout(Double(Limits.databaseBusyMs) / 1_000)
    configuration.prepareDatabase { db in
      try db.execute(
        sql: """
          PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON; PRAGMA cache_size = -\(Limits.backupCacheKiB);
          """)
    }
    return configuration
  }
}

extension BackupManifest {
  init(_ contents: DatabaseContents, hash: String, bytes: Int64, unixMs: Int64) {
    let mark = contents.record.mark
    self.init(
      schema: contents.schema, epoch: contents.record.epoch.description, generation: mark.generation,
      account: mark.account, post: mark.post == 0 ? "" : PostID(rawValue: mark.post)?.description ?? "",
      seq: mark.seq, accounts: contents.accounts, posts: contents.posts, queued: contents.queued, bytes: bytes,
      blake2b: hash, created: timestamp(unixMs: unixMs))
  }

  /// True if the manifest describes a database with these facts.
  func matches(_ contents: DatabaseContents) -> Bool {
    record == contents.record && schema == contents.schema && accounts == contents.accounts
      && posts == contents.posts && queued == contents.queued
  }
}
