import Domain

/// The feed's topics: `otm.feed/1/<feed>/<kind>/`. The last slash keeps one name from being the beginning of another,
/// and the major version in it lets two versions be published side by side.
enum Topic {
  private static let feed = "otm.feed/\(Protocol.major)/main/"
  private static let joins = Array((feed + "j/").utf8)

  /// The whole list, on change and every few seconds.
  static let snapshot = feed + "s/"
  /// Each change.
  static let delta = feed + "d/"
  /// Signs of life, and of the end.
  static let heartbeat = feed + "h/"

  /// The topics for all subscribers.
  static let shared = [snapshot, delta, heartbeat]

  /// The whole list for the one subscriber that has chosen the nonce.
  static func join(_ nonce: String) -> String { feed + "j/" + nonce + "/" }

  /// Whether a topic wants to be a join.
  static func isJoin(_ topic: some BidirectionalCollection<UInt8>) -> Bool { topic.starts(with: joins) }

  /// The topic of a join, if it is well-formed.
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

  /// 20 random characters of base 32: 100 bits.
  static func nonce() -> String {
    let digits = Array("abcdefghijklmnopqrstuvwxyz234567".utf8)
    return String(decoding: (0..<20).map { _ in digits[Int.random(in: 0..<32)] }, as: UTF8.self)
  }
}
