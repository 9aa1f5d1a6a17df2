/// Why a subscriber's list can no longer be trusted. Its description is for people.
package enum FeedLoss: Sendable, Equatable, CustomStringConvertible {
  /// The changes of these numbers have not come.
  case missing(ClosedRange<UInt64>)
  /// The feed tells another history: its database was replaced.
  case otherHistory
  /// The list is not the one that the feed says it is: a defect of one of the two.
  case wrongHash
  /// The feed stays behind the list, at this number: its store has gone back.
  case behind(UInt64)
  /// The feed has ended, for a reason that it tells.
  case ended(String)
  /// The feed says nothing, not even that it lives.
  case silent

  package var description: String {
    switch self {
    case .missing(let numbers): "changes \(numbers.lowerBound) to \(numbers.upperBound) are missing"
    case .otherHistory: "the feed tells another history"
    case .wrongHash: "the list's hash is not the feed's"
    case .behind(let seq): "the feed is back at \(seq), and stays there"
    case .ended(let reason): "the feed ends: \(reason)"
    case .silent: "the feed is silent"
    }
  }
}
