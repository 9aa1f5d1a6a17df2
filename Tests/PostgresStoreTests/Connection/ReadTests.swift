import Domain
import InMemoryLogging
import Logging
import PostgresServer
import Store
import StoreTesting
import Synchronization
import Testing

@testable import PostgresStore

@Suite("Reads")
struct ReadTests {
  @Test("A list read ends at the server when its client disconnects, and later reads succeed")
  func disconnected() async throws {
    let database = try TestDatabase()
    let store = try database.open()
    defer { store.close() }
    let ids = try await store.published(2, by: store.addAccount())
    let locker = try database.connect(.start)
    try locker.transaction(within: .seconds(60)) { locker in
      // The transaction stays open, because it has no COMMIT.
      _ = try locker.query(Statement(once: "BEGIN"))
      _ = try locker.query(Statement(once: "LOCK TABLE outcome IN ACCESS EXCLUSIVE MODE"))
    }
    let query = ListQuery(order: .createdAt)
    let observer = try database.connect(.start)
    let waiting = "FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
    func waitingCount() throws -> Int64 {
      try observer.transaction(within: .seconds(60)) { observer in
        try observer.query(Statement(once: "SELECT count(*) \(waiting)")).first?.int(0) ?? 0
      }
    }
    // Without the cancellation, the earlier read ends first, at its timeout. On a busy machine it may end before the
    // later one has started, so there are several attempts.
    var isFirst = false
    for _ in 0..<10 where !isFirst {
      let ends = Ends()
      await withTaskGroup { group in
        var disconnects: [@Sendable () -> Void] = []
        for isDisconnected in [false, true] {
          let (registered, registering) = AsyncStream.makeStream(of: (@Sendable () -> Void).self)
          group.addTask {
            var ended: StoreError?
            do {
              _ = try await store.listed(query, for: ScanClient(network: nil) { registering.yield($0) })
            } catch { ended = error as? StoreError }
            ends.append((isDisconnected, ended))
          }
          for await disconnect in registered.prefix(1) { disconnects.append(disconnect) }
          while ends.first == nil, (try? waitingCount()) ?? 0 < disconnects.count {
            try? await Task.sleep(for: .milliseconds(5))
          }
        }
        disconnects[1]()
        await group.next()
        while ends.count == 1, (try? waitingCount()) ?? 2 > 1 { try? await Task.sleep(for: .milliseconds(5)) }
        isFirst = ends.count == 1 && ends.first?.isDisconnected == true
        disconnects[0]()
      }
      let first = try #require(ends.first)
      guard case .scanEnded = first.error else { throw first.error ?? .unavailable("the locked table was read") }
    }
    #expect(isFirst, "The disconnected read must end at the server before a read that is older.")
    try await database.wait(until: "SELECT count(*) = 0 \(waiting)")
    try locker.transaction(within: .seconds(60)) { locker in _ = try locker.query(Statement(once: "ROLLBACK")) }
    for _ in 0..<8 { #expect(try await store.listed(query, for: .ingest).map(\.entry.id) == ids.reversed()) }
  }

  @Test("Reads that fail during an outage are logged in one line, and in another one with their number afterwards")
  func outage() async throws {
    let server = try PostgresServer()
    defer { server.stop() }
    let log = InMemoryLogHandler()
    let database = try TestDatabase(on: server, logger: Logger(label: "test") { _ in log })
    let store = try database.open()
    defer { store.close() }
    let account = try await store.addAccount()
    #expect(try await store.account(account) != nil)
    server.kill()
    let failed = await withTaskGroup(of: Bool.self) { group in
      for _ in 0..<20 {
        group.addTask {
          do { _ = try await store.account(account) } catch { return (error as? StoreError)?.isLoggedOnce == true }
          return false
        }
      }
      return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
    }
    #expect(failed == 20)
    try server.start()
    let deadline = ContinuousClock.now + .seconds(60)
    func isLogged(_ message: String) -> Bool { log.entries.contains { "\($0.message)" == message } }
    // Only a later read can end the outage.
    while !isLogged("reads recovered"), ContinuousClock.now < deadline {
      #expect(try await store.account(account) != nil)
      try await Task.sleep(for: .milliseconds(100))
    }
    let lines = log.entries.filter { "\($0.message)".hasPrefix("read") }
    #expect(lines.map { "\($0.message)" } == ["reads failing: refusing requests that need them", "reads recovered"])
    #expect(lines.last.map { "\($0.metadata["failed_reads"] ?? "")" } == "20")
  }

  @Test("An outage of reads ends a second after the latest failure, and errors of statements are logged each")
  func outageLog() {
    let log = InMemoryLogHandler()
    let outage = ReadOutage(Logger(label: "test") { _ in log })
    let start = ContinuousClock.now
    func messages() -> [String] { log.entries.map { "\($0.message)" } }
    outage.recordSuccess(at: start)
    outage.recordFailure(StoreError.noAccount, at: start)
    #expect(messages().isEmpty)
    for second in 0..<3 {
      outage.recordFailure(PostgresError.connection("lost"), at: start + .seconds(second))
      outage.recordFailure(StoreError.unavailable("too many reads"), at: start + .seconds(second))
      outage.recordSuccess(at: start + .seconds(second + 1))
    }
    #expect(messages() == ["reads failing: refusing requests that need them"])
    outage.recordSuccess(at: start + .milliseconds(3_001))
    outage.recordSuccess(at: start + .seconds(60))
    #expect(messages().dropFirst() == ["reads recovered"])
    #expect(log.entries.last.map { "\($0.metadata["failed_reads"] ?? "")" } == "6")
    for _ in 0..<2 { outage.recordFailure(PostgresError(state: "22023", message: "a defect"), at: start) }
    #expect(messages().dropFirst(2) == ["read failed", "read failed"])
  }

  @Test("A row's values stay readable without its result, after later statements of the connection")
  func rows() throws {
    let database = try TestDatabase()
    let connection = try database.connect(.inspection)
    let row = try connection.transaction(within: .seconds(60)) { connection in
      let select = "SELECT -2::int2, 3::int8, true, 'Zürich', '\\x0100'::bytea, NULL::text, repeat('a', 10000)"
      let row = try connection.query(Statement(once: select)).first
      for _ in 0..<10 { _ = try connection.query(Statement(once: "SELECT repeat('b', 10000)")) }
      return row
    }
    let found = try #require(row)
    #expect(found.int(0) == -2 && found.int(1) == 3 && found.bool(2) && found.text(3) == "Zürich")
    #expect(found.blob(4) == [1, 0] && found.optionalText(5) == nil && found.blob(5) == nil && found.integer(5) == nil)
    #expect(found.text(6) == String(repeating: "a", count: 10_000))
  }

  /// Ends of reads, in their order.
  private final class Ends: Sendable {
    typealias End = (isDisconnected: Bool, error: StoreError?)
    private let ends = Mutex<[End]>([])
    var first: End? { ends.withLock(\.first) }
    var count: Int { ends.withLock(\.count) }
    func append(_ end: End) { ends.withLock { $0.append(end) } }
  }
}
