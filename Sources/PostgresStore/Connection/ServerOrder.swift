/// The order in which sessions try the servers. Pure rules: the caller connects, and records the results.
///
/// A former primary that is alive still accepts sessions that write. It confirms no commit, because no standby server
/// follows it. A server without a confirmation therefore comes last in the next attempt. The order only rotates. After
/// one slow commit, the sessions try the primary again when the standby servers have refused them.
struct ServerOrder {
  /// The server that the leader writes to. Nil before the first connection of the writer.
  private(set) var primary: PostgresAddress.Host?
  /// Servers to try after all others, in the order of their failures.
  private var last: [PostgresAddress.Host] = []
  /// Servers that the leader has left for another one.
  private var left: Set<PostgresAddress.Host> = []

  /// Records that the leader writes to a server, which has confirmed a commit.
  mutating func lead(on host: PostgresAddress.Host) {
    if let primary, primary != host {
      moveLast(primary)
      left.insert(primary)
    }
    last.removeAll { $0 == host }
    left.remove(host)
    primary = host
  }

  /// Records that a server has not answered or confirmed in time.
  mutating func moveLast(_ host: PostgresAddress.Host) {
    last.removeAll { $0 == host }
    last.append(host)
  }

  /// Returns the hosts in the order for sessions that write.
  func forWrites(_ hosts: [PostgresAddress.Host]) -> [PostgresAddress.Host] {
    let first = hosts.filter { !last.contains($0) }
    return first.filter { $0 == primary } + first.filter { $0 != primary } + last
  }

  /// Returns the hosts in the order for reads: the leader's server first.
  ///
  /// A server that the leader has left may lack later commits, and still call itself the primary. Reads use it again
  /// when the leader does. Before, they fail.
  func forReads(_ hosts: [PostgresAddress.Host]) -> [PostgresAddress.Host] {
    let order = forWrites(hosts)
    guard let primary else { return order }
    return [primary] + order.filter { $0 != primary && !left.contains($0) }
  }
}
