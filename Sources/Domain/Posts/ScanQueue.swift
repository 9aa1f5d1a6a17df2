/// Admission of scans: reads that may examine more than `Limits.quickReadRowsMax` rows. A pure state machine: the
/// caller runs the scans that start.
///
/// A network may use a share of the slots and of the queue, and a block of addresses a larger share. Thus no client
/// delays all other clients, even if it has many networks of a block.
package struct ScanQueue: Sendable {
  /// The outcome of `admit`.
  package enum Admission: Sendable, Equatable {
    /// The scan has a slot.
    case starts
    /// The scan waits for a slot. `finish` or `resume` returns the scan's id when it gets a slot.
    case waits
    /// The queue is full, or the share of the network or of its block is used up.
    case refused
  }

  private struct Entry: Sendable {
    let id: UInt64
    let network: IPAddress?
    let block: IPAddress?
  }

  /// Limits of the running or the waiting scans: in total, per network and per block.
  private struct Bounds: Sendable {
    private let allMax: Int
    private let networkMax: Int
    private let blockMax: Int

    init(allMax: Int) {
      self.allMax = allMax
      networkMax = max(1, allMax / Limits.scansNetworkShare)
      blockMax = max(1, allMax / Limits.scansBlockShare)
    }

    /// Returns true if a scan may join other scans.
    func allows(_ entry: Entry, beside others: [Entry]) -> Bool {
      guard others.count < allMax else { return false }
      return entry.network == nil
        || others.count { $0.network == entry.network } < networkMax
          && others.count { $0.block == entry.block } < blockMax
    }
  }

  private let slots: Bounds
  private let queue: Bounds
  private var running: [Entry] = []
  /// Waiting scans, oldest first.
  private var waiting: [Entry] = []
  /// True between `pause` and `resume`, while no scan starts.
  package private(set) var isPaused = false

  /// True if no scan is running.
  package var isIdle: Bool { running.isEmpty }

  /// - Parameters:
  ///   - slotsMax: Maximum number of running scans, 1 or more.
  ///   - waitingMax: Maximum number of waiting scans, 0 or more.
  package init(slotsMax: Int = Limits.concurrentScansMax, waitingMax: Int = Limits.scansWaitingMax) {
    slots = Bounds(allMax: slotsMax)
    queue = Bounds(allMax: waitingMax)
  }

  /// Admits a scan.
  ///
  /// - Parameters:
  ///   - id: Number that no other scan has.
  ///   - network: Network of the client. The scan uses its share and its block's share. Nil exempts the scan from
  ///     shares.
  package mutating func admit(_ id: UInt64, from network: IPAddress?) -> Admission {
    let entry = Entry(id: id, network: network, block: network?.block)
    // The waiting scans have used up their shares, so a new scan that may start overtakes them.
    if mayStart(entry) {
      running.append(entry)
      return .starts
    }
    guard queue.allows(entry, beside: waiting) else { return .refused }
    waiting.append(entry)
    return .waits
  }

  /// Removes a running or waiting scan.
  ///
  /// - Returns: the scan that starts now, or nil.
  package mutating func finish(_ id: UInt64) -> UInt64? {
    waiting.removeAll { $0.id == id }
    running.removeAll { $0.id == id }
    guard let index = waiting.firstIndex(where: mayStart) else { return nil }
    let next = waiting.remove(at: index)
    running.append(next)
    return next.id
  }

  /// Prevents further scans from starting. Running scans continue.
  package mutating func pause() { isPaused = true }

  /// Permits scans to start again.
  ///
  /// - Returns: the scans that start now.
  package mutating func resume() -> [UInt64] {
    isPaused = false
    var started: [UInt64] = []
    while let index = waiting.firstIndex(where: mayStart) {
      let next = waiting.remove(at: index)
      running.append(next)
      started.append(next.id)
    }
    return started
  }

  private func mayStart(_ entry: Entry) -> Bool { !isPaused && slots.allows(entry, beside: running) }
}
