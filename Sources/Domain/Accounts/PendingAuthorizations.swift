import DequeModule

/// An authorization that a person has begun at an identity provider, with the values that its callback needs.
package struct PendingAuthorization: Sendable, Equatable {
  /// State value, which the provider returns unchanged (RFC 6749, section 4.1.1).
  package let state: String
  /// Nonce that the ID token must contain (OpenID Connect Core 1.0, section 3.1.2.1).
  package let nonce: String
  /// PKCE verifier, which the code exchange needs (RFC 7636).
  package let verifier: String
  /// Path within this site to open after the authorization.
  package let returnPath: String
  /// Account that gets the identity as a further way to log in. Nil if the authorization is a login.
  package let link: AccountID?

  package init(state: String, nonce: String, verifier: String, returnPath: String, link: AccountID?) {
    self.state = state
    self.nonce = nonce
    self.verifier = verifier
    self.returnPath = returnPath
    self.link = link
  }
}

/// Authorizations that are in progress at identity providers. Each can be consumed once, with its key and its state,
/// within `Limits.authorizationMs`. The caller supplies the time and the keys.
package struct PendingAuthorizations: Sendable {
  private struct Entry {
    let authorization: PendingAuthorization
    let network: String
    let untilMs: Int64
  }

  private var entries: [String: Entry] = [:]
  /// Keys of pending and former authorizations, oldest first.
  private var order: Deque<String> = []
  /// Keys of each network's pending authorizations, oldest first.
  private var keysByNetwork: [String: [String]] = [:]

  package init() {}

  /// Number of pending authorizations, at most `Limits.authorizationsMax`.
  var count: Int { entries.count }

  /// Stores a pending authorization. A network at its limit loses its oldest authorization. At the limit of all
  /// networks, the network with the most authorizations loses its oldest. A flood from one network therefore cannot
  /// shut out other networks.
  ///
  /// - Parameters:
  ///   - key: Random name of the authorization. The browser that begins the authorization keeps the key.
  ///   - network: Network of the browser.
  package mutating func begin(_ authorization: PendingAuthorization, key: String, network: String, nowMs: Int64) {
    while let oldest = order.first, entries[oldest].map({ $0.untilMs <= nowMs }) ?? true {
      order.removeFirst()
      remove(oldest)
    }
    if let own = keysByNetwork[network], own.count >= Limits.authorizationsOfNetworkMax {
      remove(own[0])
    } else if entries.count >= Limits.authorizationsMax, let largest = keysByNetwork.values.map(\.count).max() {
      // Among the largest networks, evict the oldest authorization, which had the most time to end.
      let oldest = order.first { key in entries[key].map { keysByNetwork[$0.network]?.count == largest } ?? false }
      if let oldest { remove(oldest) }
    }
    if order.count >= 2 * Limits.authorizationsMax { order = order.filter { entries[$0] != nil } }
    entries[key] = Entry(authorization: authorization, network: network, untilMs: nowMs + Limits.authorizationMs)
    order.append(key)
    keysByNetwork[network, default: []].append(key)
  }

  /// Removes an authorization, and returns it. Nil if the key is unknown, used before or expired. Nil also for a wrong
  /// state, and the authorization then stays pending.
  package mutating func consume(key: String, state: String, nowMs: Int64) -> PendingAuthorization? {
    guard let entry = entries[key], entry.authorization.state == state else { return nil }
    remove(key)
    return entry.untilMs > nowMs ? entry.authorization : nil
  }

  private mutating func remove(_ key: String) {
    guard let entry = entries.removeValue(forKey: key) else { return }
    let left = keysByNetwork[entry.network]?.filter { $0 != key } ?? []
    keysByNetwork[entry.network] = left.isEmpty ? nil : left
  }
}
