import Domain
import Logging
import Messaging
import Synchronization

/// The run's own subscriber. It records each post as soon as the feed publishes it.
final class RunSubscriber: Sendable {
  private struct Seen {
    var state: FeedState?
    var isLive = false
    var lists = 0
    var schedule: Schedule?
  }

  private let plan: LoadPlan
  private let tally: Tally
  private let seen = Mutex(Seen())

  init(plan: LoadPlan, tally: Tally) {
    self.plan = plan
    self.tally = tally
  }

  /// Subscribes, on a thread of its own. The caller must stop the returned reactor.
  ///
  /// - Throws: `LinkError` if the address cannot be used.
  func start(_ feeds: [Endpoint], curve: CurveClient?, logger: Logger) throws -> Reactor {
    try Reactor.start("load", wake: WakeupEvent()) { [self] context in
      (
        sockets: [try FeedSubscriber(context, connect: feeds, curve: curve, logger: logger) { self.handle($0) }],
        value: ()
      )
    }.reactor
  }

  /// Starts the recording of the run's posts. Earlier lists contain none of these posts, and are not recorded.
  func begin(_ schedule: Schedule) { seen.withLock { $0.schedule = schedule } }

  /// The subscriber's list. Nil if it has none, or knows that its list is wrong.
  var list: FeedState? { seen.withLock { $0.isLive ? $0.state : nil } }
  /// Number of complete lists that replaced the subscriber's list. Posts between two lists were not seen.
  var replacements: Int { seen.withLock { max(0, $0.lists - 1) } }

  /// Handles an event. Reactor's thread only.
  private func handle(_ event: FeedSubscriber.Event) {
    let nowNs = RunClock.nowNs
    let schedule = seen.withLock { seen in
      switch event {
      case .list(let state, _), .changes(_, let state):
        seen.state = state
        seen.isLive = true
      case .stale: break
      case .desynced: seen.isLive = false
      }
      if case .list = event { seen.lists += 1 }
      return seen.schedule
    }
    guard let schedule else { return }
    switch event {
    case .list(let state, _): see(state.entries, schedule, nowNs)
    case .changes(let delta, _): see(delta.newOrEdited, schedule, nowNs)
    case .stale, .desynced: break
    }
  }

  private func see(_ entries: some Sequence<FeedEntry>, _ schedule: Schedule, _ nowNs: Int64) {
    for entry in entries {
      guard let post = plan.post(entry.link) else { continue }
      tally.see(post, id: entry.id, latencyNs: nowNs - schedule.dueNs(post))
    }
  }
}
