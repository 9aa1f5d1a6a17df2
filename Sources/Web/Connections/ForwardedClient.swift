package import Domain
import Synchronization

/// The client of a request that a gateway forwards. Any thread.
package final class ForwardedClient: Sendable {
  private struct State {
    var isDisconnected = false
    var observers: [@Sendable () -> Void] = []
  }

  /// The client's address, as the gateway determined it. Nil if it is unknown.
  package let address: IPAddress?
  private let state = Mutex(State())

  package init(address: IPAddress?) { self.address = address }

  /// Records that the client has disconnected. Calls the observers.
  package func disconnect() {
    let observers = state.withLock { state in
      defer { state.observers = [] }
      state.isDisconnected = true
      return state.observers
    }
    for observer in observers { observer() }
  }

  /// Calls back when the client disconnects, or immediately if it has.
  func observeDisconnect(_ observer: @escaping @Sendable () -> Void) {
    let isLate = state.withLock { state in
      if !state.isDisconnected { state.observers.append(observer) }
      return state.isDisconnected
    }
    if isLate { observer() }
  }
}
