import Link
import Logging
import OnTheMap
import Synchronization

/// Further subscribers of a load test: they come at random moments of the run, follow the list as all subscribers do,
/// and have to end with the store's.
final class LoadAudience: Sendable {
  private struct Seat: Sendable {
    var state: FeedState?
    var isLive = false
    var lists = 0
    var wrong = 0
  }

  /// What became of them.
  struct Finding: Sendable {
    /// How many there were.
    var count = 0
    /// How many ended with the store's list.
    var equal = 0
    /// How often one of them had a list that was not the feed's, by its hash.
    var wrong = 0
    /// How often a list was replaced by a whole new one, after a gap or a restart of the feed.
    var replacements = 0
  }

  private let seats: Mutex<[Seat]>

  /// - Parameter count: 0 or more.
  init(count: Int) { seats = Mutex(Array(repeating: Seat(), count: count)) }

  /// Subscribes, each at a random moment of the run, and stays until the task is cancelled.
  ///
  /// - Parameters:
  ///   - seconds: the run's.
  ///   - seed: repeats the moments.
  /// - Throws: `LinkError` when the address cannot be used.
  func attend(_ feed: Endpoint, curve: CurveClient?, seconds: Int, seed: UInt64, logger: Logger) async throws {
    let count = seats.withLock { $0.count }
    var moments = (0..<count).map { LoadAudience.moment($0, ofMs: seconds * 1_000, seed: seed) }
    moments.sort()
    let start = ContinuousClock.now
    var reactors: [Reactor] = []
    defer { for reactor in reactors { reactor.stop() } }
    for (number, momentMs) in moments.enumerated() {
      do { try await Task.sleep(until: start + .milliseconds(momentMs)) } catch { return }
      let reactor = try Reactor.start("audience", wake: Wake()) { [self] context in
        (
          stations: [
            try FeedSubscriber(context, connect: [feed], curve: curve, logger: logger) { self.take($0, number) }
          ], told: ()
        )
      }.reactor
      reactors.append(reactor)
    }
    while (try? await Task.sleep(for: .seconds(3_600))) != nil {}
  }

  /// How they stand to the store's list: those that are live, at its number, with its hash.
  func finding(seq: UInt64, hash: String) -> Finding {
    seats.withLock { seats in
      seats.reduce(into: Finding(count: seats.count)) { finding, seat in
        finding.wrong += seat.wrong
        finding.replacements += max(0, seat.lists - 1)
        guard seat.isLive, let state = seat.state, state.seq == seq else { return }
        if hexadecimal(state.hash, digits: 16) == hash { finding.equal += 1 }
      }
    }
  }

  /// On the subscriber's own thread.
  private func take(_ news: FeedSubscriber.Event, _ number: Int) {
    seats.withLock { seats in
      switch news {
      case .list(let state, _):
        seats[number].state = state
        seats[number].isLive = true
        seats[number].lists += 1
      case .changes(_, let state): seats[number].state = state
      case .lost(let loss):
        seats[number].isLive = false
        if loss == .wrongHash { seats[number].wrong += 1 }
      case .stale: break
      }
    }
  }

  /// Milliseconds from the start; by SplitMix64 (Steele, Lea, Flood: Fast Splittable Pseudorandom Number Generators).
  private static func moment(_ number: Int, ofMs range: Int, seed: UInt64) -> Int {
    var z = seed &+ UInt64(number + 1) &* 0x9E37_79B9_7F4A_7C15
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return Int((z ^ (z >> 31)) % UInt64(max(1, range)))
  }
}
