/// Admission of scans, which are reads that may look at very many rows. A pure state machine: the caller runs what
/// starts.
///
/// A network has a share of the places and of the queue, so that none keeps all others out.
package struct ScanQueue: Sendable {
  /// What becomes of a scan that comes.
  package enum Admission: Sendable, Equatable {
    /// It has a place.
    case starts
    /// `leave` returns its number once it has a place.
    case waits
    /// The queue has no room, or the network's share of it is used up.
    case refused
  }

  private struct Entry: Sendable {
    let id: UInt64
    let network: IPAddress?
  }

  private let placesMax: Int
  private let waitingMax: Int
  private let placesOfNetworkMax: Int
  private let waitingOfNetworkMax: Int
  private var running: [Entry] = []
  /// The oldest first.
  private var waiting: [Entry] = []
  /// True from `hold` to `resume`: no scan starts.
  package private(set) var isHeld = false

  /// True where no scan runs.
  package var isIdle: Bool { running.isEmpty }

  /// - Parameters:
  ///   - placesMax: scans that run at once; 1 or more.
  ///   - waitingMax: scans that wait; 0 or more.
  package init(placesMax: Int = Limits.scansAtOnceMax, waitingMax: Int = Limits.scansWaitingMax) {
    self.placesMax = placesMax
    self.waitingMax = waitingMax
    placesOfNetworkMax = max(1, placesMax / Limits.scansNetworkShare)
    waitingOfNetworkMax = max(1, waitingMax / Limits.scansNetworkShare)
  }

  /// Admits a scan.
  ///
  /// - Parameters:
  ///   - id: a number that no other scan has.
  ///   - network: whose share it takes; nil for no share.
  package mutating func enter(_ id: UInt64, from network: IPAddress?) -> Admission {
    let entry = Entry(id: id, network: network)
    // Those that wait could not start, or they would not wait.
    if mayStart(entry) {
      running.append(entry)
      return .starts
    }
    guard waiting.count < waitingMax, network == nil || count(waiting, of: network) < waitingOfNetworkMax else {
      return .refused
    }
    waiting.append(entry)
    return .waits
  }

  /// Ends a scan that runs, or takes one from the queue.
  ///
  /// - Returns: the scan that starts now; nil for none.
  package mutating func leave(_ id: UInt64) -> UInt64? {
    waiting.removeAll { $0.id == id }
    running.removeAll { $0.id == id }
    guard let index = waiting.firstIndex(where: mayStart) else { return nil }
    let next = waiting.remove(at: index)
    running.append(next)
    return next.id
  }

  /// Lets no further scan start.
  package mutating func hold() { isHeld = true }

  /// Lets scans start again.
  ///
  /// - Returns: those that start now.
  package mutating func resume() -> [UInt64] {
    isHeld = false
    var started: [UInt64] = []
    while let index = waiting.firstIndex(where: mayStart) {
      let next = waiting.remove(at: index)
      running.append(next)
      started.append(next.id)
    }
    return started
  }

  private func mayStart(_ entry: Entry) -> Bool {
    !isHeld && running.count < placesMax
      && (entry.network == nil || count(running, of: entry.network) < placesOfNetworkMax)
  }

  private func count(_ entries: [Entry], of network: IPAddress?) -> Int { entries.count { $0.network == network } }
}
