import Domain
import Store

/// A group of writes that is attempted until its outcome is known.
///
/// Groups of acceptances and verdicts, nearly all groups, take one round trip: all statements and the Sync message
/// leave together. Their rows have the same ids and the same commit number in each attempt, so a repetition finds its
/// own rows. All other groups run statement by statement, and store a marker. A repetition that finds the marker
/// returns the results of the earlier attempt.
struct CommitAttempt {
  private let writes: [PostgresEngine.Write]
  private let number: Int64
  private var plan: BulkGroup?
  private var isPlanned = false
  /// Results of an attempt that may be durable.
  private var outputs: [PostgresEngine.Output]?
  /// Numbers before the first attempt.
  private var before: Numbers?
  /// Numbers that this attempt has stored.
  private var stored = HistoryCheck.Mark()
  private var isRepetition = false
  /// True if an attempt may be durable.
  private(set) var isUnknown = false

  init(_ writes: [PostgresEngine.Write], number: Int64) { (self.writes, self.number) = (writes, number) }

  /// Attempts the group. Durable on return.
  ///
  /// - Throws: `PostgresError`, and `StoreError` of a write, after which nothing is stored.
  mutating func run(_ writer: Writer, _ connection: PostgresConnection) throws -> [PostgresEngine.Output] {
    defer { isRepetition = true }
    if !isPlanned {
      plan = try BulkGroup(writes, number: number, writer, connection)
      isPlanned = true
    }
    if let plan {
      let stored = try plan.commit(writer, connection)
      // The read of the results may fail, but the group is durable.
      isUnknown = true
      return try plan.outputs(stored, writer, connection, isRepetition: isRepetition)
    }
    if let outputs, try isDurable(writer, connection) {
      writer.stored = stored
      return outputs
    }
    // The marker decides, so no earlier attempt is unknown any more.
    isUnknown = false
    outputs = nil
    // No earlier attempt has stored anything, so its numbers are free.
    if let before { writer.numbers = before }
    before = writer.numbers
    return try connection.transaction(within: .milliseconds(Limits.postgresCommitMs)) { connection in
      _ = try connection.query(LeaderRow.fence, .int8(writer.term))
      let results = try writes.map { try writer.execute($0, number: number, connection) }
      try writer.addMarker(number, connection)
      (outputs, stored) = (results, writer.stored)
      return results
    }
  }

  /// Records the failure of an attempt.
  ///
  /// - Parameter wasCommitSent: True if the attempt had sent its Sync message.
  mutating func recordFailure(_ error: PostgresError, wasCommitSent: Bool) {
    // With a SQLSTATE of a statement, the server has rolled back.
    if wasCommitSent, !error.isStalePlan, error.state == nil || error.endsConnection { isUnknown = true }
  }

  /// Returns true if an earlier attempt is durable. The fence waits for its end.
  private func isDurable(_ writer: Writer, _ connection: PostgresConnection) throws -> Bool {
    try connection.transaction(within: .milliseconds(Limits.postgresCommitMs)) { connection in
      _ = try connection.query(LeaderRow.fence, .int8(writer.term))
      return try connection.query(CommitMarker.find, .int8(number)).first?.int(0) == 1
    }
  }
}

extension Writer {
  /// Executes one write within a transaction.
  func execute(
    _ write: PostgresEngine.Write, number: Int64, _ connection: PostgresConnection
  ) throws -> PostgresEngine.Output {
    switch write {
    case .post(let write): .post(try execute(write, number: number, connection))
    case .other(let body): .other(try body(connection, self))
    }
  }

  private func execute(
    _ write: PostWrite, number: Int64, _ connection: PostgresConnection
  ) throws -> PostWriteResult {
    switch write {
    case .accept(let posts, let account, let capacity, let unixMs):
      .accept(try accept(posts, account, capacity: capacity, unixMs, number: number, connection))
    case .settle(let records, let unixMs): .settle(try settle(records, unixMs, number: number, connection))
    case .delete(let post, let account, let unixMs):
      .delete(try delete(post, account, unixMs, number: number, connection))
    case .edit(let post, let account, let submission, let published, let unixMs):
      .edit(try edit(post, account, submission, published, unixMs, connection))
    case .changeProfile(let account, let change, let unixMs):
      .changeProfile(try changeProfile(account, change, unixMs, connection))
    case .erasePosts(let account, let after, let unixMs):
      .erasePosts(try erasePosts(account, after, unixMs, number: number, connection))
    case .retryDead(let selection, let limit, let unixMs):
      .retryDead(try retryDead(selection, limit: limit, unixMs, connection))
    case .discard(let posts, let unixMs): .discard(try discard(posts, unixMs, connection))
    case .pause(let sinceMs): .pause(sinceMs: try setPaused(sinceMs: sinceMs, connection))
    }
  }
}
