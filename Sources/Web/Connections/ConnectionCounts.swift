import Domain
import Metrics
import Synchronization
import Telemetry

/// How many connections each network has at one service, so that none takes the places of all others. Threads: any.
final class ConnectionCounts: Sendable {
  private let counts = Mutex<[IPAddress: Int]>([:])
  private let perNetworkMax: Int
  private let turnedAway = Metric.httpRejectedConnections.counter()
  /// Behind these are many.
  private let proxies: TrustedProxies

  init(perNetworkMax: Int, proxies: TrustedProxies) {
    self.perNetworkMax = perNetworkMax
    self.proxies = proxies
  }

  /// Whether a connection may stay. If so it is counted until `leave`.
  func admit(_ address: IPAddress) -> Bool {
    guard isCounted(address) else { return true }
    let stays = counts.withLock { counts in
      let count = counts[address.network, default: 0]
      guard count < perNetworkMax else { return false }
      counts[address.network] = count + 1
      return true
    }
    if !stays { turnedAway.increment() }
    return stays
  }

  /// For each that was let in, once.
  func release(_ address: IPAddress) {
    guard isCounted(address) else { return }
    counts.withLock { counts in
      let count = counts[address.network, default: 1] - 1
      counts[address.network] = count > 0 ? count : nil
    }
  }

  /// Whoever is on this machine is no stranger.
  private func isCounted(_ address: IPAddress) -> Bool { !address.isLoopback && !proxies.contains(address) }
}
