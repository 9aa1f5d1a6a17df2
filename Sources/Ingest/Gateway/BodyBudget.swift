import Domain
import Synchronization

/// Budget for the large bodies that a gateway receives and holds: `Limits.gatewayBytesMax` bytes in total, and
/// `Limits.gatewayBytesOfNetworkMax` of each network. Any thread.
final class BodyBudget: Sendable {
  private struct State {
    var total = 0
    /// Reserved bytes of each network that has some. The key nil is a client without an address.
    var ofNetworks: [IPAddress?: Int] = [:]
  }

  private let state = Mutex(State())

  /// Reserves bytes until `release`. Returns false if the budget has too few.
  ///
  /// - Parameter network: An IPv4 address or an IPv6 /64. Nil if it is unknown.
  func reserve(_ bytes: Int, of network: IPAddress?) -> Bool {
    state.withLock { state in
      let ofNetwork = state.ofNetworks[network, default: 0] + bytes
      guard state.total + bytes <= Limits.gatewayBytesMax, ofNetwork <= Limits.gatewayBytesOfNetworkMax else {
        return false
      }
      state.total += bytes
      state.ofNetworks[network] = ofNetwork
      return true
    }
  }

  func release(_ bytes: Int, of network: IPAddress?) {
    state.withLock { state in
      state.total -= bytes
      let rest = state.ofNetworks[network, default: 0] - bytes
      state.ofNetworks[network] = rest > 0 ? rest : nil
    }
  }
}
