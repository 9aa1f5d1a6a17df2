import GRDB
import Testing

@testable import OnTheMap
@testable import Store

@Suite("A full disk")
struct FullDiskTests {
  private let folder = Folder()

  /// Lets the database grow by so many pages, or freely.
  private func allow(_ pages: Int?, _ database: IngestDatabase) async throws {
    try await database.writer.write { db in
      let count = try Int.fetchOne(db, sql: "PRAGMA page_count") ?? 0
      try db.execute(sql: "PRAGMA max_page_count = \(pages.map { count + $0 } ?? 1_000_000)")
    }
  }

  @Test("What does not fit is refused as full; what was accepted stays, and with room it goes on")
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

  @Test("A full disk is known from the first write that does not fit until a look finds room, and refusals are counted")
  func known() async throws {
    let database = try folder.open()
    let account = try await database.addAccount()
    #expect(database.disk.fullMs == nil && database.disk.sizeBytes > database.disk.freeBytes)
    #expect(database.disk.freeBytes > Limits.diskRoomBytes && database.disk.databaseBytes >= 4_096)
    try await allow(0, database)
    var refused = 0
    while refused < 3 {
      do { _ = try await database.accepted(String(repeating: "x", count: 256), by: account) } catch { refused += 1 }
    }
    #expect(database.diskFullMs != nil && database.disk.fullMs == database.diskFullMs)
    try await allow(nil, database)
    let look = await database.lookAtDisk()
    #expect(!look.isFull && look.refused == 3 && database.diskFullMs == nil)
    let next = await database.lookAtDisk()
    #expect(!next.isFull && next.refused == 0)
  }

  @Test("Of a group that does not fit, those that fit are accepted and the others refused, each with the truth")
  func group() async throws {
    let database = try folder.open()
    let account = try await database.addAccount()
    try await allow(6, database)
    let submission = try Submission(
      place: String(repeating: "x", count: 256), link: "example.org", latitude: nil, longitude: nil)
    let gate = await Gate(database)
    let (answers, answered) = AsyncStream.makeStream(of: AcceptResult.self)
    for _ in 0..<200 {
      database.accept(submission, account: account, idempotency: nil, unixMs: 1) { answered.yield($0) }
    }
    gate.open()
    var (ids, full) = ([PostID](), 0)
    for await answer in answers.prefix(200) {
      switch answer {
      case .success(let accepted): ids.append(try accepted.get().id)
      case .failure(.full): full += 1
      case .failure(let error): Issue.record("\(error)")
      }
    }
    #expect(!ids.isEmpty && full > 0)
    #expect(ids.count + full == 200)
    #expect(try database.unsettledJobs().map(\.job.id) == ids.map { JobID($0) })
  }
}
