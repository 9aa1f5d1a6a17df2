import Domain
import GRDB
import GRDBSQLite
import Glibc
import Metrics
import Store
import Telemetry

/// Executor of scans: reads that may examine very many rows. Scans have their own read-only connections, so that quick
/// reads never wait for scans. `ScanSlots` limits their number. Any thread.
final class ScanExecutor: Sendable {
  private let pool: DatabasePool
  private let slots: ScanSlots
  private let done = Metric.storeScans.counter("done")
  private let refused = Metric.storeScans.counter("refused")
  private let ended = Metric.storeScans.counter("ended")

  /// - Parameters:
  ///   - configuration: Configuration of a read-only connection.
  ///   - pause: Called while no scan runs, to checkpoint the WAL. The function calls back when scans may continue.
  /// - Throws: `DatabaseError` if the file cannot be opened.
  init(
    path: String, configuration: GRDB.Configuration, times: ScanTimes,
    pause: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void
  ) throws {
    var configuration = configuration
    configuration.readonly = true
    configuration.maximumReaderCount = Limits.concurrentScansMax
    pool = try DatabasePool(path: path, configuration: configuration)
    slots = ScanSlots(times: times, now: { .now }, pause: pause)
  }

  /// Number of scans that wait for a slot.
  var waitingCount: Int { slots.waitingCount }

  /// Runs a read when it has a slot. SQLite interrupts it at its timeout or when its client has disconnected.
  ///
  /// - Parameter body: The read. An error `SQLITE_INTERRUPT` of a statement in `body` means that the scan must end.
  /// - Throws: `StoreError.tooManyScans` and `.scanEnded`, which may be retried, and errors of `body`.
  func run<Value: Sendable>(
    for client: ScanClient, _ body: @escaping @Sendable (Database) throws -> Value
  ) async throws -> Value {
    do {
      return try await slots.run(for: client) { limit in try await read(within: limit, body) }
    } catch StoreError.tooManyScans {
      refused.increment()
      throw StoreError.tooManyScans
    }
  }

  /// Runs the read of a scan that has a slot.
  private func read<Value: Sendable>(
    within limit: ScanLimit, _ body: @escaping @Sendable (Database) throws -> Value
  ) async throws -> Value {
    do {
      let value = try await pool.read { db in try db.bounded(by: limit, body) }
      done.increment()
      return value
    } catch let error as DatabaseError where error.resultCode == .SQLITE_INTERRUPT {
      ended.increment()
      throw StoreError.scanEnded
    }
  }

  /// Ends all scans and closes the connections. Blocks until both are done.
  func close() {
    slots.close()
    try? pool.close()
  }
}

/// SQLite's progress handler, on the scan's thread, while a statement runs.
private final class ScanInterrupter {
  private let limit: ScanLimit
  private var sliceStart = ContinuousClock.now

  init(_ limit: ScanLimit) { self.limit = limit }

  /// Returns 1 to interrupt the statement, else 0. Sleeps after each `Limits.scanSliceUs` of the scan's time.
  func check() -> Int32 {
    let now = ContinuousClock.now
    if limit.mustEnd(at: now) { return 1 }
    if now - sliceStart >= .microseconds(Limits.scanSliceUs) {
      usleep(UInt32(Limits.scanSliceUs))
      sliceStart = .now
    }
    return 0
  }
}

extension Database {
  /// Runs a read that SQLite ends with `SQLITE_INTERRUPT` as soon as its limit requires.
  fileprivate func bounded<Value>(by limit: ScanLimit, _ body: (Database) throws -> Value) throws -> Value {
    let interrupter = ScanInterrupter(limit)
    sqlite3_progress_handler(
      sqliteConnection, Limits.scanStepsPerCheck,
      { context in context.map { Unmanaged<ScanInterrupter>.fromOpaque($0).takeUnretainedValue().check() } ?? 0 },
      Unmanaged.passUnretained(interrupter).toOpaque())
    defer {
      sqlite3_progress_handler(sqliteConnection, 0, nil, nil)
      withExtendedLifetime(interrupter) {}
    }
    return try body(self)
  }
}
