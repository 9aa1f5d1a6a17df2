import Domain
import Messaging
import Synchronization

/// A queue of the feed's events, from the reactor's thread to the task that shows them. It is bounded. If the display
/// is slower than the feed, it gets the newest list instead of the changes before it, never a list with a gap.
final class FeedEventQueue: Sendable {
  /// An element when there may be events, or when ages must be updated.
  let rings: AsyncStream<Void>
  private let ring: AsyncStream<Void>.Continuation
  private struct Waiting: Sendable {
    var news: [FeedSubscriber.Event] = []
    /// The last reported staleness.
    var isStale = false
  }

  private let waiting = Mutex(Waiting())

  init() { (rings, ring) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1)) }

  /// Appends an event without waiting. Any thread.
  func enqueue(_ news: FeedSubscriber.Event) {
    waiting.withLock { waiting in
      waiting.news.append(news)
      switch news {
      case .list(_, let isStale), .stale(let isStale): waiting.isStale = isStale
      case .changes, .desynced: break
      }
      if waiting.news.count > ToolLimits.pendingEventsMax { waiting.news = FeedEventQueue.newest(of: waiting) }
    }
    wake()
  }

  /// Wakes the display without waiting. Any thread.
  func wake() { ring.yield() }

  /// Removes and returns all events, in order.
  func drain() -> [FeedSubscriber.Event] {
    waiting.withLock { waiting in
      defer { waiting.news = [] }
      return waiting.news
    }
  }

  /// Returns at most two events for those that wait: the last list, and a desync if that came last.
  private static func newest(of waiting: Waiting) -> [FeedSubscriber.Event] {
    let news = waiting.news
    var newest: [FeedSubscriber.Event] = []
    if let state = news.reversed().lazy.compactMap(\.state).first {
      newest.append(.list(state, isStale: waiting.isStale))
    }
    if let last = news.last, case .desynced = last { newest.append(last) }
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
