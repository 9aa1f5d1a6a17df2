import Domain
import GRDB
import GRDBSQLite
import Glibc
import Metrics
import Store
import Synchronization
import Telemetry

/// Timeouts of scans, in milliseconds.
package struct ScanTimes: Sendable {
  /// Timeout of a running scan, in milliseconds.
  package var limitMs = Limits.scanMs
  /// Timeout of a scan that waits for its slot, in milliseconds.
  package var waitMs = Limits.scanWaitMs
  /// Longest time with scans before a pause to checkpoint the WAL, in milliseconds.
  package var busyMaxMs = Limits.scanBusyMaxMs

  package init() {}
}

/// Executor of scans: reads that may examine very many rows. Scans have their own read-only connections, so that quick
/// reads never wait for scans. At most `Limits.concurrentScansMax` scans run, and a bounded queue holds others. Any
/// thread.
final class ScanExecutor: Sendable {
  private struct State: Sendable {
    var queue = ScanQueue()
    var waiting: [UInt64: CheckedContinuation<Void, any Error>] = [:]
    /// Start of the current period with scans and without a pause.
    var busySince = ContinuousClock.now
    var isClosed = false
  }

  private let pool: DatabasePool
  private let times: ScanTimes
  private let pause: @Sendable (@escaping @Sendable () -> Void) -> Void
  private let lastID = Atomic<UInt64>(0)
  private let state = Mutex(State())
  /// Flag that `close` raises to end running scans.
  private let isClosing = CancellationFlag()
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
    self.times = times
    self.pause = pause
  }

  /// Number of scans that wait for a slot.
  var waitingCount: Int { state.withLock(\.waiting.count) }

  /// Runs a read when it has a slot. SQLite interrupts it at its timeout or when its client has disconnected.
  ///
  /// - Parameter body: The read. An error `SQLITE_INTERRUPT` of a statement in `body` means that the scan must end.
  /// - Throws: `StoreError.tooManyScans` and `.scanEnded`, which may be retried, and errors of `body`.
  func run<Value: Sendable>(
    for client: ScanClient, _ body: @escaping @Sendable (Database) throws -> Value
  ) async throws -> Value {
    let id = lastID.add(1, ordering: .relaxed).newValue
    let isDisconnected = CancellationFlag()
    client.onDisconnect { [weak self] in
      isDisconnected.raise()
      self?.cancel(id)
    }
    do {
      try await withCheckedThrowingContinuation { continuation in
        admit(id, from: client.network, isDisconnected: isDisconnected, continuation)
      }
    } catch {
      refused.increment()
      throw error
    }
    defer { release(id) }
    let end = ContinuousClock.now + .milliseconds(times.limitMs)
    do {
      let value = try await pool.read { [isClosing] db in
        try db.bounded(by: { isDisconnected.isRaised || isClosing.isRaised || $0 >= end }, body)
      }
      done.increment()
      return value
    } catch let error as DatabaseError where error.resultCode == .SQLITE_INTERRUPT {
      ended.increment()
      throw StoreError.scanEnded
    }
  }

  private func admit(
    _ id: UInt64, from network: IPAddress?, isDisconnected: CancellationFlag,
    _ continuation: CheckedContinuation<Void, any Error>
  ) {
    let admission = state.withLock { state -> ScanQueue.Admission in
      guard !state.isClosed, !isDisconnected.isRaised else { return .refused }
      if state.queue.isIdle { state.busySince = .now }
      let admission = state.queue.admit(id, from: network)
      if admission == .waits { state.waiting[id] = continuation }
      return admission
    }
    switch admission {
    case .starts: continuation.resume()
    case .waits:
      Task { [times, weak self] in
        try await Task.sleep(for: .milliseconds(times.waitMs))
        self?.cancel(id)
      }
    case .refused: continuation.resume(throwing: StoreError.tooManyScans)
    }
  }

  /// Passes a scan's slot to the next scan, unless a pause is due.
  private func release(_ id: UInt64) {
    let (next, startsPause) = state.withLock { state in
      if ContinuousClock.now - state.busySince >= .milliseconds(times.busyMaxMs) { state.queue.pause() }
      let next = state.queue.finish(id)
      return (next.flatMap { state.waiting.removeValue(forKey: $0) }, state.queue.isPaused && state.queue.isIdle)
    }
    next?.resume()
    if startsPause { pause { [weak self] in self?.resumeAfterPause() } }
  }

  private func resumeAfterPause() {
    let next = state.withLock { state in
      state.busySince = .now
      return state.queue.resume().compactMap { state.waiting.removeValue(forKey: $0) }
    }
    for continuation in next { continuation.resume() }
  }

  /// Removes a scan from the queue. A running scan is interrupted by its flag.
  private func cancel(_ id: UInt64) {
    let continuation = state.withLock { state in
      let continuation = state.waiting.removeValue(forKey: id)
      // The scan had no slot, so no other scan starts.
      if continuation != nil { _ = state.queue.finish(id) }
      return continuation
    }
    continuation?.resume(throwing: StoreError.tooManyScans)
  }

  /// Ends all scans and closes the connections. Blocks until both are done.
  func close() {
    isClosing.raise()
    let waiting = state.withLock { state in
      defer { (state.isClosed, state.waiting) = (true, [:]) }
      return state.waiting
    }
    for continuation in waiting.values { continuation.resume(throwing: StoreError.tooManyScans) }
    try? pool.close()
  }
}

/// A flag that stays raised. Any thread.
private final class CancellationFlag: Sendable {
  private let value = Atomic(false)

  var isRaised: Bool { value.load(ordering: .relaxed) }

  func raise() { value.store(true, ordering: .relaxed) }
}

/// SQLite's progress handler, on the scan's thread, while a statement runs.
private final class ScanInterrupter {
  private let mustEnd: (ContinuousClock.Instant) -> Bool
  private var sliceStart = ContinuousClock.now

  init(_ mustEnd: @escaping (ContinuousClock.Instant) -> Bool) { self.mustEnd = mustEnd }

  /// Returns 1 to interrupt the statement, else 0. Sleeps after each `Limits.scanSliceUs` of the scan's time.
  func check() -> Int32 {
    let now = ContinuousClock.now
    if mustEnd(now) { return 1 }
    if now - sliceStart >= .microseconds(Limits.scanSliceUs) {
      usleep(UInt32(Limits.scanSliceUs))
      sliceStart = .now
    }
    return 0
  }
}

extension Database {
  /// Runs a read that SQLite ends with `SQLITE_INTERRUPT` as soon as `mustEnd` returns true.
  fileprivate func bounded<Value>(
    by mustEnd: @escaping (ContinuousClock.Instant) -> Bool, _ body: (Database) throws -> Value
  ) throws -> Value {
    let interrupter = ScanInterrupter(mustEnd)
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
