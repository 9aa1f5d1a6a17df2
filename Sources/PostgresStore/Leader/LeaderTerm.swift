import Domain
import Logging
import Store

/// A term that this process has begun, with the state of the database at its beginning.
struct LeaderTerm {
  let number: Int64
  let numbers: Numbers
  /// Posts below this id are not queued.
  let queuedFrom: Int64
  let epoch: Epoch

  /// The term that a standby ends, as far as the standby has seen it.
  struct Former {
    let term: Int64
    /// The server on which the standby has seen the term. Another server may have a leader that lives.
    let server: PostgresAddress.Host
    /// Highest numbers that the database had during that term.
    let highest: HistoryCheck.Mark
    /// True if its leader has not ended the term, but was silent.
    let isHeld: Bool
  }

  /// Begins a term, and reads the numbers from which it continues. If the database lacks numbers that it had before,
  /// begins a new epoch.
  ///
  /// - Parameter former: The term to end. Nil for the current one, also if a leader holds it.
  /// - Throws: `StoreError.unavailable` if another process was faster, or the standby has watched another server.
  ///   `StoreError.unusable`, `PostgresError`.
  static func begin(
    _ connection: PostgresConnection, after former: Former?, logger: Logger
  ) throws -> LeaderTerm {
    if let former, former.server != connection.host {
      throw StoreError.unavailable("the standby has watched \(former.server), and not \(connection.server)")
    }
    guard let number = try takeFromHolder(connection, after: former) else {
      guard former == nil else { throw StoreError.unavailable("another ingest took over first") }
      return try begin(connection, after: nil, logger: logger)
    }
    // Read after the takeover is durable, so that no transaction of the former leader is still in progress.
    let (row, isLost) = try repeated(connection) { connection in
      _ = try connection.query(LeaderRow.fence, .int8(number))
      _ = try connection.query(CommitMarker.prune, .int8(number << Numbers.counterBits))
      let found = try connection.query(Numbers.select).first
      let highest = former?.highest ?? HistoryCheck.Mark()
      let isLost = highest.exceeds(post: UInt64(found?.integer(0) ?? 0), seq: UInt64(found?.integer(1) ?? 0))
      if isLost { try HistoryCheck.beginEpoch(connection) }
      return (isLost ? try connection.query(Numbers.select).first : found, isLost)
    }
    if isLost { former?.highest.logLoss(connection.server, logger) }
    guard let row, let epoch = Epoch(row.blob(5) ?? []) else {
      throw StoreError.unusable(path: connection.server, reason: "its meta row is missing or damaged")
    }
    return LeaderTerm(number: number, numbers: Numbers(row, term: number), queuedFrom: row.int(4), epoch: epoch)
  }

  /// Runs a transaction, and repeats it after a conflict with another session.
  private static func repeated<Value>(
    _ connection: PostgresConnection, _ body: (PostgresConnection) throws -> Value
  ) throws -> Value {
    for _ in 0..<Limits.postgresConflictsMax {
      do {
        return try connection.transaction(within: .milliseconds(Limits.postgresCommitMs), body)
      } catch let error as PostgresError where error.meaning == .repeatable && connection.isUsable {}
    }
    return try connection.transaction(within: .milliseconds(Limits.postgresCommitMs), body)
  }

  /// Takes over, also from a leader that is frozen within a transaction.
  private static func takeFromHolder(_ connection: PostgresConnection, after former: Former?) throws -> Int64? {
    do { return try take(connection, after: former) } catch let error as PostgresError where error.state == "55P03" {
      // The server keeps the lock of a frozen client. Its transaction could not commit after the takeover either.
      _ = try connection.transaction(within: .milliseconds(Limits.postgresCommitMs)) {
        try $0.query(LeaderRow.endHolders)
      }
      return try take(connection, after: former)
    }
  }

  /// Takes over. Returns the new term, or nil if another process was faster.
  private static func take(_ connection: PostgresConnection, after former: Former?) throws -> Int64? {
    try connection.transaction(within: .milliseconds(Limits.postgresCommitMs)) { connection in
      let term = try former?.term ?? connection.query(LeaderRow.state).first?.int(0) ?? 0
      let taken = try connection.query(LeaderRow.takeOver, .int8(term), .int8(former?.highest.term ?? 0)).first?.int(0)
      guard let taken else { return nil }
      try CopyTarget.refuseUnfinished(connection)
      _ = try connection.query(LeaderRow.claim, .int8(taken))
      return taken
    }
  }
}
