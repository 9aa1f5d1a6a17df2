import Synchronization

/// The server that the leader writes to. A former primary that was frozen still calls itself a primary, so reads must
/// not choose their server themselves. Any thread.
final class PrimaryServer: Sendable {
  private let state = Mutex<PostgresAddress.Host?>(nil)

  /// The server. Nil before the first connection of the writer.
  var host: PostgresAddress.Host? {
    get { state.withLock { $0 } }
    set { state.withLock { $0 = newValue } }
  }

  /// Returns the hosts with the leader's server first.
  func order(_ hosts: [PostgresAddress.Host]) -> [PostgresAddress.Host] {
    guard let host else { return hosts }
    return [host] + hosts.filter { $0 != host }
  }
}
