import Foundation

/// Streaming replication. Each server has a name, its own port and its own copy of all databases.
///
/// Give the primary the setting `synchronous_standby_names = 'ANY 1 (a,b,c)'` for a quorum. Each standby copies the
/// setting, so it also applies after a promotion: a server never counts as its own standby. Without a standby, each
/// commit then waits, also that of `createDatabase()`.
extension PostgresServer {
  /// Makes a copy of this primary that follows it. Returns when the copy receives the primary's log.
  ///
  /// - Parameter name: The name of the standby, unique among the servers of this primary.
  package func makeStandby(name: String) throws -> PostgresServer {
    // A standby that was down or paused for a while still finds the log that it needs.
    try configure(["wal_keep_size": "512MB"])
    let hasSync = try sql("SHOW fsync") == "on"
    let standby = try PostgresServer(name: name, settings: Self.standbySettings, keepsFiles: hasSync) {
      baseBackup($0, to: $1, name: name)
    }
    guard try standby.waitUntilFollowing(self, within: .seconds(60)) else {
      throw PostgresServerError(
        description: "the standby \(name) receives nothing after 60 s: \(standby.process.logTail())")
    }
    return standby
  }

  /// Stops receiving, whether the primary lives or not. `receivedPosition` is then final.
  ///
  /// A fail-over stops all standbys before it compares them. Otherwise a receiver of a dead primary may still write
  /// what it has read.
  package func stopReceiving() throws {
    try configure(["primary_conninfo": ""])
    try waitFor("0", "the receiver of \(name) did not end") { try sql("SELECT count(*) FROM pg_stat_wal_receiver") }
  }

  /// The end of the log that this server has: received or replayed on a standby, flushed on a primary.
  package var receivedPosition: UInt64 {
    get throws {
      // `pg_last_wal_receive_lsn` is NULL before the first byte, and then `greatest` ignores it.
      let text = try sql(
        """
        SELECT CASE WHEN pg_is_in_recovery() THEN greatest(pg_last_wal_receive_lsn(), pg_last_wal_replay_lsn())
          ELSE pg_current_wal_flush_lsn() END - '0/0'::pg_lsn
        """)
      guard let position = UInt64(text) else {
        throw PostgresServerError(description: "the server \(name) has the position \(text)")
      }
      return position
    }
  }

  /// Makes this standby a primary. It accepts writes on return.
  ///
  /// Promote the standby with the highest `receivedPosition`, after `stopReceiving()` on all of them. Otherwise
  /// confirmed commits may be lost.
  package func promote() throws {
    guard try sql("SELECT pg_promote(true, 60)") == "t" else {
      throw PostgresServerError(
        description: "the standby \(name) was not promoted within 60 s: \(process.logTail())")
    }
  }

  /// Promotes the standby that has received most. The others follow it. Returns the new primary.
  ///
  /// Call this with all standbys that may have confirmed a commit. The former primary may be dead, or cut off.
  package static func failOver(to standbys: [PostgresServer]) throws -> PostgresServer {
    for standby in standbys { try standby.stopReceiving() }
    let positions = try standbys.map { (standby: $0, position: try $0.receivedPosition) }
    guard let primary = positions.max(by: { $0.position < $1.position })?.standby else {
      throw PostgresServerError(description: "there is no standby to promote")
    }
    try primary.promote()
    for standby in standbys where standby !== primary { try standby.followPrimary(primary) }
    return primary
  }

  /// Makes this server a standby of another primary, on the same port. Returns when it receives that primary's log.
  ///
  /// A running standby keeps its data, unless it has replayed what the primary lacks. Any other server, such as a
  /// former primary, is killed, loses its data, and gets a new copy of the primary. Resume a paused server first.
  package func followPrimary(_ primary: PostgresServer) throws {
    if (try? sql("SELECT pg_is_in_recovery()")) == "t" {
      try configure(["primary_conninfo": primary.connection(for: name)])
      if try waitUntilFollowing(primary, within: .seconds(10)) { return }
    }
    process.kill()
    let data = folder.appending(path: "data")
    try FileManager.default.removeItem(at: data)
    _ = try run(owner.command(primary.baseBackup(programs, to: data, name: name)))
    try Self.write(
      Self.standbySettings.merging(Self.addresses(port: port, in: folder)) { $1 }, to: folder)
    try start(following: primary)
  }

  /// Gives the role of this primary to a standby, without a loss. The other standbys follow it. This server is down on
  /// return, and `rejoin` makes it a standby.
  ///
  /// The order is that of failover managers: a shutdown, a comparison, and only then a promotion.
  ///
  /// - Throws: `PostgresServerError` if this server had to be killed, or if a standby lacks a part of its log.
  package func switchOver(to standby: PostgresServer, others: [PostgresServer]) throws {
    // A primary does not use these settings. They are ready for `rejoin`.
    try configure(Self.standbySettings.merging(["primary_conninfo": standby.connection(for: name)]) { $1 })
    // The checkpoint of the shutdown then writes little, so that the database is away for a shorter time.
    _ = try sql("CHECKPOINT")
    process.stop()
    let end = try finalCheckpoint()
    for server in [standby] + others {
      try waitFor("true", "\(server.name) lacks the end of the log of \(name)") {
        "\(try server.receivedPosition > end)"
      }
    }
    try standby.promote()
    for server in others { try server.followPrimary(standby) }
  }

  /// Starts this former primary with its data, as a standby of the server that `switchOver` has promoted. Returns when
  /// it receives that primary's log.
  package func rejoin(_ primary: PostgresServer) throws {
    let signal = folder.appending(path: "data/standby.signal")
    _ = try run(owner.command(["touch", signal.path]))
    try start(following: primary)
  }

  /// Stops this standby and starts it again, as for an update of PostgreSQL. Returns when it receives the primary's
  /// log.
  package func restart(following primary: PostgresServer) throws {
    process.stop()
    try start(following: primary)
  }

  private func start(following primary: PostgresServer) throws {
    try process.start()
    guard try waitUntilFollowing(primary, within: .seconds(60)) else {
      throw PostgresServerError(
        description: "\(name) receives nothing from \(primary.name) after 60 s: \(process.logTail())")
    }
  }

  /// Returns the start of the last record in the log of a server that is shut down.
  private func finalCheckpoint() throws -> UInt64 {
    let data = folder.appending(path: "data").path
    let text = try run(owner.command([programs.appending(path: "pg_controldata").path, "-D", data]))
    func value(_ name: String) -> Substring? {
      let line = text.split(separator: "\n").first { $0.hasPrefix("\(name):") }
      return line.map { $0.dropFirst(name.count + 1).drop { $0 == " " } }
    }
    let digits = value("Latest checkpoint location")?.split(separator: "/").compactMap { UInt64($0, radix: 16) } ?? []
    guard value("Database cluster state") == "shut down", digits.count == 2 else {
      throw PostgresServerError(description: "\(self.name) is not shut down: \(text)")
    }
    return digits[0] << 32 | digits[1]
  }

  /// Changes settings of the running server that need no restart. Returns when new sessions and the postmaster have
  /// them. Other processes follow within milliseconds. The settings outlive a restart, and each later standby has them.
  package func configure(_ settings: [String: String]) throws {
    // The time has microseconds, and each reload sets it.
    let loaded = "SELECT pg_conf_load_time()"
    let before = try sql(loaded)
    let lines = settings.sorted { $0.key < $1.key }.map { "ALTER SYSTEM SET \($0.key) = \(quoted($0.value));\n" }
    _ = try sql(lines.joined() + "SELECT pg_reload_conf()")
    try waitFor("true", "\(name) did not reload its settings") { "\(try sql(loaded) != before)" }
  }

  /// A standby whose primary was down tries again after this time. The default is 5 s.
  private static let standbySettings = ["wal_retrieve_retry_interval": "100ms"]

  /// Returns the words that copy this server's data, with a setting and a signal file that make the copy a standby.
  private func baseBackup(_ programs: URL, to data: URL, name: String) -> [String] {
    [
      programs.appending(path: "pg_basebackup").path, "-D", data.path, "--dbname", connection(for: name),
      "--write-recovery-conf", "--wal-method=stream", "--checkpoint=fast", "--no-sync", "--no-password",
    ]
  }

  /// Returns the parameters with which a standby connects to this server.
  private func connection(for name: String) -> String {
    "host=127.0.0.1 port=\(port) user=onthemap application_name=\(name)"
  }

  /// Waits until this standby receives the primary's log on the primary's timeline. Returns false after the timeout.
  ///
  /// A standby that has replayed more than the primary receives on the old timeline only.
  private func waitUntilFollowing(_ primary: PostgresServer, within timeout: Duration) throws -> Bool {
    // The first eight digits of a segment's name are the timeline.
    let timeline = try primary.sql("SELECT ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::int")
    let query = """
      SELECT count(*) FROM pg_stat_wal_receiver
      WHERE status = 'streaming' AND received_tli = \(timeline) AND sender_port = \(primary.port)
      """
    // Before its first report of a position, a standby does not count for a quorum.
    let states = """
      SELECT count(*) FROM pg_stat_replication
      WHERE application_name = '\(name)' AND state = 'streaming' AND flush_lsn IS NOT NULL
      """
    var follows = false
    waitUntil(within: timeout) {
      follows = (try? sql(query)) == "1" && (try? primary.sql(states)) == "1"
      return follows
    }
    return follows
  }

  /// Waits until the text has this value. Throws after 60 seconds.
  private func waitFor(_ value: String, _ failure: String, _ text: () throws -> String) throws {
    var result = Result<String, any Error>.success("")
    waitUntil(within: .seconds(60)) {
      result = Result { try text() }
      return (try? result.get()) != nil && (try? result.get()) == value
    }
    guard try result.get() == value else {
      throw PostgresServerError(description: "\(failure) within 60 s: \(process.logTail())")
    }
  }
}
