package import Domain
import Synchronization

/// Who may connect to a link now; the list can be replaced while it is in use. Any thread.
package final class LiveAllowList: Sendable {
  private struct State {
    /// Nil for anybody.
    var list: AllowList?
    var revocations = 0
  }

  private let own: PublicKey?
  private let state: Mutex<State>

  /// - Parameters:
  ///   - list: nil for anybody who knows the link's public key.
  ///   - own: a key that is let in whatever the list says: that of the same process.
  package init(_ list: AllowList?, own: PublicKey? = nil) {
    self.own = own
    state = Mutex(State(list: list))
  }

  /// Keys on the list; nil where every key is let in.
  package var count: Int? { state.withLock { $0.list?.count } }

  /// The name of whoever has the key; nil for one who is not to be let in.
  package func name(of key: PublicKey) -> String? {
    if key == own { return "this process" }
    return state.withLock { state in
      guard let list = state.list else { return "anyone" }
      return list.name(of: key)
    }
  }

  /// From now on this list counts. Whoever was on the old one and is not on this one is cut off within about a second;
  /// the others on the link are for that moment too, and come back by themselves.
  package func replace(_ list: AllowList) {
    state.withLock { state in
      let stays = state.list?.isSubset(of: list) ?? false
      if !stays { state.revocations += 1 }
      state.list = list
    }
  }

  /// Rises with each list that somebody is no longer on.
  var revocations: Int { state.withLock { $0.revocations } }
}
