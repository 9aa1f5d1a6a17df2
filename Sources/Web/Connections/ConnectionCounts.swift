import Domain
import Metrics
import Synchronization
import Telemetry

/// Limiter of the connections per network at one service. It prevents one network from taking all connections. Any
/// thread.
final class ConnectionCounts: Sendable {
  private let counts = Mutex<[IPAddress: Int]>([:])
  private let perNetworkMax: Int
  private let refused = Metric.httpRefusedConnections.counter()
  /// Trusted reverse proxies. They have no limit, because each carries many clients.
  private let proxies: TrustedProxies

  init(perNetworkMax: Int, proxies: TrustedProxies) {
    self.perNetworkMax = perNetworkMax
    self.proxies = proxies
  }

  /// Counts a connection until `release`. Returns false, without counting, if its network has the maximum number.
  func admit(_ address: IPAddress) -> Bool {
    guard isCounted(address) else { return true }
    let isAdmitted = counts.withLock { counts in
      let count = counts[address.network, default: 0]
      guard count < perNetworkMax else { return false }
      counts[address.network] = count + 1
      return true
    }
    if !isAdmitted { refused.increment() }
    return isAdmitted
  }

  /// Releases an admitted connection. Call this once for each admitted connection.
  func release(_ address: IPAddress) {
    guard isCounted(address) else { return }
    counts.withLock { counts in
      let count = counts[address.network, default: 1] - 1
      counts[address.network] = count > 0 ? count : nil
    }
  }

  /// Returns true unless the address is on this host or is a trusted proxy.
  private func isCounted(_ address: IPAddress) -> Bool { !address.isLoopback && !proxies.contains(address) }
}
