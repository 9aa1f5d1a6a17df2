import CPostgreSQL
import Domain
import Glibc

/// A connection to a PostgreSQL server, in libpq's pipeline mode. One thread at a time.
///
/// All statements up to a Sync message are one transaction, without BEGIN and COMMIT. Each statement has its own
/// snapshot, unless the isolation level is higher than READ COMMITTED. After an error the server skips the statements
/// until the Sync, and the connection is usable again.
final class PostgresConnection {
  /// A message whose results are outstanding.
  private enum Message {
    case prepare(String)
    case query
    case sync
  }

  let host: PostgresAddress.Host
  /// Host and port of the server, for logs.
  var server: String { host.description }
  private let handle: OpaquePointer
  private let notices: NoticeLog
  private var outstanding: [Message] = []
  private var prepared: Set<String> = []
  /// Statements that the current transaction prepares.
  private var preparing: Set<String> = []
  /// True if the latest transaction has sent its Sync message. Its outcome is unknown after an error of the connection.
  private(set) var isSyncSent = false
  private var needsFlush = false
  /// Number of times that a transaction has waited for statements before its commit.
  private(set) var roundTrips = 0
  /// Returns false when the caller no longer needs the results. Nil for a transaction that is not cancelled.
  private var isNeeded: (@Sendable () -> Bool)?
  /// Interval at which a wait checks that its results are still needed.
  private static let checkInterval = Duration.milliseconds(50)
  private var timeout = Duration.zero
  private var deadline = ContinuousClock.now
  private var buffer: [UInt8] = []
  /// False after an error that ends the connection. The caller then opens another one.
  private(set) var isUsable = true
  /// True if the server has not answered in time.
  private(set) var isSilent = false
  /// True if TLS protects the connection.
  var isEncrypted: Bool { PQsslInUse(handle) == 1 }
  /// Process of the server that the connection's start has announced. A pooler announces another one than answers.
  var announcedProcess: Int64 { Int64(PQbackendPID(handle)) }

  /// Takes ownership of an idle connection.
  init(_ handle: OpaquePointer, notices: NoticeLog, host: PostgresAddress.Host) throws(PostgresError) {
    (self.handle, self.notices, self.host) = (handle, notices, host)
    guard PQsetnonblocking(handle, 1) == 0, PQenterPipelineMode(handle) == 1 else {
      throw .connection(String(cString: PQerrorMessage(handle)))
    }
  }

  deinit { PQfinish(handle) }

  /// Runs statements as one transaction. Durable on return, on a quorum of servers if the database demands it.
  ///
  /// An error before the Sync message rolls back. After the Sync, an error of the connection leaves the outcome
  /// unknown. A warning does too, because a server that stops waiting for its standbys reports only a warning. The body
  /// should not catch errors of this connection.
  ///
  /// - Parameter timeout: Time for each answer of the server. The connection is unusable after it.
  /// - Throws: `PostgresError`, and errors of `body`.
  func transaction<Value>(within timeout: Duration, _ body: (PostgresConnection) throws -> Value) throws -> Value {
    self.timeout = timeout
    deadline = .now + timeout
    notices.clear()
    isSyncSent = false
    do {
      let value = try body(self)
      try commit()
      return value
    } catch {
      if let error = error as? PostgresError, error.endsConnection { isUsable = false }
      if isUsable { recover() }
      throw error
    }
  }

  /// Runs reads that all see the same snapshot.
  ///
  /// - Throws: `PostgresError`, and errors of `body`.
  func snapshot<Value>(within timeout: Duration, _ body: (PostgresConnection) throws -> Value) throws -> Value {
    try block("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY", within: timeout, body)
  }

  /// Runs statements as an explicit transaction, which some commands require.
  ///
  /// - Throws: `PostgresError`, and errors of `body`.
  func block<Value>(
    _ begin: String, within timeout: Duration, _ body: (PostgresConnection) throws -> Value
  ) throws -> Value {
    try transaction(within: timeout) { connection in
      _ = try connection.query(Statement(once: begin))
      let value = try body(connection)
      _ = try connection.query(Statement(once: "COMMIT"))
      return value
    }
  }

  /// Runs reads that end early when the caller no longer needs the results. The server then cancels the statement in
  /// progress. The connection is unusable afterwards, so a late cancellation cannot reach another statement.
  ///
  /// - Parameter isNeeded: Called every `checkInterval` while the connection waits.
  /// - Throws: a `PostgresError` of the meaning `.timedOut` after a cancellation, and errors of `body`.
  func cancellable<Value>(while isNeeded: @escaping @Sendable () -> Bool, _ body: () throws -> Value) rethrows -> Value
  {
    self.isNeeded = isNeeded
    defer { self.isNeeded = nil }
    return try body()
  }

  /// Sends a statement, and returns its result. One round trip. Call this within a transaction.
  func query(_ statement: Statement, _ parameters: Parameter...) throws -> Rows {
    try send(statement, parameters)
    return try receive()
  }

  /// Sends a statement without waiting. Call `receive` once for each statement, in their order.
  func send(_ statement: Statement, _ parameters: [Parameter]) throws(PostgresError) {
    let name = statement.name
    if !name.isEmpty, !prepared.contains(name), preparing.insert(name).inserted {
      guard PQsendPrepare(handle, name, statement.sql, 0, nil) == 1 else { throw failure() }
      outstanding.append(.prepare(name))
    }
    buffer.removeAll(keepingCapacity: true)
    let ranges = parameters.map { parameter -> Range<Int>? in
      let start = buffer.count
      return parameter.append(to: &buffer) ? start..<buffer.count : nil
    }
    // An empty value needs an address too.
    buffer.append(0)
    let isSent = buffer.withUnsafeBytes { bytes in
      let values = ranges.map { range in
        range.flatMap { bytes.baseAddress?.advanced(by: $0.lowerBound).assumingMemoryBound(to: CChar.self) }
      }
      let lengths = ranges.map { Int32($0?.count ?? 0) }
      let formats = [Int32](repeating: 1, count: ranges.count)
      let count = Int32(ranges.count)
      return name.isEmpty
        ? PQsendQueryParams(handle, statement.sql, count, nil, values, lengths, formats, 1)
        : PQsendQueryPrepared(handle, name, count, values, lengths, formats, 1)
    }
    guard isSent == 1 else { throw failure() }
    outstanding.append(.query)
    needsFlush = true
  }

  /// Sends the Sync message, which commits the transaction, before the results are known.
  func sendCommit() throws(PostgresError) {
    guard PQpipelineSync(handle) == 1 else { throw failure() }
    outstanding.append(.sync)
    (isSyncSent, needsFlush) = (true, false)
  }

  /// Returns the result of the oldest statement that was sent.
  ///
  /// - Throws: the statement's error.
  func receive() throws(PostgresError) -> Rows {
    if needsFlush {
      guard PQsendFlushRequest(handle) == 1 else { throw failure() }
      needsFlush = false
      roundTrips += 1
    }
    while true {
      guard !outstanding.isEmpty else { preconditionFailure("No statement's result is outstanding.") }
      let message = outstanding.removeFirst()
      let rows = Rows(try result())
      let error = rows.error
      // A NULL ends the results of each statement.
      if let extra = try nextResult() { PQclear(extra) }
      if let error { throw error }
      switch message {
      case .prepare(let name): prepared.insert(name)
      case .query: return rows
      case .sync: preconditionFailure("The statement's result stands behind the Sync.")
      }
    }
  }

  private func commit() throws(PostgresError) {
    if !isSyncSent { try sendCommit() }
    while outstanding.count > 1 { _ = try receive() }
    if let error = try receiveSync() { throw error }
    // The commit may be on this server only: it ended its wait for a standby.
    if let warning = notices.warning { throw .connection("warning of the server: \(warning)") }
  }

  /// Reads up to the result of the Sync message. Returns the error of the commit itself, or nil.
  private func receiveSync() throws(PostgresError) -> PostgresError? {
    var error: PostgresError?
    while true {
      let rows = Rows(try result())
      if rows.isSync {
        outstanding.removeAll()
        preparing.removeAll()
        return error
      }
      error = error ?? rows.error
    }
  }

  /// Ends a failed transaction, so that the connection is usable for another one.
  private func recover() {
    timeout = .milliseconds(Limits.postgresRecoveryMs)
    deadline = .now + timeout
    do {
      if !isSyncSent {
        // The server skips this statement after an error. Without an error it ends the transaction.
        try send(Statement(once: "ROLLBACK"), [])
        try sendCommit()
      }
      while outstanding.count > 1 { do { _ = try receive() } catch let error where error.state != nil {} }
      // After an error of the commit itself, the result of the Sync is read already.
      if !outstanding.isEmpty { _ = try receiveSync() }
      // An explicit transaction is still open after an error.
      if PQtransactionStatus(handle) != PQTRANS_IDLE { isUsable = false }
    } catch {
      isUsable = false
    }
  }

  /// Waits for the next result that is not NULL.
  private func result() throws(PostgresError) -> OpaquePointer {
    // Two NULLs in a row do not occur. Three mean that libpq expects no further result.
    for _ in 0..<3 { if let result = try nextResult() { return result } }
    throw failure()
  }

  /// Waits for the next result. Nil for a NULL, which ends the results of a statement.
  private func nextResult() throws(PostgresError) -> OpaquePointer? {
    while true {
      let pending = PQflush(handle)
      guard pending >= 0 else { throw failure() }
      if PQisBusy(handle) == 0 { return PQgetResult(handle) }
      if isNeeded?() == false { throw cancel() }
      let events = Int16(POLLIN) | (pending == 1 ? Int16(POLLOUT) : 0)
      let end = isNeeded == nil ? deadline : min(deadline, .now + PostgresConnection.checkInterval)
      guard try PostgresConnection.wait(for: events, on: PQsocket(handle), until: end) else {
        if end < deadline { continue }
        (isUsable, isSilent) = (false, true)
        throw .connection("\(server) did not answer in time")
      }
      guard PQconsumeInput(handle) == 1 else { throw failure() }
      deadline = max(deadline, .now + timeout)
    }
  }

  /// Cancels the statement in progress without waiting for the server, and returns the error for the caller.
  private func cancel() -> PostgresError {
    isUsable = false
    CancelRequest(handle).send()
    return PostgresError(state: "57014", message: "the client no longer needs the results")
  }

  /// Waits until a socket is ready. Returns false at the deadline.
  static func wait(
    for events: Int16, on socket: Int32, until deadline: ContinuousClock.Instant
  ) throws(PostgresError) -> Bool {
    while true {
      let rest = deadline - .now
      guard rest > .zero else { return false }
      let ms = rest.components.seconds * 1_000 + rest.components.attoseconds / 1_000_000_000_000_000 + 1
      var descriptor = pollfd(fd: socket, events: events, revents: 0)
      let count = poll(&descriptor, 1, Int32(clamping: ms))
      if count > 0 { return true }
      guard count == 0 || errno == EINTR else { throw .connection(String(cString: strerror(errno))) }
    }
  }

  /// Returns libpq's error of the connection, which is unusable afterwards.
  private func failure() -> PostgresError {
    isUsable = false
    let message = String(cString: PQerrorMessage(handle)).split(separator: "\n").first.map(String.init)
    return .connection("\(server): \(message ?? "the connection is lost")")
  }
}

extension Rows {
  /// The error that the result contains. Nil for a success.
  fileprivate var error: PostgresError? {
    switch status {
    case PGRES_COMMAND_OK, PGRES_TUPLES_OK, PGRES_PIPELINE_SYNC, PGRES_EMPTY_QUERY: nil
    case PGRES_PIPELINE_ABORTED: PostgresError(state: "25P02", message: "an earlier statement failed")
    default: PostgresError(state: errorState, message: errorMessage, isStalePlan: isStalePlan)
    }
  }

  /// True for "cached plan must not change result type". Other errors with this SQLSTATE are defects of a statement,
  /// and the texts of errors depend on the server's language.
  private var isStalePlan: Bool { errorState == "0A000" && errorFunction == "RevalidateCachedQuery" }

  fileprivate var isSync: Bool { status == PGRES_PIPELINE_SYNC }
}
