import Domain
import Messaging
import Synchronization

/// What the feed tells, on its way from the reactor's thread to the task that shows it. Bounded: whoever shows more
/// slowly than the feed tells finds the newest list instead of what led to it, never a list with a hole.
final class FeedEventQueue: Sendable {
  /// One element when there may be something to take, or when it is time to look at the clock again.
  let rings: AsyncStream<Void>
  private let ring: AsyncStream<Void>.Continuation
  private struct Waiting: Sendable {
    var news: [FeedSubscriber.Event] = []
    /// What was said of it last.
    var isStale = false
  }

  private let waiting = Mutex(Waiting())

  init() { (rings, ring) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1)) }

  /// From any thread; returns at once.
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

  /// From any thread; returns at once.
  func wake() { ring.yield() }

  /// All that waits, in order.
  func drain() -> [FeedSubscriber.Event] {
    waiting.withLock { waiting in
      defer { waiting.news = [] }
      return waiting.news
    }
  }

  /// The same in at most two: the last list, and that it was lost if it was.
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
  /// The list after it; nil where it is lost.
  var state: FeedState? {
    switch self {
    case .list(let state, _), .changes(_, let state): state
    case .stale, .desynced: nil
    }
  }
}
