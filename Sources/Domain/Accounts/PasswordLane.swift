import DequeModule

/// Requests of one lane of `PasswordQueue`. A block is an internet provider's range of addresses (`IPAddress.block`). A
/// turn serves one request.
///
/// Blocks take turns. Within a block its networks take turns, and a network's turn serves its oldest request. Every
/// second turn goes to a block that had no turn since it joined. A network with hundreds of requests, or a block with
/// hundreds of networks, therefore delays another network by a turn or two. Hundreds of blocks that already had a turn
/// delay a new block no longer than that. The scheme follows the new and the old flows of RFC 8290, section 4.2.
struct PasswordLane: Sendable {
  private struct Waiter {
    let number: UInt64
    let enteredMs: Int64
  }

  private struct Network {
    var waiters: Deque<Waiter> = []
    var lastTurnMs = Int64.min

    /// Earliest deadline of the network's requests, which is the deadline of the oldest request.
    var deadlineMs: Int64 {
      guard let first = waiters.first else { return .max }
      return min(
        first.enteredMs + Limits.passwordWaitMs, max(first.enteredMs, lastTurnMs) + Limits.passwordTurnWaitMs)
    }
  }

  private struct Block {
    /// Networks with requests, in the order of their next turns.
    var networks: Deque<IPAddress?> = []
    /// Number of requests.
    var count = 0
  }

  /// Networks with requests.
  private var networks: [IPAddress?: Network] = [:]
  /// Blocks with requests.
  private var blocks: [IPAddress?: Block] = [:]
  /// Blocks that had no turn since they joined, oldest first, with the time at which each block joined.
  private var newBlocks: Deque<(block: IPAddress?, sinceMs: Int64)> = []
  /// Blocks that had a turn, in the order of their next turns.
  private var oldBlocks: Deque<IPAddress?> = []
  /// True if the next turn goes to a new block, while new and old blocks wait.
  private var prefersNew = true
  /// Number of requests.
  private(set) var count = 0
  /// Lower bound of all deadlines.
  private var soonestMs = Int64.max

  mutating func add(_ number: UInt64, from network: IPAddress?, nowMs: Int64) {
    let block = network?.block
    if blocks[block] == nil { newBlocks.append((block, nowMs)) }
    if networks[network] == nil { blocks[block, default: Block()].networks.append(network) }
    networks[network, default: Network()].waiters.append(Waiter(number: number, enteredMs: nowMs))
    blocks[block]?.count += 1
    count += 1
    soonestMs = min(soonestMs, nowMs + min(Limits.passwordTurnWaitMs, Limits.passwordWaitMs))
  }

  /// Removes the request whose turn it is, and returns its number. Nil without a request.
  mutating func next(nowMs: Int64) -> UInt64? {
    guard let block = nextBlock(nowMs: nowMs), let network = blocks[block]?.networks.popFirst(),
      let waiter = networks[network]?.waiters.popFirst()
    else { return nil }
    count -= 1
    blocks[block]?.count -= 1
    networks[network]?.lastTurnMs = nowMs
    if networks[network]?.waiters.isEmpty == true {
      networks[network] = nil
    } else {
      blocks[block]?.networks.append(network)
    }
    if blocks[block]?.count == 0 { blocks[block] = nil } else { oldBlocks.append(block) }
    return waiter.number
  }

  /// Returns the block whose turn it is, and removes the block from the turns. The newest of the new blocks goes first
  /// if the oldest has waited for half of `Limits.passwordTurnWaitMs`. New blocks then come faster than turns, and in
  /// the order of arrival every block would miss its deadline.
  private mutating func nextBlock(nowMs: Int64) -> IPAddress?? {
    let servesNew = !newBlocks.isEmpty && (prefersNew || oldBlocks.isEmpty)
    if !newBlocks.isEmpty, !oldBlocks.isEmpty { prefersNew.toggle() }
    guard servesNew else { return oldBlocks.popFirst() }
    guard let oldest = newBlocks.first else { return nil }
    let isLate = nowMs - oldest.sinceMs >= Limits.passwordTurnWaitMs / 2
    return (isLate ? newBlocks.popLast() : newBlocks.popFirst())?.block
  }

  /// Frees a slot for a request from a network. The block with the most requests loses the newest request of its
  /// largest network.
  ///
  /// - Returns: the number of the evicted request. Nil, without an eviction, if the new request's own block has the
  ///   most requests, and its own network has the most requests of that block.
  mutating func evict(for network: IPAddress?) -> UInt64? {
    let own = network?.block
    guard let largest = blocks.max(by: { $0.value.count < $1.value.count }) else { return nil }
    let isOtherBlock = largest.value.count > (blocks[own]?.count ?? 0) + 1
    let block = isOtherBlock ? largest.key : own
    func count(_ network: IPAddress?) -> Int { networks[network]?.waiters.count ?? 0 }
    guard let victim = blocks[block]?.networks.max(by: { count($0) < count($1) }),
      isOtherBlock || count(victim) > count(network) + 1, let last = networks[victim]?.waiters.popLast()
    else { return nil }
    self.count -= 1
    blocks[block]?.count -= 1
    if count(victim) == 0 { networks[victim] = nil }
    removeEmptied([block])
    return last.number
  }

  /// Removes the requests whose deadline has passed, and returns their numbers.
  mutating func expire(nowMs: Int64) -> [UInt64] {
    // A flood has thousands of networks. Scan them only if a deadline may have passed.
    guard nowMs >= soonestMs else { return [] }
    var expired: [UInt64] = []
    var touched: Set<IPAddress?> = []
    soonestMs = .max
    for (key, network) in networks {
      guard network.deadlineMs <= nowMs else {
        soonestMs = min(soonestMs, network.deadlineMs)
        continue
      }
      var network = network
      while network.deadlineMs <= nowMs, let first = network.waiters.popFirst() {
        expired.append(first.number)
        blocks[key?.block]?.count -= 1
      }
      soonestMs = min(soonestMs, network.deadlineMs)
      networks[key] = network.waiters.isEmpty ? nil : network
      touched.insert(key?.block)
    }
    count -= expired.count
    removeEmptied(touched)
    return expired
  }

  /// Removes networks without requests from the touched blocks, and blocks without requests from the turns.
  private mutating func removeEmptied(_ touched: Set<IPAddress?>) {
    for block in touched {
      blocks[block]?.networks.removeAll { networks[$0] == nil }
      if blocks[block]?.count == 0 { blocks[block] = nil }
    }
    guard touched.contains(where: { blocks[$0] == nil }) else { return }
    oldBlocks.removeAll { blocks[$0] == nil }
    newBlocks.removeAll { blocks[$0.block] == nil }
  }
}
