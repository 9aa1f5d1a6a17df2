import CSQLite
import GRDB
import GRDBSQLite
import Glibc
import Store
import StoreTesting
import Synchronization
import Testing

@testable import Domain
@testable import SQLiteStore

@Suite("Full disk")
struct FullDiskTests {
  private let folder = Folder()

  /// Lets the database grow by this number of pages, or without limit if nil.
  private func allow(_ pages: Int?, _ database: SQLiteDatabase) async throws {
    try await database.write { db in
      let count = try Int.fetchOne(db, sql: "PRAGMA page_count") ?? 0
      try db.execute(sql: "PRAGMA max_page_count = \(pages.map { count + $0 } ?? 1_000_000)")
    }
  }

  @Test("A full disk refuses posts, keeps accepted ones, and accepts again once space is free")
  func full() async throws {
    let database = try folder.open()
    let account = try await database.addAccount()
    let place = String(repeating: "x", count: 256)
    try await allow(8, database)
    var accepted: [PostID] = []
    var refusal: StoreError?
    while refusal == nil, accepted.count < 1_000 {
      do { accepted.append(try await database.accepted(place, by: account).id) } catch {
        refusal = error as? StoreError
      }
    }
    guard case .full? = refusal else {
      Issue.record("\(String(describing: refusal)) after \(accepted.count) posts")
      return
    }
    #expect(accepted.count > 10)
    #expect(refusal?.description.contains("disk is full") == true)
    #expect(try database.unsettledJobs().map(\.job.id) == accepted.map { JobID($0) })
    try database.expectSound()

    try await allow(nil, database)
    let next = try await database.accepted(place, by: account).id
    #expect(next > accepted[accepted.count - 1])
    #expect(try await database.settled(accepted.map { ($0, .verdict(.at(1))) }).count == accepted.count)
    #expect(try database.number("SELECT count(*) FROM pragma_integrity_check WHERE integrity_check != 'ok'") == 0)
  }

  @Test("The disk is full from the first refused write until a check finds space")
  func known() async throws {
    let database = try folder.open()
    let account = try await database.addAccount()
    #expect(database.space.fullMs == nil && database.space.sizeBytes > database.space.freeBytes)
    #expect(database.space.freeBytes > Limits.diskRecoveredBytes && database.space.dataBytes >= 4_096)
    try await allow(0, database)
    var refused = 0
    while refused < 3 {
      do { _ = try await database.accepted(String(repeating: "x", count: 256), by: account) } catch { refused += 1 }
    }
    #expect(database.diskFullMs != nil && database.space.fullMs == database.diskFullMs)
    try await allow(nil, database)
    let check = await database.checkDisk()
    #expect(!check.isFull && check.refused == 3 && database.diskFullMs == nil)
    let next = await database.checkDisk()
    #expect(!next.isFull && next.refused == 0)
  }

  @Test("A disk that refuses writes despite free bytes stays full until a page fits")
  func refusing() async throws {
    let database = try folder.open()
    let account = try await database.addAccount()
    let refusal = try Refusal(of: folder.database + "-wal")
    defer { refusal.end() }
    await #expect(throws: StoreError.self) { _ = try await database.accepted(by: account) }
    #expect(database.space.freeBytes > Limits.diskRecoveredBytes)
    for refused in [1, 0, 0] {
      let check = await database.checkDisk()
      #expect(check.isFull && check.refused == refused)
    }
    refusal.end()
    let check = await database.checkDisk()
    #expect(!check.isFull && check.refused == 0)
    _ = try await database.accepted(by: account)
    #expect(try database.number("SELECT boot FROM meta") == Int(database.generation))
  }

  @Test(
    "A disk is full below 64 KiB and may have space again from 1 MiB",
    arguments: [
      (65_535, false, .full), (65_536, false, .unchanged), (0, false, .full), (nil, false, .unchanged),
      (1_048_575, true, .unchanged), (1_048_576, true, .mayHaveSpace), (0, true, .unchanged),
      (nil, true, .mayHaveSpace),
    ] as [(Int64?, Bool, DiskFullState.Finding)])
  func edges(freeBytes: Int64?, isFull: Bool, finding: DiskFullState.Finding) {
    #expect(DiskFullState.finding(freeBytes: freeBytes, isFull: isFull) == finding)
  }

  @Test("A group that fills the disk accepts the posts that fit and refuses the others")
  func group() async throws {
    let database = try folder.open()
    let account = try await database.addAccount()
    try await allow(6, database)
    let submission = try Submission(
      place: String(repeating: "x", count: 256), link: "example.org", latitude: nil, longitude: nil)
    let gate = await Gate(database)
    let (results, completion) = AsyncStream.makeStream(of: Result<Acceptance, StoreError>.self)
    for _ in 0..<200 {
      database.accept(submission, account: account, unixMs: 1) { completion.yield($0) }
    }
    gate.open()
    var (ids, full) = ([PostID](), 0)
    for await result in results.prefix(200) {
      switch result {
      case .success(let acceptance): ids += acceptance.accepted.map { [$0.id] } ?? []
      case .failure(.full): full += 1
      case .failure(let error): Issue.record("\(error)")
      }
    }
    #expect(!ids.isEmpty && full > 0)
    #expect(ids.count + full == 200)
    #expect(try database.unsettledJobs().map(\.job.id) == ids.map { JobID($0) })
  }
}

/// Makes SQLite's writes to one file fail with ENOSPC, as a full disk does. A process may have only one refusal at a
/// time.
private struct Refusal {
  private struct File: Sendable, Equatable {
    let device: dev_t
    let inode: ino_t

    init(_ status: stat) { (device, inode) = (status.st_dev, status.st_ino) }
  }

  private static let file = Mutex<File?>(nil)

  init(of path: String) throws {
    var status = stat()
    let code = stat(path, &status)
    try #require(code == 0)
    let file = File(status)
    Refusal.file.withLock { $0 = file }
    let write: @convention(c) (Int32, UnsafeRawPointer?, Int, off_t) -> Int = { descriptor, bytes, count, offset in
      var status = stat()
      let isOpen = fstat(descriptor, &status) == 0
      let file = File(status)
      guard isOpen, Refusal.file.withLock({ $0 == file }) else { return pwrite(descriptor, bytes, count, offset) }
      errno = ENOSPC
      return -1
    }
    // The replacement stays for the life of the process. Other files are written as before.
    let system = try #require(sqlite3_vfs_find(nil))
    for name in ["pwrite", "pwrite64"] {
      let code = system.pointee.xSetSystemCall(system, name, unsafeBitCast(write, to: sqlite3_syscall_ptr.self))
      #expect(code == 0)
    }
  }

  /// Lets writes succeed again.
  func end() { Refusal.file.withLock { $0 = nil } }
}
