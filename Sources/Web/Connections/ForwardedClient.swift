package import Domain
import Synchronization

/// The client of a request that a gateway forwards. Any thread.
package final class ForwardedClient: Sendable {
  /// The client's address, as the gateway determined it. Nil if it is unknown.
  package let address: IPAddress?
  private let disconnection = Occasion()
  private let waitEnd = Occasion()

  package init(address: IPAddress?) { self.address = address }

  /// Records that the client has disconnected. Calls the observers.
  package func disconnect() {
    disconnection.occur()
    endWait()
  }

  /// Ends the wait of the request, because the gateway shuts down. Calls the observers.
  package func endWait() { waitEnd.occur() }

  /// Calls back when the client disconnects, or immediately if it has.
  func observeDisconnect(_ observer: @escaping @Sendable () -> Void) { disconnection.observe(observer) }

  /// Calls back when the request must not wait any longer, or immediately if that is so.
  func observeWaitEnd(_ observer: @escaping @Sendable () -> Void) { waitEnd.observe(observer) }
}

/// An event that happens at most once, and its observers. Any thread.
private final class Occasion: Sendable {
  private struct State {
    var hasOccurred = false
    var observers: [@Sendable () -> Void] = []
  }

  private let state = Mutex(State())

  func occur() {
    let observers = state.withLock { state in
      defer { state.observers = [] }
      state.hasOccurred = true
      return state.observers
    }
    for observer in observers { observer() }
  }

  func observe(_ observer: @escaping @Sendable () -> Void) {
    let isLate = state.withLock { state in
      if !state.hasOccurred { state.observers.append(observer) }
      return state.hasOccurred
    }
    if isLate { observer() }
  }
}
