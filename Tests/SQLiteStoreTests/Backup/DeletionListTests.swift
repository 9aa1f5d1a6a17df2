import Domain
import Foundation
import GRDB
import Glibc
import InMemoryLogging
import Logging
import Store
import StoreTesting
import Testing

@testable import SQLiteStore

@Suite("List of deletions")
struct DeletionListTests {
  private let folder = Folder()
  private var path: String { folder.path + DeletionList.name }

  private func deletions() throws -> [DeletionRecord.Deletion] {
    try DeletionListContents(path).records.map(\.deletion)
  }

  private func bytes() throws -> [UInt8] { try PlainFile.read(path, bytesMax: 1 << 20) }

  private func write(_ bytes: [UInt8]) throws { try Data(bytes).write(to: URL(filePath: path)) }

  @Test("Deleted posts and closed accounts are on the list when their deletion is durable")
  func recorded() async throws {
    let database = try folder.open()
    let (ada, bob) = (try await database.addAccount(), try await database.addAccount("bob"))
    let posts = try await database.published(3, by: ada)
    #expect(try deletions().isEmpty)
    _ = try await database.deleted(posts[1], of: ada)
    #expect(try deletions() == [.post(posts[1])])
    // A deletion of another's post, of a deleted post or of a closed account changes nothing.
    _ = try await database.deleted(posts[0], of: bob)
    _ = try await database.deleted(posts[1], of: ada)
    #expect(try await database.close(bob, unixMs: 5))
    #expect(try await !database.close(bob, unixMs: 6))
    #expect(try deletions() == [.post(posts[1]), .account(bob)])
    #expect(try DeletionListContents(path).records.map(\.unixMs) == [1_700_000_002_000, 5])
    let attributes = try FileManager.default.attributesOfItem(atPath: path)
    #expect(attributes[.posixPermissions] as? Int == 0o600)
  }

  @Test("Deletions of one group are on the list together, and survive a restart")
  func group() async throws {
    var database: SQLiteDatabase? = try folder.open()
    let ada = try await #require(database).addAccount()
    let posts = try await #require(database).published(4, by: ada)
    do {
      let store = try #require(database)
      let gate = await Gate(store)
      let (ends, ended) = AsyncStream.makeStream(of: Void.self)
      for post in posts.prefix(2) {
        store.submit(.delete(post, account: ada, unixMs: 1), completion: CommitCompletion { _ in ended.yield() })
      }
      gate.open()
      for await _ in ends.prefix(2) {}
      #expect(try deletions() == [.post(posts[0]), .post(posts[1])])
      #expect(try DeletionListContents(path).records.map(\.isFirst) == [true, false])
      store.close()
    }
    database = nil
    let restarted = try folder.open()
    _ = try await restarted.deleted(posts[3], of: ada)
    #expect(try deletions().last == .post(posts[3]) && deletions().count == 3)
  }

  @Test("A deletion that is rolled back is not on the list")
  func rolledBack() async throws {
    let database = try folder.open()
    let ada = try await database.addAccount()
    let posts = try await database.published(2, by: ada)
    let engine = database.committer.engine
    await #expect(throws: (any Error).self) {
      try await database.write { db in
        _ = try engine.delete(posts[0], ada, 1, db)
        try engine.deletions.flush()
        throw StoreError.noAccount
      }
    }
    #expect(try deletions().isEmpty)
    _ = try await database.deleted(posts[1], of: ada)
    #expect(try deletions() == [.post(posts[1])])
  }

  @Test("A start removes a last group whose commit failed, and keeps one whose commit is durable")
  func unconfirmed() async throws {
    var database: SQLiteDatabase? = try folder.open()
    let ada = try await #require(database).addAccount()
    let posts = try await #require(database).published(4, by: ada)
    _ = try await #require(database).deleted(posts[0], of: ada)
    database?.close()
    database = nil
    let durable = try bytes()
    // A kill between the list's sync and the commit leaves these records.
    let group =
      [DeletionRecord(.post(posts[1]), unixMs: 9, isFirst: true)]
      + [DeletionRecord(.post(posts[2]), unixMs: 9, isFirst: false)]
    try write(durable + group.flatMap(\.bytes))
    _ = try folder.open()
    #expect(try bytes() == durable)
    // A power loss leaves an incomplete or damaged record.
    try write(durable + group[0].bytes.prefix(17))
    _ = try folder.open()
    #expect(try bytes() == durable)
    try write(durable + group[0].bytes + Array(repeating: 0, count: DeletionRecord.length))
    _ = try folder.open()
    #expect(try bytes() == durable)
    // An unknown post belongs to a restored database, and stays.
    let unknown = DeletionRecord(.post(try #require(PostID("zzzzzzzzzz"))), unixMs: 9, isFirst: true)
    try write(durable + unknown.bytes)
    _ = try folder.open()
    #expect(try bytes() == durable + unknown.bytes)
  }

  @Test("The last group is found over any number of records", arguments: [1, 2, 999, 1_000, 1_001, 2_500])
  func longGroup(count: Int) async throws {
    _ = try folder.open()
    let header = try bytes()
    let unknown = try #require(PostID("zzzzzzzzzz"))
    let group = (0..<count).map { DeletionRecord(.post(unknown), unixMs: 9, isFirst: $0 == 0) }
    let before = DeletionRecord(.account(AccountID(rawValue: 404)), unixMs: 9, isFirst: true)
    try write(header + before.bytes + group.flatMap(\.bytes))
    _ = try folder.open()
    #expect(try deletions().count == count + 1)
    // The list ends before a damaged record.
    var damaged = try bytes()
    damaged[damaged.count - 1] ^= 1
    try write(damaged)
    _ = try folder.open()
    #expect(try deletions().count == count && bytes().count == header.count + count * DeletionRecord.length)
  }

  @Test("A damaged list gets another name and is reported, and a new one begins")
  func damaged() async throws {
    _ = try folder.open()
    try write(Array("damaged".utf8))
    let handler = InMemoryLogHandler()
    let database = try SQLiteDatabase(folder: folder.path, logger: Logger(label: "test") { _ in handler })
    #expect(handler.entries.contains { "\($0.message)".contains("list of deletions damaged") })
    #expect(try Data(contentsOf: URL(filePath: path + ".damaged")) == Data("damaged".utf8))
    let ada = try await database.addAccount()
    #expect(try await database.close(ada, unixMs: 5))
    #expect(try deletions() == [.account(ada)])
  }

  @Test("A start shortens a list above its limit, and the list then begins after the removed deletions")
  func limit() throws {
    let database = try folder.open()
    let header = try bytes()
    let records = (1...5).map {
      DeletionRecord(.account(AccountID(rawValue: 400 + $0)), unixMs: $0 * 10, isFirst: true)
    }
    try write(header + records.flatMap(\.bytes))
    let begin = try DeletionListContents(path).beginMs
    for (max, kept) in [(6, 5), (5, 5), (3, 3)] {
      _ = try database.pool.read { db in try DeletionList(path: path, unixMs: 1, keeping: max, db) }
      #expect(try deletions() == records.suffix(kept).map(\.deletion), "\(max)")
    }
    #expect(try DeletionListContents(path).beginMs == begin, "The list began after these deletions.")
    try write(DeletionRecord.header(beginMs: 5) + records.flatMap(\.bytes))
    _ = try database.pool.read { db in try DeletionList(path: path, unixMs: 1, keeping: 3, db) }
    #expect(try DeletionListContents(path).beginMs == 21)
  }

  @Test("Damaged records before the last group are counted, and the list is complete after them")
  func damagedRecords() throws {
    try FileManager.default.createDirectory(atPath: folder.path, withIntermediateDirectories: true)
    let groups = [[10, 11], [20], [15, 16], [30, 31]]
    let records = groups.flatMap { group in
      group.map {
        DeletionRecord(.account(AccountID(rawValue: 404)), unixMs: Int64($0), isFirst: $0 == group[0])
      }
    }
    // The clock has changed before the third group.
    for (damaged, count, beginMs) in [
      ([], 0, 5), ([0], 1, 12), ([1], 1, 21), ([2], 1, 16), ([0, 3], 2, 21), ([4], 1, 31), ([5], 0, 5), ([6], 0, 5),
    ] as [([Int], Int, Int64)] {
      var bytes = DeletionRecord.header(beginMs: 5) + records.flatMap(\.bytes)
      for index in damaged { bytes[DeletionRecord.headerLength + index * DeletionRecord.length] ^= 1 }
      try write(bytes)
      let contents = try DeletionListContents(path)
      #expect((contents.damaged, contents.beginMs) == (count, beginMs), "\(damaged)")
      #expect(contents.records.count == records.count - damaged.count)
    }
  }

  @Test("A damaged record or header is refused")
  func codec() throws {
    let post = try #require(PostID("4DYFqiDpVQ"))
    for record in [
      DeletionRecord(.post(post), unixMs: 1_795_716_930_000, isFirst: true),
      DeletionRecord(.account(AccountID(rawValue: .max)), unixMs: 0, isFirst: false),
    ] {
      #expect(record.bytes.count == DeletionRecord.length && DeletionRecord(record.bytes) == record)
      for index in record.bytes.indices {
        var bytes = record.bytes
        bytes[index] ^= 1
        #expect(DeletionRecord(bytes) == nil)
      }
    }
    let header = DeletionRecord.header(beginMs: 7)
    #expect(DeletionRecord.beginMs(header) == 7)
    for index in header.indices {
      var bytes = header
      bytes[index] ^= 1
      #expect(DeletionRecord.beginMs(bytes) == nil)
    }
  }
}
