import Foundation
import GRDB
import InMemoryLogging
import Logging
import Store
import StoreTesting
import Testing

@testable import Domain
@testable import SQLiteStore

@Suite("Secure deletion")
struct SecureDeletionTests {
  private let folder = Folder()

  /// Counts the occurrences of a word in the bytes of all files.
  private func count(_ word: String) throws -> Int {
    try FileManager.default.contentsOfDirectory(atPath: folder.path).reduce(0) { count, name in
      let bytes = try Data(contentsOf: URL(filePath: folder.path).appending(path: name))
      return count + String(decoding: bytes, as: UTF8.self).components(separatedBy: word).count - 1
    }
  }

  private func number(_ sql: String) throws -> Int? {
    try folder.outside().read { db in try Int.fetchOne(db, sql: sql) }
  }

  /// Adds posts with the word in place and link, alternating with posts of another account. Publishes them some commits
  /// later, so that rows grow and pages split.
  private func post(
    _ count: Int, _ word: String, by account: AccountID, and other: AccountID, in database: SQLiteDatabase
  ) async throws {
    for start in stride(from: 0, to: count, by: 100) {
      var ids: [PostID] = []
      for number in start..<min(start + 100, count) {
        let length = number * 37 % 1_500
        let link = "example.org/\(word)/\(String(repeating: "x", count: length))"
        for (account, link) in [(account, link), (other, "example.org/kept")] {
          let submission = try Submission(place: "\(word) \(number)", link: link, latitude: nil, longitude: nil)
          ids.append(try await database.accepted(submission, by: account).id)
        }
      }
      let label = word + String(repeating: "y", count: start % 150)
      try await database.settled(ids.map { ($0, .verdict(.at(1, label: label))) })
    }
  }

  @Test("A graceful shutdown leaves no byte of deleted accounts and posts in the files")
  func account() async throws {
    let database = try folder.open()
    var names: [AccountID] = []
    for index in 0..<80 { names.append(try await database.addAccount("zebulon\(index)")) }
    let kept = try await database.addAccount("keptperson")
    try await post(300, "zebplace", by: names[40], and: kept, in: database)
    let own = try await database.posts(of: kept, after: nil, limit: 1_000).posts
    for post in own { _ = try await database.deleted(post.id, of: kept) }
    let last = try await database.accepted("keptplace", by: kept).id
    for account in names {
      #expect(try await database.close(account, unixMs: 1))
      var next: PostID?
      repeat { next = try await database.erasePosts(of: account, after: next, unixMs: 9).next } while next != nil
    }
    #expect(try number("PRAGMA user_version") == 0)
    database.close()
    for word in ["zebulon", "zebplace"] { #expect(try count(word) == 0, "\(word)") }
    #expect(try count("keptperson") > 0 && count("keptplace") == 1)
    #expect(try number("PRAGMA user_version") == 1)
    let again = try folder.open()
    #expect(try await again.post(last)?.place == "keptplace")
    try again.expectSound()
  }

  @Test("A deletion overwrites its rows in the file at the next checkpoint")
  func row() async throws {
    let database = try folder.open()
    let account = try await database.addAccount("zebulon")
    let id = try await database.accepted("zebplace", by: account).id
    try await database.pool.writeWithoutTransaction { db in _ = try db.checkpoint(.truncate) }
    #expect(try count("zebulon") > 0 && count("zebplace") > 0)
    _ = try await database.deleted(id, of: account)
    #expect(try await database.close(account, unixMs: 1))
    _ = try await database.erasePosts(of: account, after: nil, unixMs: 9)
    try await database.pool.writeWithoutTransaction { db in _ = try db.checkpoint(.truncate) }
    #expect(try count("zebulon") == 0 && count("zebplace") == 0)
  }

  @Test("The command that the log advises for a large database compacts it")
  func advice() throws {
    try folder.open().close()
    let file = try folder.outside(readonly: false)
    let log = InMemoryLogHandler()
    func advices() -> [String] { log.entries.map { $0.metadata["advice"].map { "\($0)" } ?? "" } }
    func remove() {
      file.writeWithoutTransaction { db in
        SecureDeletion.compact(from: db, path: folder.database, logger: Logger(label: "test") { _ in log }, bytesMax: 0)
      }
    }
    try file.writeWithoutTransaction { db in try db.execute(sql: "PRAGMA user_version = 0") }
    remove()
    let advice = try #require(advices().first)
    let command = try #require(
      advice.firstMatch(
        of: #/^while ingest is stopped, run SQLITE_TMPDIR='(.+)' sqlite3 '(.+)' "(VACUUM[^"]*)"$/#))
    #expect(String(command.2) == folder.database && folder.database.hasPrefix("\(command.1)/"))
    try file.writeWithoutTransaction { db in try db.execute(sql: String(command.3)) }
    remove()
    #expect(advices() == [advice])
  }

  @Test("A graceful shutdown compacts only after deletions, and only up to the size limit")
  func rewriting() async throws {
    let database = try folder.open()
    let account = try await database.addAccount()
    let id = try await database.published(1, by: account)[0]
    #expect(try number("PRAGMA user_version") == 1)
    _ = try await database.deleted(id, of: account)
    let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    func remove(bytesMax: Int) async throws -> Int? {
      try await database.pool.writeWithoutTransaction { [path = database.path] db in
        SecureDeletion.compact(from: db, path: path, logger: logger, bytesMax: bytesMax)
        return try Int.fetchOne(db, sql: "PRAGMA user_version")
      }
    }
    let size = try #require(try number("SELECT page_count * page_size FROM pragma_page_count(), pragma_page_size()"))
    #expect(try await remove(bytesMax: size - 1) == 0)
    #expect(try await remove(bytesMax: size) == 1)
    #expect(try await database.write { db in try Int.fetchOne(db, sql: "PRAGMA secure_delete") } == 2)
  }
}
