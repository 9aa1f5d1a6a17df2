import Domain
import Messaging
import Synchronization

/// A bounded queue of the feed's events, from the reactor's thread to the task that shows them. A display that is
/// slower than the feed gets the newest list instead of all changes, never a list with a gap.
final class FeedEventQueue: Sendable {
  /// An element when there may be events, or when ages must be updated.
  let wakeUps: AsyncStream<Void>
  private let wakeUpContinuation: AsyncStream<Void>.Continuation
  private struct Pending: Sendable {
    var events: [FeedSubscriber.Event] = []
    /// The last reported staleness.
    var isStale = false
  }

  private let pending = Mutex(Pending())

  init() { (wakeUps, wakeUpContinuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1)) }

  /// Appends an event without waiting. Any thread.
  func enqueue(_ event: FeedSubscriber.Event) {
    pending.withLock { pending in
      pending.events.append(event)
      switch event {
      case .list(_, let isStale), .stale(let isStale): pending.isStale = isStale
      case .changes, .desynced: break
      }
      if pending.events.count > ToolLimits.pendingEventsMax { pending.events = FeedEventQueue.newest(of: pending) }
    }
    wake()
  }

  /// Wakes the display without waiting. Any thread.
  func wake() { wakeUpContinuation.yield() }

  /// Removes and returns all events, in order.
  func drain() -> [FeedSubscriber.Event] {
    pending.withLock { pending in
      defer { pending.events = [] }
      return pending.events
    }
  }

  /// Returns at most two events instead of the pending ones: the last list, and a desync if the last event is one.
  private static func newest(of pending: Pending) -> [FeedSubscriber.Event] {
    let events = pending.events
    var newest: [FeedSubscriber.Event] = []
    if let state = events.reversed().lazy.compactMap(\.state).first {
      newest.append(.list(state, isStale: pending.isStale))
    }
    if let last = events.last, case .desynced = last { newest.append(last) }
    return newest
  }
}

extension FeedSubscriber.Event {
  /// The list after the event. Nil for an event without a list.
  var state: FeedState? {
    switch self {
    case .list(let state, _), .changes(_, let state): state
    case .stale, .desynced: nil
    }
  }
}
