import Domain
import Foundation
import GRDB
import Glibc
import Store
import StoreTesting
import Testing

@testable import SQLiteStore

@Suite("Backup")
struct BackupTests {
  private let fixture: BackupFixture

  init() throws { fixture = try BackupFixture() }

  @Test("A backup is one checked file with all durable data, and a manifest with its facts")
  func whole() async throws {
    let database = try fixture.data.open()
    let account = try await database.addAccount()
    let posts = try await database.published(3, by: account)
    _ = try await database.deleted(posts[0], of: account)
    let queued = try await database.accepted(by: account).id
    let summary = try database.backUp(fixture.request(), unixMs: BackupFixture.unixMs)
    #expect(try fixture.names == ["\(BackupFixture.stem).json", "\(BackupFixture.stem).sqlite"])
    #expect(summary.path == fixture.backups + "/\(BackupFixture.stem).sqlite" && summary.posts == 3)

    let manifest = try BackupManifest(reading: fixture.backups + "/\(BackupFixture.stem).json")
    #expect(manifest.epoch == database.epoch.description && manifest.generation == 1 && manifest.seq == 4)
    #expect(manifest.account == account.rawValue && manifest.post == queued.description)
    #expect((manifest.accounts, manifest.posts, manifest.queued) == (1, 3, 1))
    #expect(manifest.createdMs == BackupFixture.unixMs && manifest.bytes == summary.bytes)
    for name in try fixture.names {
      let attributes = try FileManager.default.attributesOfItem(atPath: fixture.backups + "/" + name)
      #expect(attributes[.posixPermissions] as? Int == 0o600, "\(name)")
    }

    var configuration = GRDB.Configuration()
    configuration.readonly = true
    let copy = try DatabaseQueue(path: summary.path, configuration: configuration)
    #expect(try await copy.read { try String.fetchOne($0, sql: "PRAGMA journal_mode") } == "delete")
    #expect(try await copy.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM post") } == 4)
    // Commits go on afterwards, and the copy does not change.
    _ = try await database.accepted(by: account)
    #expect(try await copy.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM post") } == 4)
  }

  @Test("A backup has the posts of the write-ahead log, and posts are accepted while its copy is open")
  func log() async throws {
    let database = try fixture.data.open()
    let account = try await database.addAccount()
    let posts = try await database.published(50, by: account)
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { for _ in 0..<200 { _ = try await database.accepted(by: account) } }
      let file = try fixture.backUp(database)
      let copy = try DatabaseQueue(path: file)
      let ids = try await copy.read { try Int64.fetchAll($0, sql: "SELECT id FROM post WHERE state = 1 ORDER BY id") }
      #expect(ids == posts.map { Int64($0.rawValue) })
      try await group.waitForAll()
    }
    #expect(try database.number("SELECT count(*) FROM post") == 250)
    try database.expectSound()
  }

  private enum Place: String, CaseIterable { case relative, missing, file, data, inData, device, space, link }

  @Test("A backup refuses an unsuitable folder, and says what to do", arguments: Place.allCases)
  private func refused(place: Place) throws {
    let database = try fixture.data.open()
    let file = fixture.backups + "/file"
    try fixture.write("", to: "file")
    let link = fixture.backups + "/link"
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: fixture.data.path)
    let inData = fixture.data.path + "/backups"
    try FileManager.default.createDirectory(atPath: inData, withIntermediateDirectories: true)
    let (folder, words): (String, String) =
      switch place {
      case .relative: ("backups", "backups is a relative path. Pass an absolute path")
      case .missing: (fixture.backups + "/none", "No such file or directory. Create the folder")
      case .file: (file, "is not a folder. Pass a folder")
      case .data: (fixture.data.path, "is in the data folder")
      case .inData: (inData, "is in the data folder")
      case .link: (link, "is in the data folder")
      case .device: (fixture.backups, "is on the device of the data folder")
      case .space: (fixture.backups, "bytes free, and the backup needs")
      }
    var request = BackupRequest(folder: folder, isSameDeviceAllowed: place != .device)
    let error = #expect(throws: BackupError.self) {
      if place == .space {
        _ = try BackupFolder(request, dataFolder: fixture.data.path, bytes: .max / 2)
      } else {
        _ = try database.backUp(request, unixMs: BackupFixture.unixMs)
      }
    }
    #expect(error?.description.contains(words) == true, "\(error?.description ?? "")")
    #expect(try fixture.names == ["file", "link"] && database.lastBackupMs == nil)
    request.folder = fixture.backups
    request.isSameDeviceAllowed = true
    #expect(try database.backUp(request, unixMs: BackupFixture.unixMs).removed == 0)
  }

  @Test("A backup refuses a folder that its user may not write to", .enabled(if: geteuid() != 0, "root may write"))
  func readOnly() throws {
    let database = try fixture.data.open()
    chmod(fixture.backups, 0o500)
    defer { chmod(fixture.backups, 0o700) }
    let error = #expect(throws: BackupError.self) { try fixture.backUp(database) }
    #expect(error?.description.contains("Give the folder to the user of ingest (uid \(geteuid()))") == true)
  }

  /// A file system in memory, which is another device than the temporary folder of most hosts.
  private static let memory: String? = {
    var (a, b) = (stat(), stat())
    let isOther = stat("/dev/shm", &a) == 0 && stat(FileManager.default.temporaryDirectory.path, &b) == 0
    return isOther && a.st_dev != b.st_dev && access("/dev/shm", W_OK) == 0 ? "/dev/shm" : nil
  }()

  @Test("A folder on another device needs no permission", .enabled(if: memory != nil, "/dev/shm is no other device"))
  func otherDevice() throws {
    let folder = try #require(Self.memory) + "/onthemap-backup-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let database = try fixture.data.open()
    let backup = try database.backUp(BackupRequest(folder: folder), unixMs: BackupFixture.unixMs)
    #expect(backup.path == "\(folder)/\(BackupFixture.stem).sqlite")
  }

  @Test("A second backup within a second is refused, and leaves the first one unchanged")
  func sameSecond() throws {
    let database = try fixture.data.open()
    let bytes = try fixture.read(try fixture.backUp(database))
    let error = #expect(throws: BackupError.self) { try fixture.backUp(database) }
    #expect(error?.description.contains("exists. Try again in a second.") == true)
    #expect(try fixture.read("\(fixture.backups)/\(BackupFixture.stem).sqlite") == bytes)
    #expect(try fixture.names.count == 2)
  }

  @Test("A backup with a limit removes the oldest whole backups, and no other file")
  func keep() throws {
    let database = try fixture.data.open()
    let foreign = [
      "onthemap-20200101T000000Z.sqlite", "onthemap-20200101T000001Z.sqlite.bak", "notes.json", "other.sqlite",
    ]
    for name in foreign { try fixture.write("x", to: name) }
    for second in 0..<4 { try fixture.backUp(database, second: Int64(second)) }
    #expect(try fixture.names.count == 8 + foreign.count)
    let backup = try database.backUp(fixture.request(keep: 2), unixMs: BackupFixture.unixMs + 4_000)
    #expect(backup.removed == 3)
    let kept = ["onthemap-20261126T181533Z", "onthemap-20261126T181534Z"].flatMap { [$0 + ".json", $0 + ".sqlite"] }
    #expect(try fixture.names == (foreign + kept).sorted())
    #expect(
      BackupFolder(path: fixture.backups).backups().map(\.stem) == [
        "onthemap-20261126T181533Z", "onthemap-20261126T181534Z",
      ])
  }

  @Test("A backup with a limit keeps itself, although a wrong clock gave other backups later names")
  func wrongClock() throws {
    let database = try fixture.data.open()
    for second in 1...2 { try fixture.backUp(database, second: 86_400 * 365 + Int64(second)) }
    let backup = try database.backUp(fixture.request(keep: 2), unixMs: BackupFixture.unixMs)
    #expect(backup.removed == 1)
    #expect(
      BackupFolder(path: fixture.backups).backups().map(\.stem) == [BackupFixture.stem, "onthemap-20271126T181532Z"])
  }

  @Test("A failed backup removes no older backup, and leaves no file")
  func failedKeep() async throws {
    let database = try fixture.data.open()
    try fixture.backUp(database)
    let names = try fixture.names
    // A row without its account makes the check of the copy fail.
    try fixture.data.damage("PRAGMA foreign_keys = OFF; INSERT INTO session VALUES (x'01', 404, 9, 1, '', '')")
    let error = #expect(throws: BackupError.self) { try fixture.backUp(database, second: 1, keep: 1) }
    #expect(error?.description.contains("a row of the table session refers to a row that is missing") == true)
    #expect(try fixture.names == names && database.lastBackupMs == BackupFixture.unixMs)
  }

  @Test("A backup removes the files of a killed backup, but not those of a running one")
  func leftovers() throws {
    let database = try fixture.data.open()
    let (killed, running) = ("onthemap-20200101T000000Z", "onthemap-20200101T000001Z")
    for name in ["\(killed).sqlite.part", "\(killed).sqlite.part-wal", "\(killed).json.new"] {
      try fixture.write("x", to: name)
    }
    try fixture.write("x", to: "\(running).sqlite.part")
    let descriptor = open("\(fixture.backups)/\(running).sqlite.part", O_RDONLY)
    defer { close(descriptor) }
    #expect(flock(descriptor, LOCK_EX) == 0)
    // A manifest without its copy remains if the process is killed between the two names.
    let first = try fixture.backUp(database)
    try FileManager.default.removeItem(atPath: first)
    #expect(BackupFolder(path: fixture.backups).backups().isEmpty)
    try fixture.backUp(database, second: 1)
    #expect(
      try fixture.names == [
        "\(running).sqlite.part", "onthemap-20261126T181531Z.json", "onthemap-20261126T181531Z.sqlite",
      ])
  }

  @Test("The time of the latest backup survives a restart")
  func lastBackup() throws {
    var database: SQLiteDatabase? = try fixture.data.open()
    #expect(database?.lastBackupMs == nil)
    try fixture.backUp(#require(database))
    try fixture.backUp(#require(database), second: 7)
    database?.close()
    database = nil
    #expect(try fixture.data.open().lastBackupMs == BackupFixture.unixMs + 7_000)
  }

  @Test("A stopped database is backed up offline with its log, and a running one is refused")
  func offline() async throws {
    let database = try fixture.data.open()
    let post = try await database.accepted(by: database.addAccount()).id
    let error = #expect(throws: BackupError.self) { try OfflineBackup(folder: fixture.data.path) }
    #expect(error?.description.contains("Pass its address with --admin") == true)
    // Copy the folder as a crash leaves it, with the post in the log only.
    let crashed = Folder()
    try FileManager.default.copyItem(atPath: fixture.data.path, toPath: crashed.path)
    let backup = try OfflineBackup(folder: crashed.path).write(fixture.request(), unixMs: BackupFixture.unixMs)
    #expect(backup.posts == 1)
    #expect(try BackupManifest(reading: fixture.backups + "/\(BackupFixture.stem).json").post == post.description)
    #expect(try crashed.open().lastBackupMs == BackupFixture.unixMs)
    let none = #expect(throws: BackupError.self) { try OfflineBackup(folder: fixture.backups) }
    #expect(none?.description.contains("has no database") == true)
  }

  @Test("A regressed database is not backed up offline")
  func regressed() async throws {
    let database = try fixture.data.open()
    _ = try await database.addAccount()
    database.close()
    try fixture.data.damage("DELETE FROM account")
    let error = #expect(throws: BackupError.self) { try OfflineBackup(folder: fixture.data.path) }
    #expect(error?.description.contains("it lacks the latest accepted data") == true)
  }
}
