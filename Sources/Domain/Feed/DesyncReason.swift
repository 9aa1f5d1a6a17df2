/// Why a subscriber's list can no longer be trusted. Its description is for people.
package enum DesyncReason: Sendable, Equatable, CustomStringConvertible {
  /// The changes of these numbers have not come.
  case gap(ClosedRange<UInt64>)
  /// The feed tells another history: its database was replaced.
  case epochChanged
  /// The list is not the one that the feed says it is: a defect of one of the two.
  case hashMismatch
  /// The feed stays behind the list, at this number: its store has gone back.
  case regressed(UInt64)
  /// The feed has ended, for a reason that it tells.
  case goodbye(String)
  /// The feed says nothing, not even that it lives.
  case timedOut

  package var description: String {
    switch self {
    case .gap(let numbers): "changes \(numbers.lowerBound) to \(numbers.upperBound) are missing"
    case .epochChanged: "the feed tells another history"
    case .hashMismatch: "the list's hash is not the feed's"
    case .regressed(let seq): "the feed is back at \(seq), and stays there"
    case .goodbye(let reason): "the feed ends: \(reason)"
    case .timedOut: "the feed is silent"
    }
  }
}
