import CPostgreSQL
import Domain
import Glibc
import Store

/// Opens connections to the server that accepts writes, for sessions of one role. Any thread.
struct PostgresConnector: Sendable {
  let address: PostgresAddress
  let role: SessionRole
  /// The server of the leader's writes, and the order of the others.
  var primary = PrimaryServer()

  /// Opens a connection. Tries each host once, in the order of `primary`. Blocks, for `PostgresAddress.connectMs` per
  /// host at most. The lookup of a host's name has no timeout of its own.
  ///
  /// - Throws: `PostgresError` if no host answers or accepts writes, or the password file cannot be read. Retry.
  ///   `StoreError.unusable` for a server that the program cannot use.
  func connect() throws -> PostgresConnection {
    var failures: [String] = []
    var unusable: StoreError?
    for host in primary.order(address.hosts, for: role) {
      do { return try connect(to: host) } catch let error as PostgresError {
        failures.append(error.message)
      } catch let error as StoreError {
        unusable = error
      }
    }
    throw unusable ?? PostgresError.connection(failures.joined(separator: "; "))
  }

  private func connect(to host: PostgresAddress.Host) throws -> PostgresConnection {
    let keywords: [(key: String, value: String)]
    do {
      keywords = try address.keywords(
        for: host, sessionOptions: role.options, targetSessionAttributes: role.targetSessionAttributes)
    } catch {
      throw PostgresError.connection(error.description)
    }
    let handle = CStrings.with(keywords.map(\.key)) { keys in
      CStrings.with(keywords.map(\.value)) { values in PQconnectStartParams(keys, values, 0) }
    }
    guard let handle else { throw PostgresError.connection("libpq has no memory for a connection") }
    let notices = NoticeLog()
    notices.attach(to: handle)
    do {
      try finish(handle, host)
      try checkServer(handle, host)
    } catch {
      PQfinish(handle)
      throw error
    }
    return try PostgresConnection(handle, notices: notices, host: host)
  }

  private func finish(_ handle: OpaquePointer, _ host: PostgresAddress.Host) throws {
    let deadline = ContinuousClock.now + .milliseconds(address.connectMs)
    // libpq expects the first wait to be for writing.
    var status = PGRES_POLLING_WRITING
    while status != PGRES_POLLING_OK {
      guard status != PGRES_POLLING_FAILED, PQstatus(handle) != CONNECTION_BAD else {
        let text = PostgresConnector.line(String(cString: PQerrorMessage(handle)))
        throw PostgresError.connection(text.isEmpty ? "\(host): the connection failed" : text)
      }
      let events = Int16(status == PGRES_POLLING_READING ? POLLIN : POLLOUT)
      guard try PostgresConnection.wait(for: events, on: PQsocket(handle), until: deadline) else {
        throw PostgresError.connection("\(host) did not answer within \(address.connectMs) ms")
      }
      status = PQconnectPoll(handle)
    }
  }

  /// Returns libpq's message as one line. Omits its question, because the caller's text names the remedy.
  static func line(_ message: String) -> String {
    let lines = message.split(whereSeparator: \.isNewline).map { line in
      line.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }
    return lines.filter { !$0.isEmpty && !$0.hasPrefix("Is the server running") }.joined(separator: "; ")
  }

  /// Refuses a server whose version or encoding the program cannot use.
  private func checkServer(_ handle: OpaquePointer, _ host: PostgresAddress.Host) throws {
    let version = PQserverVersion(handle)
    guard version >= Limits.postgresVersionMin else {
      throw StoreError.unusable(
        path: "\(host)", reason: "its PostgreSQL is older than version \(Limits.postgresVersionMin / 10_000)")
    }
    let encoding = PQparameterStatus(handle, "server_encoding").map { String(cString: $0) }
    guard encoding == "UTF8" else {
      throw StoreError.unusable(
        path: "\(host)",
        reason: "the encoding of its database is \(encoding ?? "unknown"). Create the database with ENCODING 'UTF8'")
    }
  }
}

/// The purpose of a session, which decides its settings.
enum SessionRole: Sendable {
  /// The only session that writes.
  case writer
  /// Quick reads, each of a few rows.
  case reader
  /// Reads of many rows for people, who wait for them.
  case scan
  /// The reads of a start.
  case start
  /// The leader's beat. It must not wait for a standby: a new leader could not commit either.
  case beat
  /// The reads of `doctor`. They must see the settings that other sessions get by default, so each of its transactions
  /// is read-only by its BEGIN.
  case inspection

  /// Settings of the session, which the server applies before its first statement.
  ///
  /// - The writer sets `synchronous_commit` itself, so that no default of the server weakens a commit. A timeout of its
  ///   statements could cancel the wait for a standby, so it has none.
  /// - Plans are generic and use only indices and nested loops. A plan for an empty table, or for the values of the
  ///   first execution, made batches 10 to 100 times slower.
  /// - Just-in-time compilation takes longer than each of these statements.
  fileprivate var options: String {
    let settings =
      switch self {
      case .writer:
        [
          "synchronous_commit=on", "statement_timeout=0", "plan_cache_mode=force_generic_plan", "enable_seqscan=off",
          "enable_hashjoin=off", "enable_mergejoin=off", "lock_timeout=\(Limits.postgresLockMs)",
          "idle_in_transaction_session_timeout=\(Limits.postgresIdleMs)",
        ]
      case .reader:
        [
          "default_transaction_read_only=on", "statement_timeout=\(Limits.postgresReadMs)", "enable_seqscan=off",
          "enable_hashjoin=off", "enable_mergejoin=off", "idle_in_transaction_session_timeout=\(Limits.postgresIdleMs)",
        ]
      case .start: ["default_transaction_read_only=on", "statement_timeout=\(Limits.postgresStartMs)"]
      case .beat:
        [
          "synchronous_commit=local", "statement_timeout=\(Limits.leaderSilenceMs)",
          "lock_timeout=\(Limits.postgresLockMs)",
        ]
      case .scan:
        [
          "default_transaction_read_only=on", "statement_timeout=\(Limits.scanMs)",
          "idle_in_transaction_session_timeout=\(Limits.postgresIdleMs)",
        ]
      case .inspection:
        [
          "statement_timeout=\(Limits.postgresInspectionMs)", "lock_timeout=\(Limits.postgresLockMs)",
          "idle_in_transaction_session_timeout=\(Limits.postgresIdleMs)",
        ]
      }
    return (SessionRole.common + settings).map { "-c \($0)" }.joined(separator: " ")
  }

  /// Settings of all sessions. A statement must see what was committed while it waited for the leader's lock, so a
  /// default of SERIALIZABLE does not apply. The server closes a connection whose client has lost its power, and frees
  /// its locks.
  private static let common = [
    "jit=off", "default_transaction_isolation=read\\ committed",
    "tcp_keepalives_idle=\(Limits.postgresKeepaliveIdleSeconds)",
    "tcp_keepalives_interval=\(Limits.postgresKeepaliveIntervalSeconds)",
    "tcp_keepalives_count=\(Limits.postgresKeepaliveProbesMax)", "tcp_user_timeout=\(Limits.postgresUserTimeoutMs)",
  ]

  /// True for a session that writes.
  var writes: Bool { self == .writer || self == .beat }

  /// Lists are read from the primary only, because a standby may lag behind what a client has already seen. A session
  /// that is read-only by its own settings counts as read-only, so readers ask for the primary.
  fileprivate var targetSessionAttributes: String { writes ? "read-write" : "primary" }
}

/// Arrays of C strings.
private enum CStrings {
  /// Calls a closure with the texts as an array of C strings that ends with NULL.
  static func with<Value>(_ texts: [String], _ body: ([UnsafePointer<CChar>?]) -> Value) -> Value {
    let bytes = texts.map { Array($0.utf8CString) }
    var pointers: [UnsafePointer<CChar>?] = []
    func next(_ index: Int) -> Value {
      guard index < bytes.count else { return body(pointers + [nil]) }
      return bytes[index].withUnsafeBufferPointer { text in
        pointers.append(text.baseAddress)
        return next(index + 1)
      }
    }
    return next(0)
  }
}
