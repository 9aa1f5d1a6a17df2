/// Reason why a subscriber's list can no longer be trusted. `description` is for people.
package enum DesyncReason: Sendable, Equatable, CustomStringConvertible {
  /// The changes with these sequence numbers are missing.
  case gap(ClosedRange<UInt64>)
  /// The feed has another epoch, because its database was replaced.
  case epochChanged
  /// The hash of the subscriber's list differs from the feed's. The subscriber or the feed has a bug.
  case hashMismatch
  /// The feed's list stays behind the subscriber's, at this sequence number, because the feed's store has regressed.
  case regressed(UInt64)
  /// The feed has shut down, for this reason.
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
