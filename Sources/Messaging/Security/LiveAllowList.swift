package import Domain
import Synchronization

/// The allowlist of a link. It can be replaced while it is in use. Any thread.
package final class LiveAllowList: Sendable {
  private struct State {
    /// The keys that may connect. Nil permits every key.
    var list: AllowList?
    var revocations = 0
  }

  private let own: PublicKey?
  private let state: Mutex<State>

  /// Creates an allowlist that can be replaced.
  ///
  /// - Parameters:
  ///   - list: The keys that may connect. Nil permits every peer that knows the link's public key.
  ///   - own: Public key of this process, which may always connect.
  package init(_ list: AllowList?, own: PublicKey? = nil) {
    self.own = own
    state = Mutex(State(list: list))
  }

  /// Number of keys on the allowlist. Nil if every key may connect.
  package var count: Int? { state.withLock { $0.list?.count } }

  /// Returns the name of a key's owner. Nil if the key may not connect.
  package func name(of key: PublicKey) -> String? {
    if key == own { return "this process" }
    return state.withLock { state in
      guard let list = state.list else { return "anyone" }
      return list.name(of: key)
    }
  }

  /// Replaces the allowlist. If the new allowlist lacks a permitted key, the authenticator disconnects all peers of the
  /// link within about a second. Permitted peers reconnect by themselves.
  package func replace(_ list: AllowList) {
    state.withLock { state in
      let keepsAllKeys = state.list?.isSubset(of: list) ?? false
      if !keepsAllKeys { state.revocations += 1 }
      state.list = list
    }
  }

  /// Number of replacements that removed a permitted key.
  var revocations: Int { state.withLock { $0.revocations } }
}
