import Domain
import Logging
import Messaging
import Synchronization

/// Further subscribers of a load test: they come at random moments of the run, follow the list as all subscribers do,
/// and have to end with the store's.
final class Subscribers: Sendable {
  /// Each has a lock of its own: at one for all, fifty threads with a thousand changes a second each would stand in
  /// line.
  fileprivate final class SubscriberState: Sendable {
    struct Standing: Sendable {
      var list: FeedState?
      var isLive = false
      var lists = 0
      var wrong = 0
    }

    let standing = Mutex(Standing())
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

  private let states: [SubscriberState]

  /// - Parameter count: 0 or more.
  init(count: Int) { states = (0..<count).map { _ in SubscriberState() } }

  /// Subscribes, each at a random moment of the run, and stays until the task is cancelled.
  ///
  /// - Parameters:
  ///   - seconds: the run's.
  ///   - seed: repeats the moments.
  /// - Throws: `LinkError` when the address cannot be used.
  func run(_ feed: Endpoint, curve: CurveClient?, seconds: Int, seed: UInt64, logger: Logger) async throws {
    var moments = states.indices.map { Subscribers.moment($0, ofMs: seconds * 1_000, seed: seed) }
    moments.sort()
    let start = ContinuousClock.now
    var reactors: [Reactor] = []
    defer { for reactor in reactors { reactor.stop() } }
    for (number, momentMs) in moments.enumerated() {
      do { try await Task.sleep(until: start + .milliseconds(momentMs)) } catch { return }
      let reactor = try Reactor.start("audience", wake: WakeupEvent()) { [self] context in
        (
          stations: [
            try FeedSubscriber(context, connect: [feed], curve: curve, logger: logger) { self.states[number].handle($0) }
          ], told: ()
        )
      }.reactor
      reactors.append(reactor)
    }
    while (try? await Task.sleep(for: .seconds(3_600))) != nil {}
  }

  /// How they stand to the store's list: those that are live, at its number, with its hash.
  func finding(seq: UInt64, hash: String) -> Finding {
    states.map { $0.standing.withLock { $0 } }.reduce(into: Finding(count: states.count)) { finding, state in
      finding.wrong += state.wrong
      finding.replacements += max(0, state.lists - 1)
      guard state.isLive, let list = state.list, list.seq == seq else { return }
      if hexadecimal(list.hash, digits: 16) == hash { finding.equal += 1 }
    }
  }

  /// Milliseconds from the start.
  private static func moment(_ number: Int, ofMs range: Int, seed: UInt64) -> Int {
    Int(SplitMix64.value(seed: seed, at: UInt64(number)) % UInt64(max(1, range)))
  }
}

extension Subscribers.SubscriberState {
  /// On the subscriber's own thread.
  fileprivate func handle(_ news: FeedSubscriber.Event) {
    standing.withLock { standing in
      switch news {
      case .list(let state, _):
        standing.list = state
        standing.isLive = true
        standing.lists += 1
      case .changes(_, let state): standing.list = state
      case .desynced(let loss):
        standing.isLive = false
        if loss == .hashMismatch { standing.wrong += 1 }
      case .stale: break
      }
    }
  }
}
