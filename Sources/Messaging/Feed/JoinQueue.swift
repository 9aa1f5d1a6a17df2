import Domain
import OrderedCollections

/// Queue of join topics without duplicates. Repeated joins of a subscriber take no slots of other subscribers.
struct JoinQueue {
  private var topics: OrderedSet<[UInt8]> = []

  var count: Int { topics.count }

  /// Adds a topic. A topic that already waits keeps its position.
  ///
  /// - Returns: false if the queue was full and its oldest topic was dropped.
  mutating func add(_ topic: [UInt8]) -> Bool {
    topics.append(topic)
    guard topics.count > Limits.joinsWaitingMax else { return true }
    topics.removeFirst()
    return false
  }

  /// Removes a topic, so that a cancelled join does not delay a waiting one.
  mutating func remove(_ topic: [UInt8]) { topics.remove(topic) }

  /// Removes and returns up to `count` topics: the oldest, or the newest if the queue is so long that the oldest joins
  /// have timed out.
  mutating func dequeue(_ count: Int) -> [[UInt8]] {
    guard topics.count > Limits.joinsInTimeMax else {
      defer { topics.removeFirst(count) }
      return Array(topics.prefix(count))
    }
    defer { topics.removeLast(count) }
    return topics.suffix(count).reversed()
  }
}
