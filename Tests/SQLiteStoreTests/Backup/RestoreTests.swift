import Domain
import Foundation
import GRDB
import Glibc
import Store
import StoreTesting
import Testing

@testable import SQLiteStore

@Suite("Restore of a backup")
struct RestoreTests {
  private let fixture: BackupFixture
  private static let laterMs = BackupFixture.unixMs + 60_000

  init() throws { fixture = try BackupFixture() }

  private func restore(_ file: String, keepsSessions: Bool = false) async throws -> Restore.Report {
    try await Restore(file).run(into: fixture.data.path, keepsSessions: keepsSessions, unixMs: Self.laterMs)
  }

  private func expectRefusal(_ words: String, _ body: () async throws -> Void) async {
    let error = await #expect(throws: BackupError.self) { try await body() }
    #expect(error?.description.contains(words) == true, "\(error?.description ?? "")")
  }

  @Test("A restored database has the backup's posts, a new epoch, higher numbers and no session")
  func restored() async throws {
    let (file, account, posts) = try await fixture.made()
    var database: SQLiteDatabase? = try fixture.data.open()
    let epoch = database?.epoch
    let lost = try await #require(database).accepted(by: account).id
    let lostAccount = try await #require(database).addAccount("bob")
    database?.close()
    database = nil

    let report = try await restore(file)
    #expect(report.lastPost == posts.last && report.lastLostPost == lost && report.endedSessions == 1)
    let folder = URL(filePath: fixture.data.path).resolvingSymlinksInPath().path
    let old = folder + ".before-restore-20261126T181630Z"
    #expect(report.folder == folder && report.oldFolder == old)
    #expect(FileManager.default.fileExists(atPath: old + "/onthemap.sqlite"))
    let restored = try fixture.data.open()
    #expect(restored.epoch != epoch && restored.epoch.description == report.epoch)
    // The old folder had two starts. The restore itself is a start too.
    #expect(restored.generation == 2 + Limits.restoreGenerationStep + 2)
    #expect(try await restored.session(tokenHash: [1]) == nil)
    let page = try await restored.posts(of: account, after: nil, limit: 10)
    #expect(page.posts.map(\.id) == posts)
    #expect(try restored.unsettledJobs().map(\.job.id) == [JobID(posts[2])])
    #expect(try await restored.addAccount("eve").rawValue == lostAccount.rawValue + 1)
    try restored.expectSound()
    for name in ["", "/onthemap.sqlite", "/onthemap.highwater"] {
      let attributes = try FileManager.default.attributesOfItem(atPath: fixture.data.path + name)
      #expect(attributes[.posixPermissions] as? Int == (name.isEmpty ? 0o700 : 0o600), "\(name)")
    }
  }

  @Test("A restore takes names that folders of killed restores in the same second have not")
  func takenNames() async throws {
    let (file, _, _) = try await fixture.made()
    let folder = URL(filePath: fixture.data.path).resolvingSymlinksInPath().path
    for name in [".restoring-20261126T181630Z", ".before-restore-20261126T181631Z"] {
      try FileManager.default.createDirectory(atPath: folder + name + "/kept", withIntermediateDirectories: true)
    }
    #expect(try await restore(file).oldFolder == folder + ".before-restore-20261126T181632Z")
    for name in [".restoring-20261126T181630Z", ".before-restore-20261126T181631Z"] {
      #expect(FileManager.default.fileExists(atPath: folder + name + "/kept"))
    }
  }

  @Test("A restore keeps the backup's sessions if the operator asks for it")
  func sessions() async throws {
    let (file, account, _) = try await fixture.made()
    #expect(try await restore(file, keepsSessions: true).endedSessions == 0)
    #expect(try await fixture.data.open().session(tokenHash: [1])?.account.id == account)
  }

  @Test("A restore needs no data folder")
  func lostFolder() async throws {
    let (file, _, posts) = try await fixture.made()
    try FileManager.default.removeItem(atPath: fixture.data.path)
    let report = try await restore(file)
    #expect(report.oldFolder == nil && report.lastLostPost == nil)
    let database = try fixture.data.open()
    #expect(try database.number("SELECT count(*) FROM post") == posts.count)
    #expect(database.generation == 1 + Limits.restoreGenerationStep + 2)
  }

  @Test("A restore replaces a damaged data folder, and keeps it")
  func damagedFolder() async throws {
    let (file, _, _) = try await fixture.made()
    try Data("damaged".utf8).write(to: URL(filePath: fixture.data.path + "/onthemap.highwater"))
    try Data("damaged".utf8).write(to: URL(filePath: fixture.data.database))
    let report = try await restore(file)
    #expect(try fixture.read(#require(report.oldFolder) + "/onthemap.sqlite") == Data("damaged".utf8))
    _ = try fixture.data.open()
  }

  @Test("A restore is refused while the data folder is in use, and changes nothing")
  func running() async throws {
    let (file, _, _) = try await fixture.made()
    let database = try fixture.data.open()
    await expectRefusal("ingest is running on") { _ = try await restore(file) }
    let parent = URL(filePath: fixture.data.path).deletingLastPathComponent()
    let name = URL(filePath: fixture.data.path).lastPathComponent
    let names = try FileManager.default.contentsOfDirectory(atPath: parent.path)
    #expect(!names.contains { $0.hasPrefix(name + ".") })
    _ = try await database.addAccount("bob")
  }

  private enum Damage: String, CaseIterable { case flipped, cut, foreign, noManifest, numbers, newer, longer }

  @Test("A damaged backup cannot be restored, and its check leaves no file", arguments: Damage.allCases)
  private func damaged(damage: Damage) async throws {
    var (file, _, _) = try await fixture.made()
    let manifestPath = fixture.backups + "/\(BackupFixture.stem).json"
    var (bytes, manifest) = (try fixture.read(file), try BackupManifest(reading: manifestPath))
    let words: String
    switch damage {
    case .flipped:
      bytes[bytes.count / 2] ^= 1
      words = "has other contents than its manifest says"
    case .cut:
      bytes.removeLast(4_096)
      words = "bytes, and its manifest says"
    case .longer:
      bytes.append(0)
      words = "bytes, and its manifest says"
    case .foreign:
      file = fixture.backups + "/other.sqlite"
      words = "there is no manifest \(fixture.backups)/other.json"
    case .noManifest:
      try FileManager.default.removeItem(atPath: manifestPath)
      words = "there is no manifest"
    case .numbers:
      manifest.seq += 1
      words = "has other numbers than its manifest"
    case .newer:
      manifest.schema += 1
      words = "Restore with onthemap"
    }
    try bytes.write(to: URL(filePath: file))
    if damage != .noManifest { try Data(manifest.json).write(to: URL(filePath: manifestPath)) }
    let names = try fixture.names
    await expectRefusal(words) { _ = try await Restore(file).check(unixMs: Self.laterMs) }
    await expectRefusal(words) { _ = try await restore(file) }
    #expect(try fixture.names == names)
    // The data folder is still in place.
    #expect(try fixture.data.open().number("SELECT count(*) FROM session") == 1)
  }

  @Test("A manifest that hides a damaged page does not pass the check")
  func damagedPage() async throws {
    let (file, _, _) = try await fixture.made()
    var bytes = try fixture.read(file)
    for offset in stride(from: 4_096 * 3, to: bytes.count, by: 4_096) { bytes[offset] = 0x7F }
    try bytes.write(to: URL(filePath: file))
    let path = fixture.backups + "/\(BackupFixture.stem).json"
    var manifest = try BackupManifest(reading: path)
    let descriptor = open(file, O_RDONLY)
    defer { close(descriptor) }
    manifest.blake2b = try FileHash.compute(descriptor).hash
    try Data(manifest.json).write(to: URL(filePath: path))
    await #expect(throws: BackupError.self) { try await Restore(file).check(unixMs: Self.laterMs) }
    #expect(try fixture.names.count == 2)
  }

  @Test("A check prepares the latest backup of a folder, and changes nothing")
  func check() async throws {
    let (file, _, _) = try await fixture.made()
    let database = try fixture.data.open()
    try fixture.backUp(database, second: 5)
    let (names, bytes) = (try fixture.names, try fixture.read(file))
    let report = try await Restore(fixture.backups).check(unixMs: Self.laterMs)
    #expect(report.backup.hasSuffix("onthemap-20261126T181535Z.sqlite") && report.folder == nil)
    #expect(try fixture.names == names && fixture.read(file) == bytes)
  }

  @Test("A backup of a restored database is restored again, with higher numbers each time")
  func again() async throws {
    let (file, _, _) = try await fixture.made()
    var epochs: Set<String> = []
    var path = file
    for round in 1...3 as ClosedRange<Int64> {
      let time = Self.laterMs + round * 10_000
      let report = try await Restore(path).run(into: fixture.data.path, keepsSessions: false, unixMs: time)
      #expect(epochs.insert(report.epoch).inserted)
      let database = try fixture.data.open()
      #expect(Int64(database.generation) > round * Int64(Limits.restoreGenerationStep))
      path = try fixture.backUp(database, second: round)
      database.close()
    }
  }

  @Test("Posts and accounts that were deleted after the backup stay deleted, also by a second restore")
  func deletions() async throws {
    var database: SQLiteDatabase? = try fixture.data.open()
    let (ada, bob) = (try await #require(database).addAccount(), try await #require(database).addAccount("bob"))
    let posts = try await #require(database).published(2, by: ada)
    let bobs = try await #require(database).published(2, by: bob)
    _ = try await #require(database).deleted(posts[0], of: ada)
    let file = try fixture.backUp(#require(database))
    do {
      let store = try #require(database)
      _ = try await store.deleted(posts[1], of: ada)
      #expect(try await store.close(bob, unixMs: 7))
      // A deleted post that the backup does not have needs no second deletion.
      let later = try await store.published(1, by: ada)
      _ = try await store.deleted(later[0], of: ada)
      store.close()
    }
    database = nil
    for round in 0..<2 as Range<Int64> {
      let time = Self.laterMs + round * 1_000
      let report = try await Restore(file).run(into: fixture.data.path, keepsSessions: false, unixMs: time)
      #expect((report.deletedPosts, report.deletedAccounts) == (1, 1))
      let store = try fixture.data.open()
      let page = try await store.posts(of: ada, after: nil, limit: 10)
      #expect(page.posts.isEmpty)
      #expect(try await store.account(bob) == nil)
      #expect(try await store.account(ada) != nil)
      #expect(try await store.posts(bobs).isEmpty)
      #expect(try store.feed().entries.isEmpty)
      #expect(try store.number("SELECT count(*) FROM account WHERE first_name = 'bob'") == 0)
      store.close()
      // The text of the deleted posts is not in the file.
      let content = try fixture.read(fixture.data.database)
      #expect(content.range(of: Data("example.org/".utf8)) == nil)
    }
  }

  @Test("A restore does not repeat the deletion of an earlier account with the same id")
  func reusedID() async throws {
    let database = try fixture.data.open()
    let registration = try Registration(
      email: "eve@example.org", password: "a password", firstName: "Eve", lastName: "Lovelace")
    let account = try await database.addAccount(registration, passwordHash: "x", unixMs: BackupFixture.unixMs).id
    let file = try fixture.backUp(database)
    database.close()
    let earliestMs = BackupFixture.unixMs - Limits.deletionClockStepMs
    for (unixMs, deleted) in [(earliestMs - 1, 0), (earliestMs, 1)] {
      let record = DeletionRecord(.account(account), unixMs: unixMs, isFirst: true)
      try Data(DeletionRecord.header(beginMs: 1) + record.bytes)
        .write(to: URL(filePath: fixture.data.path + DeletionList.name))
      #expect(try await restore(file).deletedAccounts == deleted)
      try FileManager.default.removeItem(atPath: fixture.data.path + ".before-restore-20261126T181630Z")
    }
  }

  @Test("A restore reports deletions that it cannot know")
  func unknownDeletions() async throws {
    let (file, _, _) = try await fixture.made()
    let path = fixture.data.path + DeletionList.name
    // The list begins when the folder is new, which is after the backup's time in this test only for these values.
    for (beginMs, expected) in [
      (BackupFixture.unixMs, nil),
      (BackupFixture.unixMs + 1, .before(unixMs: BackupFixture.unixMs + 1, damaged: 0)),
    ] as [(Int64, Restore.UnknownDeletions?)] {
      try Data(DeletionRecord.header(beginMs: beginMs)).write(to: URL(filePath: path))
      #expect(try await restore(file).unknownDeletions == expected)
      try FileManager.default.removeItem(atPath: fixture.data.path + ".before-restore-20261126T181630Z")
      try Data(DeletionRecord.header(beginMs: beginMs)).write(to: URL(filePath: path))
    }
    try FileManager.default.removeItem(atPath: path)
    #expect(try await restore(file).unknownDeletions == .missingList)
    try FileManager.default.removeItem(atPath: fixture.data.path + ".before-restore-20261126T181630Z")
    try Data("damaged".utf8).write(to: URL(filePath: path))
    #expect(try await restore(file).unknownDeletions == .unreadableList)
  }

  @Test("A restore reports damaged records of deletions since the backup, and no others")
  func damagedDeletions() async throws {
    let (file, _, _) = try await fixture.made()
    let path = fixture.data.path + DeletionList.name
    // Deletions before and after the backup, each in a group of its own.
    let records = [-2, -1, 1, 2].map { second in
      DeletionRecord(
        .account(AccountID(rawValue: 404)), unixMs: BackupFixture.unixMs + Int64(second), isFirst: true)
    }
    let header = DeletionRecord.header(beginMs: 1)
    let expected: [Restore.UnknownDeletions?] = [
      nil, .before(unixMs: BackupFixture.unixMs + 2, damaged: 1), .before(unixMs: BackupFixture.unixMs + 3, damaged: 1),
      // A power loss leaves a damaged last record.
      nil,
    ]
    for (index, expected) in expected.enumerated() {
      var bytes = header + records.flatMap(\.bytes)
      bytes[header.count + index * DeletionRecord.length] ^= 1
      try Data(bytes).write(to: URL(filePath: path))
      #expect(try await restore(file).unknownDeletions == expected, "\(index)")
      #expect(try fixture.read(path) == Data(bytes), "The list with its damage must stay for later restores.")
      try FileManager.default.removeItem(atPath: fixture.data.path + ".before-restore-20261126T181630Z")
    }
  }

  @Test("The latest backup of a folder counts also if it is damaged")
  func damagedLatest() async throws {
    let (file, _, _) = try await fixture.made()
    let database = try fixture.data.open()
    let later = try fixture.backUp(database, second: 5)
    database.close()
    try fixture.read(later).dropLast(1).write(to: URL(filePath: later))
    await expectRefusal("and its manifest says") {
      _ = try await Restore(fixture.backups).check(unixMs: Self.laterMs)
    }
    try FileManager.default.removeItem(atPath: later.replacing(".sqlite", with: ".json"))
    await expectRefusal("there is no manifest") {
      _ = try await Restore(fixture.backups).check(unixMs: Self.laterMs)
    }
    #expect(try await Restore(file).check(unixMs: Self.laterMs).posts == 3)
  }

  @Test("A database without starts left cannot be restored")
  func generations() async throws {
    let (file, _, _) = try await fixture.made()
    let path = fixture.backups + "/\(BackupFixture.stem).json"
    var manifest = try BackupManifest(reading: path)
    let generation = Limits.generationMax - Limits.restoreGenerationStep
    manifest.generation = generation
    try await DatabaseQueue(path: file).write { db in
      try db.execute(sql: "UPDATE meta SET boot = ?", arguments: [generation])
    }
    let descriptor = open(file, O_RDONLY)
    defer { close(descriptor) }
    (manifest.blake2b, manifest.bytes) = try FileHash.compute(descriptor)
    try Data(manifest.json).write(to: URL(filePath: path))
    await expectRefusal("the maximum is") { _ = try await restore(file) }
  }
}
