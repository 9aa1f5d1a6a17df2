import Dispatch
import Foundation
import GRDB
import Store
import StoreTesting
import Synchronization
import Testing

@testable import Domain
@testable import SQLiteStore

@Suite("Scan executor", .timeLimit(.minutes(2)))
struct ScanExecutorTests {
  private let folder = Folder()
  private static let endless = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"

  private func condition(_ text: String) throws -> ListCondition {
    try ListCondition(try JSONDecoder().decode(JSONValue.self, from: Data(text.utf8)))
  }

  private func untilWaiting(_ count: Int, in database: SQLiteDatabase) async {
    while database.scans.waitingCount != count { await Task.yield() }
  }

  private func expectRefused(
    sourceLocation: SourceLocation = #_sourceLocation, _ body: () async throws -> Void
  ) async {
    let error = await #expect(throws: StoreError.self, sourceLocation: sourceLocation) { try await body() }
    guard case .tooManyScans? = error else {
      Issue.record("\(String(describing: error)) is another error", sourceLocation: sourceLocation)
      return
    }
  }

  private func expectEnded(
    sourceLocation: SourceLocation = #_sourceLocation, _ body: () async throws -> Void
  ) async {
    let error = await #expect(throws: StoreError.self, sourceLocation: sourceLocation) { try await body() }
    guard case .scanEnded? = error else {
      Issue.record("\(String(describing: error)) is another error", sourceLocation: sourceLocation)
      return
    }
  }

  @Test("Quick reads and writes continue while scans fill all slots and the queue")
  func full() async throws {
    let database = try folder.open()
    let account = try await database.addAccount()
    let id = try await database.published(1, by: account)[0]
    let blockers = await BlockingScans(database)
    let waiting = Task {
      try await withThrowingTaskGroup(of: Int.self) { group in
        for _ in 0..<Limits.scansWaitingMax {
          group.addTask { try await database.published(PostFilter(), below: nil, limit: 1).entries.count }
        }
        return try await group.reduce(0, +)
      }
    }
    await untilWaiting(Limits.scansWaitingMax, in: database)
    await expectRefused { _ = try await database.published(PostFilter(), below: nil, limit: 1) }
    for query in [ListQuery(limit: 50, skip: 51), ListQuery(isDescending: false), ListQuery(order: .createdAt)] {
      await expectRefused { _ = try await database.listed(query) }
    }
    #expect(try await database.post(id)?.id == id)
    #expect(try await database.account(account)?.id == account)
    #expect(try await database.session(tokenHash: [1]) == nil)
    #expect(try await database.credentials(email: "nobody@example.org") == nil)
    #expect(try await database.latest().entries.map(\.id) == [id])
    #expect(try await database.listed(ListQuery()).map(\.entry.id) == [id])
    #expect(try await database.listed(ListQuery(limit: 50, skip: 50)).isEmpty)
    let own = ListQuery(condition: try condition("{\"uniqueKey\":\"\(account.rawValue)\"}"))
    #expect(try await database.listed(own).map(\.entry.id) == [id])
    #expect(
      try await database.posts(of: account, PostFilter(text: "oslo"), after: nil, limit: 9).posts.map(\.id) == [id])
    #expect(try await database.users(email: nil, after: nil, limit: 9, unixMs: 1).count == 1)
    #expect(try await database.deadCounts().all == 0)
    _ = try await database.accepted(by: account)
    blockers.open()
    #expect(try await waiting.value == Limits.scansWaitingMax)
  }

  @Test("A network gets one scan slot, and another block of addresses gets the second")
  func networks() async throws {
    let database = try folder.open()
    let (greedy, other) = (IPAddress("203.0.113.1"), IPAddress("198.51.100.1"))
    let blockers = await BlockingScans(database, count: 1, network: greedy)
    let second = Task {
      try await database.published(PostFilter(), below: nil, limit: 1, for: ScanClient(network: greedy) { _ in }).next
    }
    await untilWaiting(1, in: database)
    _ = try await database.published(PostFilter(), below: nil, limit: 1, for: ScanClient(network: other) { _ in })
    #expect(database.scans.waitingCount == 1)
    blockers.open()
    #expect(try await second.value == nil)
  }

  @Test("A read of an account's posts is quick up to the limit, and a scan above it")
  func quick() async throws {
    let database = try folder.open()
    let account = try await database.addAccount()
    let own = ListQuery(condition: try condition("{\"uniqueKey\":\"\(account.rawValue)\"}"))
    _ = try await database.published(Limits.quickReadRowsMax, by: account)
    let blockers = await BlockingScans(database)
    #expect(try await database.listed(own).count == Limits.quickReadRowsMax)
    #expect(try await database.posts(of: account, after: nil, limit: 1_000).posts.count == Limits.quickReadRowsMax)
    _ = try await database.published(1, by: account)
    let scans = [
      Task { try await database.listed(own).count },
      Task { try await database.posts(of: account, after: nil, limit: 1_000).posts.count },
    ]
    await untilWaiting(2, in: database)
    blockers.open()
    for scan in scans { #expect(try await scan.value >= 100) }
  }

  @Test("A waiting scan leaves the queue when its client disconnects")
  func disconnectedWhileWaiting() async throws {
    let database = try folder.open()
    let blockers = await BlockingScans(database)
    let client = DisconnectingClient()
    let scan = Task { try await database.scans.run(for: client.scanClient) { _ in } }
    await untilWaiting(1, in: database)
    client.disconnect()
    await expectRefused { try await scan.value }
    #expect(database.scans.waitingCount == 0)
    blockers.open()
  }

  @Test("A running scan ends when its client disconnects, and its connection serves the next scan")
  func disconnectedWhileRunning() async throws {
    let database = try folder.open()
    for _ in 0..<2 * Limits.concurrentScansMax {
      let client = DisconnectingClient()
      let scan = Task {
        try await database.scans.run(for: client.scanClient) { db in
          client.hasBegun.signal()
          _ = try Int.fetchOne(db, sql: Self.endless)
        }
      }
      await client.untilBegun()
      client.disconnect()
      await expectEnded { try await scan.value }
    }
    #expect(try await database.published(PostFilter(), below: nil, limit: 1).entries.isEmpty)
  }

  @Test("A scan of a disconnected client is refused")
  func disconnectedBefore() async throws {
    let database = try folder.open()
    await expectRefused {
      try await database.scans.run(for: ScanClient(network: nil) { $0() }) { _ in _ = Issue.record("the scan ran") }
    }
  }

  @Test("A listing by condition fails at its time limit")
  func timeOfCondition() async throws {
    let database = try folder.open(scanMs: 0)
    _ = try await database.published(300, by: try await database.addAccount())
    await expectEnded { _ = try await database.listed(ListQuery(condition: try condition("{\"mapString\":\"x\"}"))) }
  }

  @Test("A search at its time limit returns its results so far and the next position")
  func timeOfSearch() async throws {
    let database = try folder.open(scanMs: 0)
    let account = try await database.addAccount()
    let ids = try await database.published(300, by: account)
    var found: [PostID] = []
    var (below, pages): (UInt64?, Int) = (nil, 0)
    repeat {
      let page = try await database.published(PostFilter(), below: below, limit: 1_000)
      found += page.entries.map(\.id)
      (below, pages) = (page.next, pages + 1)
    } while below != nil
    #expect(found == ids.reversed())
    #expect(pages > 2)
    var (own, after): ([PostID], PostID?) = ([], nil)
    repeat {
      let page = try await database.posts(of: account, after: after, limit: 1_000)
      own += page.posts.map(\.id)
      after = page.next
    } while after != nil
    #expect(own == ids)
  }

  @Test("A scan is refused after its maximum wait")
  func waitTimeout() async throws {
    let database = try folder.open(scanWaitMs: 0)
    let blockers = await BlockingScans(database)
    await expectRefused { _ = try await database.published(PostFilter(), below: nil, limit: 1) }
    blockers.open()
  }

  @Test("Closing the database ends running scans and refuses waiting ones")
  func closing() async throws {
    let database = try folder.open()
    let clients = (0..<Limits.concurrentScansMax).map { _ in DisconnectingClient() }
    let running = clients.map { client in
      Task {
        try await database.scans.run(for: .ingest) { db in
          client.hasBegun.signal()
          _ = try Int.fetchOne(db, sql: Self.endless)
        }
      }
    }
    for client in clients { await client.untilBegun() }
    let waiting = Task { try await database.scans.run(for: .ingest) { _ in } }
    await untilWaiting(1, in: database)
    database.close()
    for scan in running { await expectEnded { try await scan.value } }
    await expectRefused { try await waiting.value }
    await expectRefused { try await database.scans.run(for: .ingest) { _ in } }
  }

  @Test("After a busy period, no scan starts until all scans have ended and a checkpoint has run")
  func pause() async throws {
    let database = try folder.open(scanBusyMaxMs: 0)
    let (first, second) = (await BlockingScans(database, count: 1), await BlockingScans(database, count: 1))
    let account = try await database.addAccount("zebulon")
    let third = Task { [folder] in
      try await database.scans.run(for: .ingest) { _ in
        String(decoding: try Data(contentsOf: URL(filePath: folder.database)), as: UTF8.self).contains("zebulon")
      }
    }
    await untilWaiting(1, in: database)
    try await first.end()
    #expect(database.scans.waitingCount == 1, "A slot is free, but no scan starts.")
    try await second.end()
    #expect(try await third.value)
    #expect(try await database.account(account)?.id == account)
  }

  @Test("Scans resume after their pause under a flood of writes")
  func pauseInFlood() async throws {
    let database = try folder.open(scanBusyMaxMs: 0)
    let blockers = await BlockingScans(database)
    let scan = Task { try await database.scans.run(for: .ingest) { _ in } }
    await untilWaiting(1, in: database)
    let flood = Flood(database)
    defer { flood.end() }
    try await blockers.end()
    // The checkpoint waits now. The writer finds it after the first of these writes, and runs it before the third.
    await flood.untilWritten(3)
    try #require(database.scans.waitingCount == 0, "The pause is over.")
    try await scan.value
  }

  @Test("A scan's connection can neither write nor checkpoint")
  func readOnly() async throws {
    let database = try folder.open()
    _ = try await database.published(3, by: try await database.addAccount())
    func logBytes() throws -> Int? {
      try FileManager.default.attributesOfItem(atPath: folder.database + "-wal")[.size] as? Int
    }
    let before = try logBytes()
    #expect(try #require(before) > 0)
    await #expect(throws: DatabaseError.self) {
      try await database.scans.run(for: .ingest) { db in try db.execute(sql: "UPDATE meta SET boot = 0") }
    }
    _ = try? await database.scans.run(for: .ingest) { db in try db.execute(sql: "PRAGMA wal_checkpoint(TRUNCATE)") }
    #expect(try logBytes() == before)
  }
}

/// Scans that occupy slots until `open`.
private struct BlockingScans {
  private let gate = DispatchSemaphore(value: 0)
  private var scans: [Task<Void, any Error>] = []

  /// Starts the scans, and returns when all of them run.
  init(_ database: SQLiteDatabase, count: Int = Limits.concurrentScansMax, network: IPAddress? = nil) async {
    for _ in 0..<count {
      let (begun, begunContinuation) = AsyncStream.makeStream(of: Void.self)
      scans.append(
        Task { [gate] in
          try await database.scans.run(for: ScanClient(network: network) { _ in }) { _ in
            begunContinuation.finish()
            gate.wait()
          }
        })
      for await _ in begun {}
    }
  }

  func open() { for _ in scans { gate.signal() } }

  /// Opens the slots, and returns when the scans have ended.
  func end() async throws {
    open()
    for scan in scans { try await scan.value }
  }
}

/// A chain of writes until `end`. Each write submits the next write before its own commit, so that a write always
/// waits.
private final class Flood: Sendable {
  private let database: SQLiteDatabase
  private let written = Atomic(0)
  private let hasEnded = Atomic(false)

  init(_ database: SQLiteDatabase) {
    self.database = database
    write()
  }

  private func write() {
    database.submit(
      { [self] _ in
        written.add(1, ordering: .sequentiallyConsistent)
        if !hasEnded.load(ordering: .sequentiallyConsistent) { write() }
      }, then: { _ in })
  }

  /// Returns when a number of further writes have begun.
  func untilWritten(_ further: Int) async {
    let goal = written.load(ordering: .sequentiallyConsistent) + further
    while written.load(ordering: .sequentiallyConsistent) < goal { await Task.yield() }
  }

  func end() { hasEnded.store(true, ordering: .sequentiallyConsistent) }
}

/// A client that a test disconnects.
private final class DisconnectingClient: Sendable {
  private let onDisconnect = Mutex<(@Sendable () -> Void)?>(nil)
  let hasBegun = DispatchSemaphore(value: 0)

  var scanClient: ScanClient {
    ScanClient(network: nil) { [self] callback in onDisconnect.withLock { $0 = callback } }
  }

  func disconnect() { onDisconnect.withLock { $0 }?() }

  /// Returns when the client's scan runs.
  func untilBegun() async {
    await withCheckedContinuation { continuation in
      DispatchQueue.global().async { [hasBegun] in
        hasBegun.wait()
        continuation.resume()
      }
    }
  }
}
