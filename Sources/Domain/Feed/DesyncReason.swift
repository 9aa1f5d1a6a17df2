/// Reason why a subscriber's list can no longer be trusted. Its description is for people.
package enum DesyncReason: Sendable, Equatable, CustomStringConvertible {
  /// The changes with these sequence numbers are missing.
  case gap(ClosedRange<UInt64>)
  /// The feed has another epoch, because its database was replaced.
  case epochChanged
  /// The list's hash differs from the feed's, because one of the two has a bug.
  case hashMismatch
  /// The feed stays behind the list, at this sequence number, because its store has gone back.
  case regressed(UInt64)
  /// The feed has shut down, for the reason that it gives.
  case goodbye(String)
  /// The feed sends nothing, not even heartbeats.
  case timedOut

  package var description: String {
    switch self {
    case .gap(let numbers): "changes \(numbers.lowerBound) to \(numbers.upperBound) are missing"
    case .epochChanged: "epoch changed"
    case .hashMismatch: "state hash mismatch"
    case .regressed(let seq): "sequence regressed to \(seq)"
    case .goodbye(let reason): "feed closed: \(reason)"
    case .timedOut: "no frame from the feed"
    }
  }
}
