import DequeModule

/// A login that was sent to a provider, with what has to be known when it comes back.
package struct PendingAuthorization: Sendable, Equatable {
  /// What the provider hands back as it is. (RFC 6749, section 4.1.1.)
  package let state: String
  /// What the provider's statement must have. (OpenID Connect Core 1.0, section 3.1.2.1.)
  package let nonce: String
  /// What the code is exchanged with. (RFC 7636.)
  package let verifier: String
  /// Where to go then, within this site.
  package let returnPath: String
  /// Whose way to log in it is to become; nil for a login.
  package let link: AccountID?

  package init(state: String, nonce: String, verifier: String, returnPath: String, link: AccountID?) {
    self.state = state
    self.nonce = nonce
    self.verifier = verifier
    self.returnPath = returnPath
    self.link = link
  }
}

/// Logins that were sent to a provider and have not come back. Each comes back once, with its key and its state, and
/// within `Limits.loginFlowMs`. The caller has the clock and the keys.
package struct PendingAuthorizations: Sendable {
  private struct Entry {
    let flow: PendingAuthorization
    let network: String
    let untilMs: Int64
  }

  private var entries: [String: Entry] = [:]
  /// The oldest first; of some keys the flow has come back.
  private var order: Deque<String> = []
  /// Those of each network, the oldest first.
  private var ofNetwork: [String: [String]] = [:]

  package init() {}

  /// How many have not come back: `Limits.loginFlowsMax` at most.
  var count: Int { entries.count }

  /// Remembers one. A network that has too many loses its oldest, and where all together are too many, so does the
  /// one that has most: whoever begins them by the thousand keeps nobody else out.
  ///
  /// - Parameters:
  ///   - key: random; whoever begins the flow keeps it.
  ///   - network: whence it comes.
  package mutating func begin(_ flow: PendingAuthorization, key: String, network: String, nowMs: Int64) {
    while let oldest = order.first, entries[oldest].map({ $0.untilMs <= nowMs }) ?? true {
      order.removeFirst()
      remove(oldest)
    }
    if let own = ofNetwork[network], own.count >= Limits.loginFlowsOfNetworkMax {
      remove(own[0])
    } else if entries.count >= Limits.loginFlowsMax, let most = ofNetwork.values.map(\.count).max() {
      // Where several have as many, whoever has begun last has had the least time to come back.
      let oldest = order.first { key in entries[key].map { ofNetwork[$0.network]?.count == most } ?? false }
      if let oldest { remove(oldest) }
    }
    if order.count >= 2 * Limits.loginFlowsMax { order = order.filter { entries[$0] != nil } }
    entries[key] = Entry(flow: flow, network: network, untilMs: nowMs + Limits.loginFlowMs)
    order.append(key)
    ofNetwork[network, default: []].append(key)
  }

  /// One that comes back: it is not there a second time. Nil where it was not begun, has come back, is too old, or has
  /// another state, with which it stays.
  package mutating func consume(key: String, state: String, nowMs: Int64) -> PendingAuthorization? {
    guard let entry = entries[key], entry.flow.state == state else { return nil }
    remove(key)
    return entry.untilMs > nowMs ? entry.flow : nil
  }

  private mutating func remove(_ key: String) {
    guard let entry = entries.removeValue(forKey: key) else { return }
    let left = ofNetwork[entry.network]?.filter { $0 != key } ?? []
    ofNetwork[entry.network] = left.isEmpty ? nil : left
  }
}
