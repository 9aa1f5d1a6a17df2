import Domain

/// The feed's topics: `otm.feed/1/<feed>/<kind>/`. The last slash keeps a topic from being a prefix of another topic.
/// The major version lets a feed publish two versions side by side.
enum Topic {
  private static let feed = "otm.feed/\(Protocol.major)/main/"
  private static let joins = Array((feed + "j/").utf8)

  /// The topic of the whole list, on change and every few seconds.
  static let snapshot = feed + "s/"
  /// The topic of each change.
  static let delta = feed + "d/"
  /// The topic of heartbeats and goodbyes.
  static let heartbeat = feed + "h/"

  /// The topics for all subscribers.
  static let shared = [snapshot, delta, heartbeat]

  /// Returns the topic of the whole list for the one subscriber that chose the nonce.
  static func join(_ nonce: String) -> String { feed + "j/" + nonce + "/" }

  /// True if the topic has the prefix of joins, even if its nonce is invalid.
  static func isJoin(_ topic: some BidirectionalCollection<UInt8>) -> Bool { topic.starts(with: joins) }

  /// Returns the topic of a join. Nil if it is not well-formed.
  static func join(in topic: some BidirectionalCollection<UInt8>) -> [UInt8]? {
    guard isJoin(topic), topic.last == UInt8(ascii: "/") else { return nil }
    let nonce = topic.dropFirst(joins.count).dropLast()
    let isNonce =
      (1...Limits.joinNonceBytesMax).contains(nonce.count)
      && nonce.allSatisfy { byte in
        (48...57).contains(byte) || (65...90).contains(byte) || (97...122).contains(byte)
      }
    return isNonce ? Array(topic) : nil
  }

  /// Returns a nonce of 20 random base-32 characters (100 bits).
  static func nonce() -> String {
    let digits = Array("abcdefghijklmnopqrstuvwxyz234567".utf8)
    return String(decoding: (0..<20).map { _ in digits[Int.random(in: 0..<32)] }, as: UTF8.self)
  }
}
