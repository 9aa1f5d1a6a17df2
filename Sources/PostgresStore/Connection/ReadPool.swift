import DequeModule
import Dispatch
import Domain
import Glibc
import Store
import Synchronization

/// Connections for reads. Each runs one read at a time, and further reads wait in their order. Any thread.
final class ReadPool: Sendable {
  /// A connection, which opens at its first read. Only the read that has the slot uses it.
  private final class Slot: Sendable {
    let connection = Mutex<PostgresConnection?>(nil)
  }

  private struct State: Sendable {
    var idle: [Slot]
    var waiting: Deque<@Sendable (Slot?) -> Void> = []
    var isClosed = false
  }

  private let connector: PostgresConnector
  private let timeout: Duration
  private let outage: ReadOutage?
  private let slots: [Slot]
  private let state: Mutex<State>
  private let queue = DispatchQueue(label: "onthemap.reads", attributes: .concurrent)

  /// - Parameters:
  ///   - count: Number of connections.
  ///   - timeout: Timeout of one read.
  ///   - outage: Log of failed reads. Nil if the caller logs them.
  init(_ connector: PostgresConnector, count: Int, timeout: Duration, outage: ReadOutage? = nil) {
    (self.connector, self.timeout, self.outage) = (connector, timeout, outage)
    slots = (0..<count).map { _ in Slot() }
    state = Mutex(State(idle: slots))
  }

  /// Runs a read. Repeats the read while no server answers, for `Limits.postgresReadRetryMs` at most.
  ///
  /// - Throws: `StoreError`. Retry after `.unavailable`.
  func run<Value: Sendable>(_ body: @escaping @Sendable (PostgresConnection) throws -> Value) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
      let end = ContinuousClock.now + .milliseconds(Limits.postgresReadRetryMs)
      submit { slot in continuation.resume(with: Result { try self.read(slot, until: end, body) }) }
    }
  }

  /// Runs other blocking work on a thread of the pool, without a connection.
  func runDetached<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
      queue.async { continuation.resume(with: Result { try body() }) }
    }
  }

  /// Runs a read, and blocks the calling thread meanwhile.
  func runBlocking<Value: Sendable>(
    _ body: @escaping @Sendable (PostgresConnection) throws -> Value
  ) throws -> Value {
    let result = Mutex<Result<Value, any Error>?>(nil)
    let done = DispatchSemaphore(value: 0)
    let end = ContinuousClock.now + .milliseconds(Limits.postgresReadRetryMs)
    submit { slot in
      let value = Result { try self.read(slot, until: end, body) }
      result.withLock { $0 = value }
      done.signal()
    }
    done.wait()
    guard let result = result.withLock({ $0 }) else { preconditionFailure("The read has not stored its result.") }
    return try result.get()
  }

  /// Closes the connections. Waits for the reads in progress. Later reads open other connections.
  func disconnect() { for slot in slots { slot.connection.withLock { $0 = nil } } }

  /// Refuses waiting and later reads, and closes the connections.
  func close() {
    let (idle, waiting) = state.withLock { state in
      defer { (state.isClosed, state.idle, state.waiting) = (true, [], []) }
      return (state.idle, state.waiting)
    }
    for slot in idle { slot.connection.withLock { $0 = nil } }
    for work in waiting { work(nil) }
  }

  /// - Parameter work: Called once with a slot, or with nil if the pool is closed or full.
  private func submit(_ work: @escaping @Sendable (Slot?) -> Void) {
    enum Admission { case runs(Slot), waits, refused }
    let admission = state.withLock { state -> Admission in
      guard !state.isClosed else { return .refused }
      if let slot = state.idle.popLast() { return .runs(slot) }
      guard state.waiting.count < Limits.postgresReadsWaitingMax else { return .refused }
      state.waiting.append(work)
      return .waits
    }
    switch admission {
    case .runs(let slot): queue.async { self.run(work, slot) }
    case .refused: work(nil)
    case .waits: break
    }
  }

  /// Runs a read and all reads that wait for its slot.
  private func run(_ first: @escaping @Sendable (Slot?) -> Void, _ slot: Slot) {
    var next: (@Sendable (Slot?) -> Void)? = first
    while let work = next {
      work(slot)
      next = state.withLock { state in
        if let next = state.waiting.popFirst() { return next }
        if !state.isClosed { state.idle.append(slot) }
        return nil
      }
    }
    if state.withLock(\.isClosed) { slot.connection.withLock { $0 = nil } }
  }

  private func read<Value: Sendable>(
    _ slot: Slot?, until end: ContinuousClock.Instant, _ body: @Sendable (PostgresConnection) throws -> Value
  ) throws(StoreError) -> Value {
    do {
      let value = try repeated(slot, until: end, body)
      outage?.recordSuccess(at: .now)
      return value
    } catch {
      // Reads that fail because the pool is closing are no outage.
      if !state.withLock(\.isClosed) { outage?.recordFailure(error, at: .now) }
      throw StoreError(read: error)
    }
  }

  /// Runs a read, and repeats it while no server answers.
  private func repeated<Value: Sendable>(
    _ slot: Slot?, until end: ContinuousClock.Instant, _ body: @Sendable (PostgresConnection) throws -> Value
  ) throws -> Value {
    guard let slot else { throw StoreError.unavailable("too many reads wait, or ingest is shutting down") }
    guard ContinuousClock.now < end else {
      throw StoreError.unavailable("the read has waited too long for a connection")
    }
    while true {
      do { return try attempt(slot, body) } catch let error as PostgresError where error.meaning == .repeatable {
        guard ContinuousClock.now < end, !state.withLock(\.isClosed) else { throw error }
        if error.endsConnection { usleep(UInt32(Limits.postgresRetryMs.lowerBound) * 1_000) }
      }
    }
  }

  private func attempt<Value: Sendable>(
    _ slot: Slot, _ body: @Sendable (PostgresConnection) throws -> Value
  ) throws -> Value {
    try slot.connection.withLock { connection in
      let isCurrent = connector.primary.isCurrent(connection?.host)
      if connection?.isUsable != true || !isCurrent { connection = try connector.connect() }
      guard let open = connection else { preconditionFailure("The connection is open.") }
      defer { if !open.isUsable { connection = nil } }
      return try open.transaction(within: timeout) { try body($0) }
    }
  }
}
