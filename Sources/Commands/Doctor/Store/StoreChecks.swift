import Domain
import Foundation
import PostgresStore

/// Checks of the PostgreSQL database of ingest.
struct StoreChecks: Sendable {
  /// Runs the checks for a store outside of the data folder. Returns none for another store. The servers may delay them
  /// for `DoctorLimits.storeTimeout`.
  static func run(_ store: StoreSelection?) async -> [Check] {
    guard case .postgres(let address) = store else { return [] }
    let found = await bounded(DoctorLimits.storeTimeout) { () -> Result<PostgresInspection, InspectionError> in
      do throws(InspectionError) { return .success(try PostgresInspection.read(address)) } catch {
        return .failure(error)
      }
    }
    switch found {
    case .success(let inspection)?: return checks(inspection)
    case .failure(let error)?: return [failed(error, "\(address)")]
    case nil:
      let seconds = DoctorLimits.storeTimeout.components.seconds
      return [failed(.unreachable("no answer within \(seconds) s"), "\(address)")]
    }
  }

  /// Returns the results for a database that was inspected.
  static func checks(_ found: PostgresInspection) -> [Check] {
    [server(found.server), encryption(found.server), pooler(found.server), rights(found), schema(found.rights)]
      + ReplicationChecks.checks(found) + SettingChecks.checks(found) + ActivityChecks.checks(found)
      + [clock(found.clock), leader(found.leader, found.rights)]
  }

  /// Returns the result for a database that could not be inspected.
  static func failed(_ error: InspectionError, _ address: String) -> Check {
    switch error {
    case .unreachable(let reason):
      .failure(
        "store", "\(address) is not reached: \(reason.trimmingCharacters(in: CharacterSet(charactersIn: " .")))",
        remedy: remedy(reason))
    case .unusable(let reason):
      .failure("store", reason, remedy: "Use PostgreSQL 14 or later, and a database with ENCODING 'UTF8'")
    case .failed(let reason):
      .failure(
        "store", "\(address) refuses a read of its state: \(reason)",
        remedy: "Check the server's log, and that the server is PostgreSQL itself")
    }
  }

  /// Returns the remedy for the reason of a failed connection. libpq gives only the text, seldom the SQLSTATE.
  private static func remedy(_ reason: String) -> String {
    func has(_ texts: String...) -> Bool { texts.contains { reason.contains($0) } }
    if has("server does not support SSL") { return "Set ssl=on at the server, or sslmode in the URL" }
    if has("SQLSTATE 3D000") || reason.contains(#/database ".+" does not exist/#) {
      return "Create the database: deploy/PostgreSQL.md"
    }
    if has("pg_hba.conf") { return "Permit this host in pg_hba.conf of the server: deploy/PostgreSQL.md" }
    if reason.contains(#/role ".+" does not exist/#) { return "Create the role: deploy/PostgreSQL.md" }
    if has("SQLSTATE 28P01", "SQLSTATE 28000", "no password supplied", "password authentication failed") {
      return "Pass --store-password-file with the role's password"
    }
    return "Start the server, and check the address, the role, its password, pg_hba.conf and the firewalls"
  }

  private static func server(_ server: ServerState) -> Check {
    .ok(
      "store",
      "\(server.host) is the primary: PostgreSQL \(server.version), encoding \(server.encoding), "
        + "database \(server.database), role \(server.role)")
  }

  private static func encryption(_ server: ServerState) -> Check {
    let id = "store-encryption"
    let remedy = "Set sslmode=verify-full in the URL, with sslrootcert if the authority is your own"
    switch (server.isEncrypted, server.isLocal) {
    case (true, false) where !["verify-full", "verify-ca"].contains(server.tlsMode):
      return .warning(
        id, "sslmode=\(server.tlsMode) does not check the certificate: another host can pose as \(server.host)",
        remedy: remedy)
    case (true, _): return .ok(id, "TLS protects the connection to \(server.host)")
    case (false, true): return .ok(id, "the connection without TLS stays on this machine")
    case (false, false):
      return .warning(
        id, "the connection to \(server.host) has no TLS: the network can read posts, e-mails and sessions",
        remedy: remedy)
    }
  }

  private static func pooler(_ server: ServerState) -> Check {
    let (id, remedy) = ("store-pooler", "Set the address of the server itself")
    guard server.keepsSettings else {
      return .failure(
        id, "\(server.host) drops the settings of sessions, as some poolers do: ingest's commits lose their durability",
        remedy: remedy)
    }
    guard server.isPooled else { return .ok(id, "no pooler is between this host and the server") }
    return .warning(
      id, "a pooler answers at \(server.host): a session may get another server process", remedy: remedy)
  }

  private static func rights(_ found: PostgresInspection) -> Check {
    let (id, rights, role) = ("store-rights", found.rights, SQLText.identifier(found.server.role))
    guard let schema = rights.schema else {
      return .failure(
        id, "\(found.server.role) may use no schema of its search_path",
        remedy: "As an owner, run: GRANT USAGE, CREATE ON SCHEMA public TO \(role)")
    }
    let grant = "As an owner, run: GRANT CREATE ON SCHEMA \(SQLText.identifier(schema)) TO \(role)"
    let present = rights.tables.filter(\.isThere)
    guard rights.tables.first?.isThere == true else {
      guard rights.canCreate else {
        return .failure(id, "\(found.server.role) may not create the tables in \(schema)", remedy: grant)
      }
      return .ok(id, "\(found.server.role) may create the tables in \(schema)")
    }
    let denied = rights.tables.denied
    if let first = denied.first {
      let others = denied.count > 1 ? ", and lacks rights on \(counted(denied.count - 1, "other table"))" : ""
      return .failure(
        id, "\(found.server.role) lacks \(first.missing.joined(separator: ", ")) on \(first.name)\(others)",
        remedy: "As their owner, run: " + denied.grant(to: found.server.role))
    }
    guard let version = rights.version, version < rights.knownVersion else {
      return .ok(id, "\(found.server.role) may read and write \(counted(present.count, "table"))")
    }
    if !rights.canCreate {
      return .failure(
        id, "\(found.server.role) may not create tables in \(schema), as the next start does", remedy: grant)
    }
    guard let foreign = present.first(where: { !$0.isOwned }) else {
      return .ok(id, "\(found.server.role) may migrate \(counted(present.count, "table"))")
    }
    return .failure(
      id, "\(found.server.role) does not own \(foreign.name), which the next start may alter",
      remedy: "As a superuser, run: ALTER TABLE \(SQLText.identifier(foreign.name)) OWNER TO \(role)")
  }

  private static func schema(_ rights: RightsState) -> Check {
    let (id, known) = ("store-schema", rights.knownVersion)
    guard rights.tables.first?.isThere == true else {
      return .ok(id, "there are no tables yet; the next start of ingest creates them")
    }
    guard let version = rights.version, let readableBy = rights.readableBy else {
      return .notChecked(id, "the role may not read the table migration")
    }
    guard readableBy <= known else {
      return .failure(
        id, "the tables have migration \(version), and this program knows \(known)",
        remedy: "Run the version of onthemap that upgraded them, or restore a backup")
    }
    guard version >= known else {
      return .ok(id, "the tables have migration \(version); the next start of ingest migrates them to \(known)")
    }
    if let missing = rights.tables.first(where: { !$0.isThere }), version == known {
      return .failure(id, "the table \(missing.name) is missing", remedy: "Restore a backup (deploy/Restore.md)")
    }
    return .ok(
      id,
      version == known
        ? "the tables have migration \(version), the latest one"
        : "a newer version upgraded the tables to migration \(version), which this version can use")
  }

  private static func clock(_ clock: ClockOffset) -> Check {
    let id = "store-clock"
    let measure = Check.Measure(clock.offsetMs, "ms")
    let direction = clock.offsetMs < 0 ? "behind" : "ahead of"
    let text =
      "the server's clock is \(clock.offsetMs.magnitude) ms \(direction) this host's, measured to \(clock.errorMs) ms"
    // Only the certain part of the offset counts.
    guard Int64(clock.offsetMs.magnitude) - clock.errorMs > Limits.postgresClockOffsetMs else {
      return .ok(id, text, measure)
    }
    return .warning(
      id, "\(text); identifiers of posts contain the time", measure,
      remedy: "Check the time service of both hosts (chronyc tracking)")
  }

  private static func leader(_ leader: LeaderState?, _ rights: RightsState) -> Check {
    let id = "store-leader"
    guard let leader else {
      return rights.tables.first?.isThere == true
        ? .notChecked(id, "this program cannot read the leader's row")
        : .ok(id, "no ingest has used this database yet")
    }
    if leader.isAlive { return .ok(id, "ingest leads with generation \(leader.term)") }
    guard leader.isHeld else { return .ok(id, "no ingest runs; generation \(leader.term) was shut down") }
    return .warning(
      id, "no ingest runs: the leader of generation \(leader.term) is silent, and was not shut down",
      remedy: "Start ingest. If it runs, read its log, and check its connection to the server")
  }
}
