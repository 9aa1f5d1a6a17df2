import Domain
import Foundation
import Store
import StoreTesting

@testable import SQLiteStore

/// A data folder, and beside it a folder for backups. Both are deleted with this object.
final class BackupFixture: Sendable {
  /// 2026-11-26T18:15:30Z, in milliseconds since 1970.
  static let unixMs: Int64 = 1_795_716_930_000

  let data = Folder()
  let backups = FileManager.default.temporaryDirectory.appending(path: "onthemap-backup-\(UUID().uuidString)").path

  init() throws { try FileManager.default.createDirectory(atPath: backups, withIntermediateDirectories: true) }

  deinit {
    let parent = URL(filePath: data.path).deletingLastPathComponent().path
    let name = URL(filePath: data.path).lastPathComponent
    for file in (try? FileManager.default.contentsOfDirectory(atPath: parent)) ?? [] where file.hasPrefix(name + ".") {
      try? FileManager.default.removeItem(atPath: parent + "/" + file)
    }
    try? FileManager.default.removeItem(atPath: backups)
  }

  /// Names in the folder for backups.
  var names: [String] {
    get throws { try FileManager.default.contentsOfDirectory(atPath: backups).sorted() }
  }

  func request(keep: Int? = nil) -> BackupRequest {
    BackupRequest(folder: backups, keep: keep, isSameDeviceAllowed: true)
  }

  /// Backs up an open database.
  ///
  /// - Parameter second: Seconds since `unixMs`.
  @discardableResult
  func backUp(_ database: SQLiteDatabase, second: Int64 = 0, keep: Int? = nil) throws -> String {
    try database.backUp(request(keep: keep), unixMs: BackupFixture.unixMs + second * 1_000).path
  }

  /// Makes a backup with two published posts, a queued post and a session. The database is closed on return.
  func made() async throws -> (file: String, account: AccountID, posts: [PostID]) {
    let database = try data.open()
    let account = try await database.addAccount()
    try await database.addSession(tokenHash: [1], account: account, unixMs: 1, expiresMs: .max)
    let posts = try await database.published(2, by: account) + [database.accepted(by: account).id]
    let file = try backUp(database)
    database.close()
    return (file, account, posts)
  }

  func write(_ text: String, to name: String) throws {
    try Data(text.utf8).write(to: URL(filePath: backups + "/" + name))
  }

  func read(_ path: String) throws -> Data { try Data(contentsOf: URL(filePath: path)) }

  /// Name of the only backup of `backUp` without a second.
  static let stem = "onthemap-20261126T181530Z"
}
