import Foundation
import Glibc
import Synchronization

/// A record of each list that readers saw as current, compared with the database at the end. Any thread.
///
/// A thread per service polls `GET /v2/feed`, and a subscriber per feed records each change.
final class FeedHistory: Sendable {
  /// A list at one moment.
  struct Moment: Hashable, Sendable {
    let epoch: String
    let seq: UInt64
    let stateHash: String
  }

  private struct State {
    /// The lists that were not marked as stale.
    var current: Set<Moment> = []
    /// Each epoch, in the order of its first list.
    var epochs: [String] = []
    var isEnding = false
  }

  private struct Polled: Decodable {
    let epoch: String
    let seq: UInt64
    let stateHash: String
    let stale: Bool
  }

  private let watchers: [Watcher]
  private let state = Mutex(State())

  /// Starts the record.
  ///
  /// - Parameter ports: HTTP ports of the services that serve the list.
  init(ports: [UInt16], watchers: [Watcher]) {
    self.watchers = watchers
    for port in ports { Thread.detachNewThread { [self] in poll(port) } }
  }

  /// Ends the record. The threads end after their open request.
  func end() { state.withLock { $0.isEnding = true } }

  /// The epochs of all current lists so far, in their order.
  var epochs: [String] { state.withLock { $0.epochs } }

  /// The number of different lists that were seen as current.
  var count: Int { state.withLock { $0.current.count } }

  /// Adds the subscribers' lists, and returns each list that contradicts another one, or the database.
  ///
  /// - Parameter database: The final content of the database, from which each earlier list of its epoch follows.
  func contradictions(to database: FailoverDatabase.Content) throws -> [String] {
    for watcher in watchers { try add(watcher) }
    let moments = state.withLock(\.current)
    var hashes: [String: String] = [:]
    var hashesOfDatabase: [UInt64: String] = [:]
    var found: [String] = []
    for moment in moments {
      let place = "\(moment.epoch)-\(moment.seq)"
      if let other = hashes.updateValue(moment.stateHash, forKey: place), other != moment.stateHash {
        found.append("\(place) had the hashes \(other) and \(moment.stateHash)")
      }
      guard moment.epoch == database.epoch else { continue }
      let expected = hashesOfDatabase[moment.seq] ?? database.stateHash(at: moment.seq)
      hashesOfDatabase[moment.seq] = expected
      if moment.stateHash != expected {
        found.append("\(place) had the hash \(moment.stateHash), and the database has \(expected)")
      }
    }
    return found.sorted()
  }

  private func poll(_ port: UInt16) {
    var connection: BlockingConnection?
    while !state.withLock(\.isEnding) {
      connection = connection ?? BlockingConnection(port: port, seconds: 30)
      if let response = connection?.send("GET", "/v2/feed") {
        if response.status == 200, let list = try? JSONDecoder().decode(Polled.self, from: Data(response.body)) {
          add(Moment(epoch: list.epoch, seq: list.seq, stateHash: list.stateHash), isStale: list.stale)
        }
      } else {
        connection = nil
      }
      Glibc.poll(nil, 0, 50)
    }
  }

  private func add(_ moment: Moment, isStale: Bool) {
    guard !isStale else { return }
    state.withLock { state in
      state.current.insert(moment)
      if !state.epochs.contains(moment.epoch) { state.epochs.append(moment.epoch) }
    }
  }

  private func add(_ watcher: Watcher) throws {
    var (epoch, isStale) = ("", false)
    for line in try watcher.lines {
      epoch = line.epoch ?? epoch
      isStale = line.stale ?? isStale
      guard let seq = line.seq, let hash = line.stateHash else { continue }
      add(Moment(epoch: epoch, seq: seq, stateHash: hash), isStale: isStale)
    }
  }
}
