import Domain
import Foundation
import Store

extension PostgresInspection {
  /// Inspects the primary of an address over one session, in read-only transactions. Changes nothing. Blocks on the
  /// network for a few seconds, because it waits for the leader's next beat.
  ///
  /// - Throws: `InspectionError`.
  package static func read(_ address: PostgresAddress) throws(InspectionError) -> PostgresInspection {
    do {
      let connection = try PostgresConnector(address: address, role: .inspection).connect()
      return try PostgresInspection(connection, address)
    } catch {
      throw InspectionError(error)
    }
  }

  private init(_ connection: PostgresConnection, _ address: PostgresAddress) throws {
    // Several transactions, so that no snapshot stays open during the wait for the beat.
    func inspect<Value>(_ read: (PostgresConnection) throws -> Value) throws -> Value {
      try connection.snapshot(within: .milliseconds(2 * Limits.postgresInspectionMs), read)
    }
    server = try inspect { try ServerState($0, address) }
    settings = try inspect { try ServerSettings($0) }
    replication = try inspect { try ReplicationState($0) }
    activity = try inspect { try ActivityState($0) }
    clock = try inspect { try ClockOffset($0) }
    let rights = try inspect { try RightsState($0) }
    self.rights = rights
    let hasLeader = ["leader", "leader_beat"].allSatisfy(rights.canRead) && rights.isKnown
    leader = try hasLeader ? LeaderState({ try inspect { try $0.query(LeaderRow.state).first } }) : nil
  }
}

extension InspectionError {
  fileprivate init(_ error: any Error) {
    switch error {
    case let error as InspectionError: self = error
    case let error as PostgresError:
      self = error.state == nil ? .unreachable(error.message) : .failed(error.description)
    case let error as StoreError:
      if case .unusable = error { self = .unusable(error.description) } else { self = .failed(error.description) }
    default: self = .failed("\(error)")
    }
  }
}

extension ServerState {
  fileprivate init(_ connection: PostgresConnection, _ address: PostgresAddress) throws {
    let row = try connection.query(InspectionStatement.server).first
    host = connection.server
    isLocal = address.hosts.first { $0.description == connection.server }?.isLocal ?? false
    tlsMode = address.tlsMode
    isEncrypted = connection.isEncrypted
    isPooled = row?.int(0) != connection.announcedProcess
    keepsSettings = row?.int(5) == Limits.postgresInspectionMs
    version = row?.text(1) ?? ""
    encoding = row?.text(2) ?? ""
    role = row?.text(3) ?? ""
    database = row?.text(4) ?? ""
  }
}

extension ServerSettings {
  fileprivate init(_ connection: PostgresConnection) throws {
    let names = [
      "data_checksums", "default_transaction_read_only", "fsync", "full_page_writes", "idle_session_timeout",
      "restart_after_crash", "synchronous_commit", "transaction_timeout",
    ]
    let rows = try connection.query(InspectionStatement.settings, .texts(names))
    let values = Dictionary(rows.map { ($0.text(0), $0.text(1)) }, uniquingKeysWith: { $1 })
    func isOn(_ name: String) -> Bool { values[name] == "on" }
    func milliseconds(_ name: String) -> Int64 { values[name].flatMap { Int64($0) } ?? 0 }
    checksums = isOn("data_checksums")
    isReadOnly = isOn("default_transaction_read_only")
    fsync = isOn("fsync")
    fullPageWrites = isOn("full_page_writes")
    idleSessionMs = milliseconds("idle_session_timeout")
    restartAfterCrash = isOn("restart_after_crash")
    synchronousCommit = values["synchronous_commit"] ?? "unknown"
    transactionMs = milliseconds("transaction_timeout")
    let timeout = try connection.query(InspectionStatement.roleDefault, .text("statement_timeout")).first?.text(0)
    // "0", "0ms" and "0 s" all mean none.
    statementTimeout = timeout.flatMap { $0.contains { ("1"..."9").contains($0) } ? $0 : nil }
  }
}

extension ReplicationState {
  fileprivate init(_ connection: PostgresConnection) throws {
    let names = try connection.query(InspectionStatement.settings, .texts(["synchronous_standby_names"]))
    standbyNames = names.first?.text(1) ?? ""
    receivers = try connection.query(InspectionStatement.receivers).map { row in
      Receiver(name: row.text(0), state: row.optionalText(1), syncState: row.optionalText(2))
    }
  }
}

extension ActivityState {
  fileprivate init(_ connection: PostgresConnection) throws {
    let rows = Parameter.int8(Limits.postgresInspectionRowsMax)
    oldestSnapshot = try connection.query(InspectionStatement.oldestSnapshot).first.map { Session($0) }
    idleTransactions = try connection.query(InspectionStatement.idleTransactions, rows).map { Session($0) }
    slots = try connection.query(InspectionStatement.slots, rows).map { row in
      Slot(name: row.text(0), retainedBytes: row.int(1), transactions: row.int(2))
    }
    preparedTransactions = try connection.query(InspectionStatement.preparedTransactions, rows).map { row in
      PreparedTransaction(
        identifier: row.text(0), user: row.text(1), seconds: row.int(2), transactions: row.int(3))
    }
    let sessions = try connection.query(InspectionStatement.sessions).first
    seesAll = sessions?.bool(0) ?? false
    func count(limit: Int32, used: Int32) -> SessionCount {
      let limit = sessions?.int(limit) ?? -1
      return SessionCount(limit: limit < 0 ? nil : limit, used: sessions?.int(used) ?? 0)
    }
    serverSessions = count(limit: 1, used: 4)
    roleSessions = count(limit: 2, used: 5)
    databaseSessions = count(limit: 3, used: 6)
    ownSessions = sessions?.int(7) ?? 0
  }
}

extension ActivityState.Session {
  fileprivate init(_ row: Row) {
    process = row.int(0)
    application = row.text(1)
    user = row.text(2)
    seconds = row.integer(3)
    transactions = row.int(4)
  }
}

extension ClockOffset {
  fileprivate init(_ connection: PostgresConnection) throws {
    func microseconds() -> Int64 { Int64(Date().timeIntervalSince1970 * 1e6) }
    let samples = try (0..<Limits.postgresClockSamples).map { _ -> (offset: Int64, trip: Int64) in
      let start = microseconds()
      let server = try connection.query(InspectionStatement.clock).first?.int(0) ?? start
      let end = microseconds()
      return (server - (start + end) / 2, end - start)
    }
    let best = samples.min { $0.trip < $1.trip }
    offsetMs = (best?.offset ?? 0) / 1_000
    errorMs = (best?.trip ?? 0) / 2_000 + 1
  }
}

extension RightsState.Table {
  /// - Parameter row: Row of `InspectionStatement.tables`.
  fileprivate init(_ row: Row) {
    name = row.text(0)
    isThere = row.bool(1)
    missing = row.text(2).split(separator: ",").map(String.init)
    isOwned = row.bool(3)
  }
}

extension RightsState {
  /// Refuses a role that lacks rights on a table, like the check `store-rights` of `doctor`. Otherwise the first post
  /// would find the missing right, and end ingest.
  ///
  /// - Throws: `StoreError.unusable` with the missing rights and their GRANT. `PostgresError`.
  static func check(_ connection: PostgresConnection) throws {
    let rows = try connection.transaction(within: .milliseconds(Limits.postgresCommitMs)) {
      try $0.query(InspectionStatement.tables, .texts(tableNames)).map { (table: Table($0), role: $0.text(4)) }
    }
    let denied = rows.map(\.table).denied
    guard let role = rows.first?.role, !denied.isEmpty else { return }
    let missing = denied.map { "\($0.missing.joined(separator: ", ")) on \($0.name)" }
    throw StoreError.unusable(
      path: connection.server,
      reason: "the role \(role) lacks \(missing.joined(separator: "; ")). As the tables' owner, run: "
        + denied.grant(to: role))
  }

  /// The tables that the migrations create, and the table of the migrations.
  private static var tableNames: [String] {
    let created = Schema.migrations.flatMap(\.statements).compactMap { statement -> String? in
      let words = statement.split(separator: " ", maxSplits: 3)
      return words.count > 2 && words[0] == "CREATE" && words[1] == "TABLE" ? String(words[2]) : nil
    }
    return ["migration"] + created
  }

  /// True if this program can use the tables.
  fileprivate var isKnown: Bool { readableBy.map { $0 <= knownVersion } ?? false }

  fileprivate init(_ connection: PostgresConnection) throws {
    let schema = try connection.query(InspectionStatement.schema).first
    self.schema = schema?.optionalText(0)
    canCreate = schema?.bool(1) ?? false
    tables = try connection.query(InspectionStatement.tables, .texts(RightsState.tableNames)).map { Table($0) }
    knownVersion = Int64(Schema.version)
    guard canRead("migration") else { return }
    let latest = try connection.query(InspectionStatement.version).first
    (version, readableBy) = (latest?.int(0) ?? 0, latest?.int(1) ?? 0)
  }

  fileprivate func canRead(_ name: String) -> Bool {
    tables.contains { $0.name == name && $0.isThere && !$0.missing.contains("SELECT") }
  }
}

extension LeaderState {
  /// Reads the leader's row until its beat rises, or until a standby would take over. Nil without a row.
  fileprivate init?(_ read: () throws -> Row?) throws {
    guard let first = try read() else { return nil }
    var last = first
    let end = ContinuousClock.now + .milliseconds(Limits.leaderSilenceMs)
    func hasMoved() -> Bool { (last.int(0), last.int(1)) != (first.int(0), first.int(1)) }
    while last.bool(2), !hasMoved(), ContinuousClock.now < end {
      Thread.sleep(forTimeInterval: Double(Limits.leaderInspectionMs) / 1_000)
      last = try read() ?? last
    }
    (term, isHeld, isAlive) = (last.int(0), last.bool(2), last.bool(2) && hasMoved())
  }
}
