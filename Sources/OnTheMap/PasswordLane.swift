import DequeModule

/// Requests of one lane of `PasswordQueue`. Providers' blocks of addresses take turns, within a block its networks, and
/// within a network its requests by age. So a network with hundreds of requests, or a block with hundreds of networks,
/// delays another by one turn only.
struct PasswordLane: Sendable {
  private struct Waiter {
    let number: UInt64
    let enteredMs: Int64
  }

  private struct Network {
    var waiters: Deque<Waiter> = []
    var lastTurnMs = Int64.min

    /// The deadline of the oldest request; the others' are later.
    var deadlineMs: Int64 {
      guard let first = waiters.first else { return .max }
      return min(
        first.enteredMs + Limits.passwordWaitMs, max(first.enteredMs, lastTurnMs) + Limits.passwordTurnWaitMs)
    }
  }

  /// Those with requests.
  private var networks: [IPAddress?: Network] = [:]
  /// Networks of each block, by their next turn.
  private var blocks: [IPAddress?: Deque<IPAddress?>] = [:]
  /// Blocks by their next turn.
  private var order: Deque<IPAddress?> = []
  /// Number of requests.
  private(set) var count = 0

  mutating func add(_ number: UInt64, from network: IPAddress?, nowMs: Int64) {
    if networks[network] == nil {
      let block = network?.block
      if blocks[block] == nil { order.append(block) }
      blocks[block, default: []].append(network)
    }
    networks[network, default: Network()].waiters.append(Waiter(number: number, enteredMs: nowMs))
    count += 1
  }

  /// Removes the request whose turn it is.
  mutating func next(nowMs: Int64) -> UInt64? {
    guard let block = order.popFirst(), let network = blocks[block]?.popFirst(),
      let waiter = networks[network]?.waiters.popFirst()
    else { return nil }
    count -= 1
    networks[network]?.lastTurnMs = nowMs
    if networks[network]?.waiters.isEmpty == true { networks[network] = nil } else { blocks[block]?.append(network) }
    if blocks[block]?.isEmpty == true { blocks[block] = nil } else { order.append(block) }
    return waiter.number
  }

  /// Makes room for a request from a network: the network with the most requests loses its newest.
  ///
  /// - Returns: its number; nil where no network has more than the newcomer's would have.
  mutating func evict(for network: IPAddress?) -> UInt64? {
    let own = (networks[network]?.waiters.count ?? 0) + 1
    guard let most = networks.max(by: { $0.value.waiters.count < $1.value.waiters.count }),
      most.value.waiters.count > own
    else { return nil }
    count -= 1
    return networks[most.key]?.waiters.popLast()?.number
  }

  /// Removes the requests whose deadline has passed.
  mutating func expire(nowMs: Int64) -> [UInt64] {
    var expired: [UInt64] = []
    var emptied: Set<IPAddress?> = []
    for (key, network) in networks where network.deadlineMs <= nowMs {
      var network = network
      while network.deadlineMs <= nowMs, let first = network.waiters.popFirst() { expired.append(first.number) }
      networks[key] = network.waiters.isEmpty ? nil : network
      if network.waiters.isEmpty { emptied.insert(key?.block) }
    }
    count -= expired.count
    for block in emptied {
      blocks[block]?.removeAll { networks[$0] == nil }
      if blocks[block]?.isEmpty == true { blocks[block] = nil }
    }
    if !emptied.isEmpty { order.removeAll { blocks[$0] == nil } }
    return expired
  }
}
