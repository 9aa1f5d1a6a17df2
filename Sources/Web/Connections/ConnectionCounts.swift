import Domain
import Metrics
import Synchronization
import Telemetry

/// Connection counts of each network at one service, so that no network takes all connections. Any thread.
final class ConnectionCounts: Sendable {
  private let counts = Mutex<[IPAddress: Int]>([:])
  private let perNetworkMax: Int
  private let refused = Metric.httpRefusedConnections.counter()
  /// Reverse proxies, which are not counted: each carries many clients.
  private let proxies: TrustedProxies

  init(perNetworkMax: Int, proxies: TrustedProxies) {
    self.perNetworkMax = perNetworkMax
    self.proxies = proxies
  }

  /// Returns true if a connection may stay, and then counts it until `release`.
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

  /// Ends the count of an admitted connection. Call this once for each.
  func release(_ address: IPAddress) {
    guard isCounted(address) else { return }
    counts.withLock { counts in
      let count = counts[address.network, default: 1] - 1
      counts[address.network] = count > 0 ? count : nil
    }
  }

  /// Returns true unless the address is on this machine or is a trusted proxy.
  private func isCounted(_ address: IPAddress) -> Bool { !address.isLoopback && !proxies.contains(address) }
}
