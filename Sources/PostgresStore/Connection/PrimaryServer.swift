import Synchronization

/// The server that the leader writes to, and the order in which sessions try the servers. A former primary that was
/// frozen or cut off still calls itself a primary, so reads must not choose their server themselves. Any thread.
final class PrimaryServer: Sendable {
  private let state = Mutex(ServerOrder())

  /// Records that the leader writes to a server, which has confirmed a commit.
  func lead(on host: PostgresAddress.Host) { state.withLock { $0.lead(on: host) } }

  /// Makes sessions try a server after all others, until the leader writes to it.
  func moveLast(_ host: PostgresAddress.Host) { state.withLock { $0.moveLast(host) } }

  /// Returns true for the leader's server. Also returns true for any server while there is no leader.
  func isCurrent(_ host: PostgresAddress.Host?) -> Bool {
    state.withLock { $0.primary == nil || $0.primary == host }
  }

  /// Returns the hosts in the order in which a session tries them.
  func order(_ hosts: [PostgresAddress.Host], for role: SessionRole) -> [PostgresAddress.Host] {
    state.withLock { role.writes ? $0.forWrites(hosts) : $0.forReads(hosts) }
  }
}
