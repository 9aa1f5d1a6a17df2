import Domain
import Foundation
import Glibc
import Logging
import SQLiteStore
import Testing

@testable import Commands

@Suite("Doctor: data folder")
final class DataFolderCheckTests {
  private let folder: String

  init() throws {
    folder = FileManager.default.temporaryDirectory.appending(path: "onthemap-doctor-\(UUID().uuidString)").path
    try FileManager.default.createDirectory(
      atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
  }

  deinit { try? FileManager.default.removeItem(atPath: folder) }

  private func checks(_ path: String) async -> [String: Check] {
    Dictionary(uniqueKeysWithValues: await DataFolderChecks(path: path).run().map { ($0.id, $0) })
  }

  private func files() throws -> [String: String] {
    let names = try FileManager.default.contentsOfDirectory(atPath: folder)
    return Dictionary(
      uniqueKeysWithValues: try names.map { name in
        let attributes = try FileManager.default.attributesOfItem(atPath: "\(folder)/\(name)")
        return (name, "\(attributes[.size] ?? 0) \(attributes[.modificationDate] ?? 0)")
      })
  }

  private func open() throws -> SQLiteDatabase {
    try SQLiteDatabase(folder: folder, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
  }

  @Test("A new folder is checked at its nearest ancestor, and is not created")
  func new() async throws {
    let checks = await checks(folder + "/a/b")
    #expect(checks["data-folder"]?.verdict == .ok)
    #expect(checks["data-folder"]?.finding.contains("ingest creates it in \(folder)") == true)
    #expect(checks["data-folder-fsync"]?.measure?.unit == "ms")
    #expect(checks["instance-lock"]?.verdict == .ok)
    #expect(checks["database-integrity"]?.verdict == .notChecked)
    #expect(try files().isEmpty)
  }

  @Test("A folder that no process can write to is a failure")
  func unwritable() async {
    // Not even root may create a file in /proc.
    let checks = await checks("/proc/onthemap")
    #expect(checks["data-folder"]?.verdict == .failure)
    #expect(checks["data-folder-fsync"]?.verdict == .notChecked)
  }

  @Test("A file in place of the folder is a failure")
  func file() async throws {
    try Data().write(to: URL(fileURLWithPath: folder + "/file"))
    #expect(await checks(folder + "/file")["data-folder"]?.finding.hasSuffix("is not a folder") == true)
  }

  @Test("A running ingest holds the lock, and its database is not opened")
  func running() async throws {
    let database = try open()
    let before = try files()
    let checks = await checks(folder)
    #expect(checks["instance-lock"]?.finding.hasSuffix(" holds the lock: ingest runs") == true)
    // Some file systems number their files in another way than the kernel's list of locks.
    if let holder = LockHolder(of: DataFolder(folder).lock) { #expect(holder.pid == getpid()) }
    #expect(checks["database-files"]?.verdict == .ok)
    #expect(checks["database-integrity"]?.verdict == .notChecked)
    #expect(try files() == before)
    database.close()
  }

  @Test("A closed database is checked without a change of its files")
  func closed() async throws {
    try open().close()
    let before = try files()
    let checks = await checks(folder)
    #expect(checks["database-integrity"]?.verdict == .ok)
    #expect(checks["database-files"]?.verdict == .ok)
    #expect(checks["instance-lock"]?.finding == "no process uses the folder")
    #expect(try files() == before)
  }

  @Test("A missing high-water file is a warning, and a damaged database a failure")
  func damaged() async throws {
    try open().close()
    try FileManager.default.removeItem(atPath: folder + "/onthemap.highwater")
    #expect(await checks(folder)["database-files"]?.verdict == .warning)
    try Data(count: 8_192).write(to: URL(fileURLWithPath: folder + "/onthemap.sqlite"))
    #expect(await checks(folder)["database-integrity"]?.verdict == .failure)
  }

  @Test("A folder whose data moved to PostgreSQL has the remedy for going back, and a damaged one that for repair")
  func moved() async throws {
    try open().close()
    try Data("postgresql://db/map\n2026-01-01\n".utf8).write(to: URL(fileURLWithPath: folder + "/onthemap.moved"))
    let check = await checks(folder)["database-integrity"]
    #expect(check?.verdict == .failure)
    #expect(check?.remedy == "See deploy/CopyToPostgreSQL.md, section Go back")
    let damaged = DataFolderChecks.integrity(.unusable("damaged"))
    #expect(damaged.remedy == "See deploy/Restore.md, section Damaged files")
  }

  @Test("A database is accepted, refused or not checked, and a large one only in part")
  func conditions() {
    let max = Int64(Limits.databaseCheckBytesMax)
    for (condition, verdict) in [
      (.none, .notChecked), (.unchecked("no index"), .notChecked), (.unusable("damaged"), .failure),
      (.intact(bytes: max), .ok),
    ] as [(DataFolder.Condition, Check.Verdict)] {
      #expect(DataFolderChecks.integrity(condition).verdict == verdict, "\(condition)")
    }
    #expect(!DataFolderChecks.integrity(.intact(bytes: max)).finding.contains("only up to"))
    #expect(DataFolderChecks.integrity(.intact(bytes: max + 1)).finding.contains("only up to \(max) bytes"))
  }

  @Test(
    "The mode and the owner of the folder decide",
    arguments: [
      (0o700, 7, 7, .ok), (0o755, 7, 7, .ok), (0o770, 7, 7, .warning), (0o1777, 7, 7, .failure),
      (0o700, 7, 0, .warning),
    ] as [(UInt32, UInt32, UInt32, Check.Verdict)])
  func access(mode: UInt32, owner: UInt32, user: UInt32, verdict: Check.Verdict) {
    #expect(DataFolderChecks.access(path: "/d", mode: mode, owner: owner, user: user).verdict == verdict)
  }

  @Test("Less than a tenth of free space is a warning, and less than ingest needs a failure")
  func space() {
    let size: Int64 = 100_000_000
    for (free, verdict) in [
      (Limits.diskRecoveredBytes - 1, .failure), (Limits.diskRecoveredBytes, .warning), (size / 10 - 1, .warning),
      (size / 10, .ok),
    ] as [(Int64, Check.Verdict)] {
      let check = DataFolderChecks.space(freeBytes: free, sizeBytes: size)
      #expect(check.verdict == verdict && check.measure == .init(free, "bytes"), "\(free)")
    }
    #expect(DataFolderChecks.inodes(free: DoctorLimits.inodesMin).verdict == .ok)
    #expect(DataFolderChecks.inodes(free: DoctorLimits.inodesMin - 1).verdict == .failure)
  }

  @Test("A sync that is too fast for a disk is a warning, and so is a slow one")
  func syncs() throws {
    for (medianUs, verdict) in [
      (29.9, .warning), (30, .ok), (99_999, .ok), (100_000, .warning),
    ] as [(Double, Check.Verdict)] {
      #expect(SyncTrial.check("data-folder-fsync", medianUs: medianUs).verdict == verdict, "\(medianUs)")
    }
    #expect(try SyncTrial(folder: folder).medianUs > 0)
    #expect(try files().isEmpty)
    #expect(throws: SyncTrial.Failure.self) { try SyncTrial(folder: "/proc") }
  }

  @Test("The kernel's list of locks has the process of an exclusive lock")
  func holders() {
    let locks = """
      1: POSIX  ADVISORY  WRITE 10 fe:00:42 0 EOF
      2: FLOCK  ADVISORY  READ 11 fe:00:42 0 EOF
      3: FLOCK  ADVISORY  WRITE 12 fe:00:420 0 EOF
      4: FLOCK  ADVISORY  WRITE 13 fe:00:42 0 EOF
      """
    #expect(LockHolder(inode: 42, locks: locks)?.pid == 13)
    #expect(LockHolder(inode: 43, locks: locks) == nil)
  }
}
