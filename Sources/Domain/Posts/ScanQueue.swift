/// Admission of scans, which are reads that may look at very many rows. A pure state machine: the caller runs what
/// starts.
///
/// A network has a share of the places and of the queue, and a block of addresses has a larger one. So neither keeps
/// all others out, although one client may have many networks of a block.
package struct ScanQueue: Sendable {
  /// The outcome of `enter`.
  package enum Admission: Sendable, Equatable {
    /// The scan has a place.
    case starts
    /// `leave` returns its number once it has a place.
    case waits
    /// The queue is full, or the share of the network or of its block is used up.
    case refused
  }

  private struct Entry: Sendable {
    let id: UInt64
    let network: IPAddress?
    let block: IPAddress?
  }

  /// Bounds of the scans that run, or of those that wait.
  private struct Bounds: Sendable {
    private let allMax: Int
    private let networkMax: Int
    private let blockMax: Int

    init(allMax: Int) {
      self.allMax = allMax
      networkMax = max(1, allMax / Limits.scansNetworkShare)
      blockMax = max(1, allMax / Limits.scansBlockShare)
    }

    /// Returns true if a scan may join others.
    func allows(_ entry: Entry, beside others: [Entry]) -> Bool {
      guard others.count < allMax else { return false }
      return entry.network == nil
        || others.count { $0.network == entry.network } < networkMax
          && others.count { $0.block == entry.block } < blockMax
    }
  }

  private let places: Bounds
  private let queue: Bounds
  private var running: [Entry] = []
  /// Scans that wait, oldest first.
  private var waiting: [Entry] = []
  /// True from `hold` to `resume`: no scan starts.
  package private(set) var isPaused = false

  /// True where no scan runs.
  package var isIdle: Bool { running.isEmpty }

  /// - Parameters:
  ///   - placesMax: scans that run at once; 1 or more.
  ///   - waitingMax: scans that wait; 0 or more.
  package init(placesMax: Int = Limits.scansAtOnceMax, waitingMax: Int = Limits.scansWaitingMax) {
    places = Bounds(allMax: placesMax)
    queue = Bounds(allMax: waitingMax)
  }

  /// Admits a scan.
  ///
  /// - Parameters:
  ///   - id: a number that no other scan has.
  ///   - network: the network whose share, and whose block's share, the scan takes; nil for no share.
  package mutating func admit(_ id: UInt64, from network: IPAddress?) -> Admission {
    let entry = Entry(id: id, network: network, block: network?.block)
    // Scans that wait cannot start now, so a new one that can need not wait for them.
    if mayStart(entry) {
      running.append(entry)
      return .starts
    }
    guard queue.allows(entry, beside: waiting) else { return .refused }
    waiting.append(entry)
    return .waits
  }

  /// Removes a scan that runs or waits.
  ///
  /// - Returns: the scan that starts now; nil for none.
  package mutating func finish(_ id: UInt64) -> UInt64? {
    waiting.removeAll { $0.id == id }
    running.removeAll { $0.id == id }
    guard let index = waiting.firstIndex(where: mayStart) else { return nil }
    let next = waiting.remove(at: index)
    running.append(next)
    return next.id
  }

  /// Lets no further scan start.
  package mutating func pause() { isPaused = true }

  /// Lets scans start again.
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

  private func mayStart(_ entry: Entry) -> Bool { !isPaused && places.allows(entry, beside: running) }
}
