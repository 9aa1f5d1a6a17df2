import Domain
import Foundation
import GRDB
import Glibc
import Store
import StoreTesting
import Testing

@testable import SQLiteStore

/// Tests of the folders that a restore may replace.
@Suite("Data folder of a restore")
struct RestoreTargetTests {
  private let fixture: BackupFixture
  private static let laterMs = BackupFixture.unixMs + 60_000

  init() throws { fixture = try BackupFixture() }

  private func restore(_ file: String) async throws -> Restore.Report {
    try await Restore(file).run(into: fixture.data.path, keepsSessions: false, unixMs: Self.laterMs)
  }

  private func expectRefusal(_ words: String, _ body: () async throws -> Void) async {
    let error = await #expect(throws: BackupError.self) { try await body() }
    #expect(error?.description.contains(words) == true, "\(error?.description ?? "")")
  }

  /// Creates an empty file or a folder, by its path in the data folder. A folder's path ends with a slash.
  private func add(_ name: String) throws {
    let path = fixture.data.path + "/" + name
    let parent = name.hasSuffix("/") ? path : RestoreTarget.parent(of: path)
    try FileManager.default.createDirectory(atPath: parent, withIntermediateDirectories: true)
    if !name.hasSuffix("/") { try Data().write(to: URL(filePath: path)) }
  }

  @Test("A data folder with every file that ingest, a feed, a repair or a restore can leave in it is replaced")
  func ownFiles() async throws {
    let (file, _, _) = try await fixture.made()
    for name in [
      "onthemap.sqlite-journal", "onthemap.sqlite.new", "onthemap.sqlite.new-journal", "onthemap.highwater.new",
      "onthemap.deletions.new", "onthemap.deletions.damaged", "onthemap.backup.new", "admin.sock", "feed/feed.snapshot",
      "feed/feed.snapshot.123", "feed.snapshot", "feed.snapshot.7", ".onthemap-doctor-9", "dump.sql", "new.sqlite",
      "lost+found/", "before-restore-20261126T181530Z/onthemap.sqlite", "restoring-20261126T181530Z/",
    ] { try add(name) }
    #expect(mknod(fixture.data.path + "/jobs.sock", S_IFSOCK | 0o600, 0) == 0)
    let report = try await restore(file)
    let old = try FileManager.default.contentsOfDirectory(atPath: #require(report.oldFolder))
    #expect(Set(["onthemap.backup", "onthemap.deletions", "onthemap.highwater", "jobs.sock"]).isSubset(of: old))
    _ = try fixture.data.open()
  }

  @Test("A folder with only the lock of an earlier attempt is replaced")
  func lockOnly() async throws {
    let (file, _, _) = try await fixture.made()
    try FileManager.default.removeItem(atPath: fixture.data.path)
    try add("onthemap.lock")
    _ = try await restore(file)
    _ = try fixture.data.open()
  }

  @Test(
    "A folder with files that are not ingest's is not replaced, whatever their names begin with",
    arguments: [
      (["onthemap.env", "onthemap.key"], "onthemap.env, onthemap.key"), (["onthemap.target"], "onthemap.target"),
      (["onthemap.sqlite", "onthemap.key", "other.txt"], "onthemap.key, other.txt"),
      (["onthemap.sqlite", "d", "c", "b", "a"], "a, b, c and 1 more"), (["map/onthemap.sqlite"], "map"),
      (["onthemap.lock", "data/onthemap.sqlite"], "data"), (["onthemap.sqlite/"], "onthemap.sqlite"),
      (["onthemap.sqlite", "feed/onthemap.sqlite", "feed/feed.snapshot"], "feed/onthemap.sqlite"),
      (["onthemap.sqlite", "feed.snapshot.old"], "feed.snapshot.old"), (["dump.sql"], "dump.sql"),
      (["onthemap.sqlite", "before-restore-2026/"], "before-restore-2026"),
    ])
  func foreignFiles(names: [String], others: String) async throws {
    let (file, _, _) = try await fixture.made()
    try FileManager.default.removeItem(atPath: fixture.data.path)
    for name in names { try add(name) }
    let before = try FileManager.default.subpathsOfDirectory(atPath: fixture.data.path).sorted()
    await expectRefusal(
      "\(fixture.data.path) has other files: \(others). Pass ingest's data folder with --data."
    ) { _ = try await restore(file) }
    #expect(try FileManager.default.subpathsOfDirectory(atPath: fixture.data.path).sorted() == before)
  }

  @Test("A mount point with a database may have other files, which a restore leaves in place")
  func mountPoint() throws {
    let path = fixture.data.path
    try add("other.txt")
    #expect(DataFolderFiles.others(in: path, isMountPoint: true) == ["other.txt"])
    try add("onthemap.sqlite")
    #expect(DataFolderFiles.others(in: path, isMountPoint: true).isEmpty)
    #expect(DataFolderFiles.others(in: path, isMountPoint: false) == ["other.txt"])
  }

  @Test("A folder of backups is not replaced, and an empty folder is")
  func otherFolder() async throws {
    let (file, _, _) = try await fixture.made()
    let before = try fixture.names
    let names = before.joined(separator: ", ")
    await expectRefusal("has other files: \(names). Pass ingest's data folder with --data.") {
      _ = try await Restore(file).run(into: fixture.backups, keepsSessions: false, unixMs: Self.laterMs)
    }
    #expect(try fixture.names == before)
    try FileManager.default.removeItem(atPath: fixture.data.path)
    try FileManager.default.createDirectory(
      atPath: fixture.data.path + "/lost+found", withIntermediateDirectories: true)
    _ = try await restore(file)
    _ = try fixture.data.open()
  }

  @Test("A restore follows a dangling link, and creates the folder that it names")
  func danglingLink() async throws {
    let (file, _, posts) = try await fixture.made()
    try FileManager.default.removeItem(atPath: fixture.data.path)
    let parent = URL(filePath: fixture.data.path).deletingLastPathComponent()
    let target = parent.appending(path: "\(UUID().uuidString).target").path
    defer { try? FileManager.default.removeItem(atPath: target) }
    try FileManager.default.createSymbolicLink(
      atPath: fixture.data.path, withDestinationPath: URL(filePath: target).lastPathComponent)
    let report = try await restore(file)
    #expect(report.oldFolder == nil && report.folder?.hasSuffix(".target") == true)
    let database = try fixture.data.open()
    #expect(try database.number("SELECT count(*) FROM post") == posts.count)
    database.close()
    #expect(FileManager.default.fileExists(atPath: target + "/onthemap.sqlite"))
  }

  @Test("A restore through a link to a folder whose parent is missing is refused with the missing folder's name")
  func danglingParent() async throws {
    let (file, _, _) = try await fixture.made()
    try FileManager.default.removeItem(atPath: fixture.data.path)
    try FileManager.default.createSymbolicLink(
      atPath: fixture.data.path, withDestinationPath: "/nonexistent-folder/data")
    await expectRefusal("/nonexistent-folder: No such file or directory. Create the folder first.") {
      _ = try await restore(file)
    }
  }
}
