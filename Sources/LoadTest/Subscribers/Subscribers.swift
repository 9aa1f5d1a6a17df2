import Domain
import Logging
import Messaging
import Synchronization

/// Further subscribers of a load test. They join at random moments of the run, follow the list as all subscribers do,
/// and must end with the store's list.
final class Subscribers: Sendable {
  /// State of a subscriber, with its own lock. With a common lock, fifty threads with a thousand changes a second each
  /// would contend.
  fileprivate final class SubscriberState: Sendable {
    struct State: Sendable {
      var list: FeedState?
      var isLive = false
      var lists = 0
      var wrong = 0
    }

    let state = Mutex(State())
  }

  /// The findings about the subscribers.
  struct Finding: Sendable {
    /// Number of subscribers.
    var count = 0
    /// Number of subscribers that ended with the store's list.
    var equal = 0
    /// Number of lists that differed from the feed's, by their hash.
    var wrong = 0
    /// Number of complete lists that replaced a list, after a gap or a restart of the feed.
    var replacements = 0
  }

  private let states: [SubscriberState]

  /// Creates the subscribers.
  ///
  /// - Parameter count: 0 or more.
  init(count: Int) { states = (0..<count).map { _ in SubscriberState() } }

  /// Starts each subscriber at a random moment of the run, and runs until the task is cancelled.
  ///
  /// - Parameters:
  ///   - seconds: Duration of the run, in seconds.
  ///   - seed: Seed of the random moments. The same seed repeats them.
  /// - Throws: `LinkError` if the address cannot be used.
  func run(_ feeds: [Endpoint], curve: CurveClient?, seconds: Int, seed: UInt64, logger: Logger) async throws {
    var moments = states.indices.map { Subscribers.moment($0, ofMs: seconds * 1_000, seed: seed) }
    moments.sort()
    let start = ContinuousClock.now
    var reactors: [Reactor] = []
    defer { for reactor in reactors { reactor.stop() } }
    for (number, momentMs) in moments.enumerated() {
      do { try await Task.sleep(until: start + .milliseconds(momentMs)) } catch { return }
      let reactor = try Reactor.start("audience", wake: WakeupEvent()) { [self] context in
        (
          sockets: [
            try FeedSubscriber(context, connect: feeds, startsAnywhere: true, curve: curve, logger: logger) {
              self.states[number].handle($0)
            }
          ], value: ()
        )
      }.reactor
      reactors.append(reactor)
    }
    while (try? await Task.sleep(for: .seconds(3_600))) != nil {}
  }

  /// Compares the subscribers with the store's list. A subscriber is equal if it is live, with the same sequence number
  /// and hash.
  func finding(seq: UInt64, hash: String) -> Finding {
    states.map { $0.state.withLock { $0 } }.reduce(into: Finding(count: states.count)) { finding, state in
      finding.wrong += state.wrong
      finding.replacements += max(0, state.lists - 1)
      guard state.isLive, let list = state.list, list.seq == seq else { return }
      if hexadecimal(list.hash, digits: 16) == hash { finding.equal += 1 }
    }
  }

  /// Returns the start of a subscriber, in milliseconds from the start of the run.
  private static func moment(_ number: Int, ofMs range: Int, seed: UInt64) -> Int {
    Int(SplitMix64.value(seed: seed, at: UInt64(number)) % UInt64(max(1, range)))
  }
}

extension Subscribers.SubscriberState {
  /// Handles an event. Subscriber's own thread only.
  fileprivate func handle(_ event: FeedSubscriber.Event) {
    state.withLock { current in
      switch event {
      case .list(let list, _):
        current.list = list
        current.isLive = true
        current.lists += 1
      case .changes(_, let list): current.list = list
      case .desynced(let reason):
        current.isLive = false
        if reason == .hashMismatch { current.wrong += 1 }
      case .stale: break
      }
    }
  }
}
