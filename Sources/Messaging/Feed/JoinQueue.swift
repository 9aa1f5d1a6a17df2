import Domain
import OrderedCollections

/// Joins that wait for their turn, each topic once: who subscribes it again and again takes nobody's turn.
struct JoinQueue {
  private var topics: OrderedSet<[UInt8]> = []

  var count: Int { topics.count }

  /// A topic that waits already keeps its place.
  ///
  /// - Returns: false when there were too many, and the oldest was dropped for it.
  mutating func add(_ topic: [UInt8]) -> Bool {
    topics.append(topic)
    guard topics.count > Limits.joinsWaitingMax else { return true }
    topics.removeFirst()
    return false
  }

  /// Whoever gives a topic up must not take the turn of one who still waits.
  mutating func remove(_ topic: [UInt8]) { topics.remove(topic) }

  /// Those whose turn it is: the oldest, or the newest where so many wait that the oldest have given up.
  mutating func dequeue(_ count: Int) -> [[UInt8]] {
    guard topics.count > Limits.joinsInTimeMax else {
      defer { topics.removeFirst(count) }
      return Array(topics.prefix(count))
    }
    defer { topics.removeLast(count) }
    return topics.suffix(count).reversed()
  }
}
