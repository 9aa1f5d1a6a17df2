import DequeModule

/// A login that was sent to an identity provider, and the values that its callback needs.
package struct PendingAuthorization: Sendable, Equatable {
  /// State value, which the provider returns unchanged (RFC 6749, section 4.1.1).
  package let state: String
  /// Nonce that the ID token must contain (OpenID Connect Core 1.0, section 3.1.2.1).
  package let nonce: String
  /// PKCE verifier, which the code exchange needs (RFC 7636).
  package let verifier: String
  /// Path within this site to open after the login.
  package let returnPath: String
  /// Account that gets the identity as a further way to log in. Nil for a login.
  package let link: AccountID?

  package init(state: String, nonce: String, verifier: String, returnPath: String, link: AccountID?) {
    self.state = state
    self.nonce = nonce
    self.verifier = verifier
    self.returnPath = returnPath
    self.link = link
  }
}

/// Logins that were sent to an identity provider and have not come back. Each can come back once, with its key and its
/// state, within `Limits.loginFlowMs`. The caller supplies the time and the keys.
package struct PendingAuthorizations: Sendable {
  private struct Entry {
    let flow: PendingAuthorization
    let network: String
    let untilMs: Int64
  }

  private var entries: [String: Entry] = [:]
  /// Keys, oldest first. Some may belong to logins that came back.
  private var order: Deque<String> = []
  /// Keys of each network, oldest first.
  private var keysByNetwork: [String: [String]] = [:]

  package init() {}

  /// Number of pending logins, at most `Limits.loginFlowsMax`.
  var count: Int { entries.count }

  /// Stores a pending login. Over a limit, evicts the oldest of the network that exceeds it. Over the limit of all
  /// networks, that is the network with the most, so a flood from one network cannot shut out the others.
  ///
  /// - Parameters:
  ///   - key: random name of the flow. The browser that begins the flow keeps it.
  ///   - network: network of the browser.
  package mutating func begin(_ flow: PendingAuthorization, key: String, network: String, nowMs: Int64) {
    while let oldest = order.first, entries[oldest].map({ $0.untilMs <= nowMs }) ?? true {
      order.removeFirst()
      remove(oldest)
    }
    if let own = keysByNetwork[network], own.count >= Limits.loginFlowsOfNetworkMax {
      remove(own[0])
    } else if entries.count >= Limits.loginFlowsMax, let most = keysByNetwork.values.map(\.count).max() {
      // Among networks with equally many, evict the oldest flow, which had the most time to come back.
      let oldest = order.first { key in entries[key].map { keysByNetwork[$0.network]?.count == most } ?? false }
      if let oldest { remove(oldest) }
    }
    if order.count >= 2 * Limits.loginFlowsMax { order = order.filter { entries[$0] != nil } }
    entries[key] = Entry(flow: flow, network: network, untilMs: nowMs + Limits.loginFlowMs)
    order.append(key)
    keysByNetwork[network, default: []].append(key)
  }

  /// Removes and returns a login that comes back. Nil if the key is unknown, used before or expired. Nil also for
  /// another state; the login then stays pending.
  package mutating func consume(key: String, state: String, nowMs: Int64) -> PendingAuthorization? {
    guard let entry = entries[key], entry.flow.state == state else { return nil }
    remove(key)
    return entry.untilMs > nowMs ? entry.flow : nil
  }

  private mutating func remove(_ key: String) {
    guard let entry = entries.removeValue(forKey: key) else { return }
    let left = keysByNetwork[entry.network]?.filter { $0 != key } ?? []
    keysByNetwork[entry.network] = left.isEmpty ? nil : left
  }
}
