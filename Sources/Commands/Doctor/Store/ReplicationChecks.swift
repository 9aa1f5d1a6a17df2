import Domain
import PostgresStore

/// Rules for the standbys of a PostgreSQL server.
enum ReplicationChecks {
  static func checks(_ found: PostgresInspection) -> [Check] {
    [standbys(found), crashRestart(found)]
  }

  private static func standbys(_ found: PostgresInspection) -> Check {
    let (id, replication) = ("store-standbys", found.replication)
    let required = replication.requiredStandbys
    guard required > 0 else {
      return .warning(
        id, "synchronous_standby_names is empty: a loss of the primary loses acknowledged posts",
        remedy: "Set it to ANY 1 (b, c), with the names of two standbys (deploy/PostgreSQLFailover.md)")
    }
    let setting = "synchronous_standby_names is \(replication.standbyNames)"
    let start = "Start a standby whose application_name is in synchronous_standby_names"
    let hidden = replication.receivers.filter { $0.state == nil }.count
    let total = replication.receivers.count
    if hidden > 0, total >= required {
      return .notChecked(
        id,
        "\(setting), and the role may not see the state of \(counted(hidden, "receiver")). Run as a superuser: "
          + "GRANT pg_monitor TO \(SQLText.identifier(found.server.role))")
    }
    let streaming = replication.receivers.filter { $0.state == "streaming" }
    let live = streaming.filter { ["sync", "quorum"].contains($0.syncState) }
    let measure = Check.Measure(live.count, "standbys")
    guard live.count >= required else {
      return .failure(
        id, "\(setting), and \(live.count) of \(required) required standbys follow: all commits wait", measure,
        remedy: "\(start), or remove lost standbys from it")
    }
    let names = live.map(\.name).joined(separator: ", ")
    let spare = live.count + streaming.filter { $0.syncState == "potential" }.count - required
    guard spare > 0 else {
      return .warning(
        id, "\(setting), and only \(names) \(live.count == 1 ? "follows" : "follow"): the loss of one stops posting",
        measure, remedy: "\(start), so that one more than necessary follows")
    }
    return .ok(id, "\(setting), and \(names) \(live.count == 1 ? "follows" : "follow")", measure)
  }

  private static func crashRestart(_ found: PostgresInspection) -> Check {
    let (id, isOn) = ("store-crash-restart", found.settings.restartAfterCrash)
    guard isOn, found.replication.requiredStandbys > 0 else {
      return .ok(id, "restart_after_crash is \(isOn ? "on, and no standby is synchronous" : "off")")
    }
    return .warning(
      id, "restart_after_crash is on: after a crash the server shows posts that no standby has",
      remedy: "Set restart_after_crash = off on all servers, so that a standby takes over")
  }
}
