import Link
import OnTheMap
import Synchronization

/// What the feed tells, on its way from the reactor's thread to the task that shows it. Bounded: whoever shows more
/// slowly than the feed tells finds the newest list instead of what led to it, never a list with a hole.
final class WatchMailbox: Sendable {
  /// News that wait; each holds a list of 100 posts, about 30 KB when nothing is shared.
  static let newsMax = 64

  /// One element when there may be something to take, or when it is time to look at the clock again.
  let rings: AsyncStream<Void>
  private let ring: AsyncStream<Void>.Continuation
  private let waiting = Mutex<[FeedSubscriber.Event]>([])

  init() { (rings, ring) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1)) }

  /// From any thread; returns at once.
  func put(_ news: FeedSubscriber.Event) {
    waiting.withLock { waiting in
      waiting.append(news)
      if waiting.count > WatchMailbox.newsMax { waiting = WatchMailbox.newest(of: waiting) }
    }
    wake()
  }

  /// From any thread; returns at once.
  func wake() { ring.yield() }

  /// All that waits, in order.
  func takeAll() -> [FeedSubscriber.Event] {
    waiting.withLock { waiting in
      defer { waiting = [] }
      return waiting
    }
  }

  /// The same in at most three: the last list, whether the feed is stale, and that it was lost if it was.
  private static func newest(of news: [FeedSubscriber.Event]) -> [FeedSubscriber.Event] {
    var newest: [FeedSubscriber.Event] = []
    if let state = news.reversed().lazy.compactMap(\.state).first { newest.append(.list(state)) }
    if let stale = news.last(where: { if case .stale = $0 { true } else { false } }) { newest.append(stale) }
    if let last = news.last, case .lost = last { newest.append(last) }
    return newest
  }
}

extension FeedSubscriber.Event {
  /// The list after it; nil where it is lost.
  var state: FeedState? {
    switch self {
    case .list(let state), .changes(_, let state): state
    case .stale, .lost: nil
    }
  }
}
