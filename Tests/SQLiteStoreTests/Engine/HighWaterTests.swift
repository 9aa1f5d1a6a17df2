import Foundation
import GRDB
import InMemoryLogging
import Logging
import Store
import StoreTesting
import Testing

@testable import Domain
@testable import SQLiteStore

@Suite("High-water file")
struct HighWaterTests {
  private let folder = Folder()
  private var path: String { folder.path + "/onthemap.highwater" }

  private func record() throws -> HighWater.Record { try #require(try HighWater.read(path)) }

  @Test("The high-water mark rises with durable starts, accounts, posts and changes")
  func rises() async throws {
    let database = try folder.open()
    #expect(try record().epoch == database.epoch && record().mark == HighWater.Mark(generation: 1))
    let account = try await database.addAccount()
    #expect(try record().mark.account == account.rawValue)
    let post = try await database.accepted(by: account).id
    #expect(try record().mark.post == post.rawValue && record().mark.seq == 0)
    _ = try await database.settled([(post, .verdict(.at(1)))])
    #expect(try record().mark.seq == 1)
  }

  @Test("A rolled-back write does not raise the high-water mark")
  func rolledBack() async throws {
    var database: SQLiteDatabase? = try folder.open()
    let account = try await #require(database).addAccount()
    let before = try record()
    await #expect(throws: (any Error).self) {
      try await database?.accepted(by: AccountID(rawValue: account.rawValue + 404))
    }
    _ = try await database?.addAccount("bob")
    #expect(try record().mark.post == before.mark.post)
    database?.close()
    database = nil
    #expect(try folder.open().generation == 2)
  }

  @Test("A damaged high-water record is refused")
  func bytes() throws {
    let epoch = Epoch.filled
    let record = HighWater.Record(epoch: epoch, mark: .init(generation: 7, account: 8, post: .max, seq: 9))
    #expect(record.bytes.count == HighWater.Record.length && HighWater.Record(record.bytes) == record)
    for index in record.bytes.indices {
      var bytes = record.bytes
      bytes[index] ^= 1
      #expect(HighWater.Record(bytes) == nil)
    }
    for count in [0, 1, HighWater.Record.length - 1] {
      #expect(HighWater.Record(Array(record.bytes.prefix(count))) == nil)
    }
    #expect(HighWater.Record(record.bytes + [0]) == nil)
  }

  @Test(
    "A database is refused if any of its numbers is below the high-water mark",
    arguments: ["boot", "account", "post", "seq"])
  func regressed(number: String) async throws {
    var database: SQLiteDatabase? = try folder.open()
    let account = try await #require(database).addAccount()
    let post = try await #require(database).accepted(by: account).id
    _ = try await #require(database).settled([(post, .verdict(.at(1)))])
    database?.close()
    database = nil
    switch number {
    case "boot": try folder.damage("UPDATE meta SET boot = 0")
    case "account": try folder.damage("PRAGMA foreign_keys = OFF; UPDATE account SET id = id - 1")
    case "post": try folder.damage("UPDATE post SET id = id - 1")
    default: try folder.damage("UPDATE post SET seq = seq - 1")
    }
    let error = #expect(throws: StoreError.self) { try folder.open() }
    #expect(error?.description.contains("onthemap.highwater") == true, "\(String(describing: error))")
    #expect(error?.description.contains("missing or damaged") == true)
  }

  @Test("A missing high-water file is created, and the database gets a new epoch")
  func without() throws {
    let epoch = try folder.open().epoch
    try FileManager.default.removeItem(atPath: path)
    let database = try folder.open()
    #expect(database.epoch != epoch && database.generation == 2)
    #expect(try record().epoch == database.epoch)
  }

  @Test("A new epoch is logged with its reason")
  func newEpoch() throws {
    let log = InMemoryLogHandler()
    func start() throws -> Epoch {
      let database = try SQLiteDatabase(folder: folder.path, logger: Logger(label: "test") { _ in log })
      database.close()
      return database.epoch
    }
    let first = try start()
    #expect(try start() == first)
    try FileManager.default.removeItem(atPath: path)
    let second = try start()
    let events = log.entries.filter { $0.message == "new epoch" }.map(\.metadata)
    #expect(
      events == [
        ["epoch": "\(first)", "reason": "new_database"], ["epoch": "\(second)", "reason": "highwater_missing"],
      ])
  }

  @Test("The remedy for a missing database names the files that a new database must not have")
  func missing() throws {
    let database = try folder.open()
    let copy = Folder()
    try FileManager.default.createDirectory(atPath: copy.path, withIntermediateDirectories: true)
    let names = ["/onthemap.sqlite-wal", "/onthemap.highwater"]
    for name in names {
      try FileManager.default.copyItem(atPath: folder.path + name, toPath: copy.path + name)
    }
    let error = #expect(throws: StoreError.self) { try copy.open() }
    let files = names.map { copy.path + $0 }
    let advice = "to begin with an empty database, remove \(files.joined(separator: " and ")) and start again"
    #expect(error?.description.contains(advice) == true, "\(String(describing: error))")
    for file in files { try FileManager.default.removeItem(atPath: file) }
    #expect(try copy.open().generation == 1)
    withExtendedLifetime(database) {}
  }

  @Test("A symbolic link in place of the new file is replaced, and its target is unchanged")
  func planted() throws {
    let target = folder.path + "/target"
    try FileManager.default.createDirectory(atPath: folder.path, withIntermediateDirectories: true)
    try Data("theirs".utf8).write(to: URL(filePath: target))
    try FileManager.default.createSymbolicLink(atPath: path + ".new", withDestinationPath: target)
    let database = try folder.open()
    #expect(try String(contentsOfFile: target, encoding: .utf8) == "theirs")
    #expect(try record().epoch == database.epoch)
    #expect(try FileManager.default.attributesOfItem(atPath: path)[.type] as? FileAttributeType == .typeRegular)
  }

  @Test("A file that a killed ingest left behind does not block the next start")
  func leftBehind() throws {
    try FileManager.default.createDirectory(atPath: folder.path, withIntermediateDirectories: true)
    try Data("half".utf8).write(to: URL(filePath: path + ".new"))
    let database = try folder.open()
    #expect(try record() == HighWater.Record(epoch: database.epoch, mark: .init(generation: 1)))
  }

  @Test("A small database gets a full integrity check, and a large one only the high-water check")
  func large() async throws {
    var database: SQLiteDatabase? = try folder.open()
    let account = try await #require(database).addAccount()
    _ = try await #require(database).accepted(by: account)
    database?.close()
    database = nil
    // This damages an index that a start does not read.
    try folder.damage("PRAGMA writable_schema = ON; DELETE FROM sqlite_schema WHERE name = 'post_account'")
    let size = try #require(try FileManager.default.attributesOfItem(atPath: folder.database)[.size] as? Int)
    func inspect(upTo bytes: Int) throws -> HighWater.Record? {
      try StartupCheck(path: folder.database, highWaterPath: path, checkBytesMax: bytes).run()
    }
    #expect(try inspect(upTo: size - 1) != nil)
    let error = #expect(throws: StoreError.self) { try inspect(upTo: size) }
    #expect(error?.description.contains("it is damaged (") == true)
    // Without the high-water file, ingest would refuse a damaged database too.
    #expect(error?.description.contains(".dump") == true && error?.description.contains("highwater") == false)
    try FileManager.default.removeItem(atPath: path)
    #expect(throws: StoreError.self) { try inspect(upTo: size) }
    #expect(Limits.databaseCheckBytesMax == 64 << 20)
  }
}

@Suite("Disk failure")
struct DiskFailureTests {
  private let folder = Folder()

  @Test("A disk failure stops all further writes and reports its reason")
  func stopped() async throws {
    let database = try folder.open()
    let account = try await database.addAccount()
    _ = try await database.accepted(by: account)
    #expect(unlink(folder.database) == 0)
    var errors: [StoreError] = []
    for _ in 0..<2 {
      do { _ = try await database.accepted(by: account) } catch let error as StoreError { errors.append(error) }
    }
    guard case .unknownOutcome(let first)? = errors.first, case .stopped(let second)? = errors.last else {
      Issue.record("\(errors)")
      return
    }
    #expect(first.contains("removed or replaced") && second.contains("removed or replaced"))
    let failure = await database.failure()
    #expect(failure?.description.contains("until the next start") == true)
  }

  @Test("A cancelled wait for a failure returns nil")
  func cancelled() async throws {
    let database = try folder.open()
    let waiting = Task { await database.failure() }
    waiting.cancel()
    #expect(await waiting.value == nil)
  }
}

extension Epoch {
  fileprivate static var filled: Epoch {
    guard let epoch = Epoch([UInt8](repeating: 5, count: 16)) else {
      preconditionFailure("Sixteen bytes are an epoch.")
    }
    return epoch
  }
}
