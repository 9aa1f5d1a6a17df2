import Domain

/// The decision of a standby whether to take over. A pure state machine: the caller reads the leader's row and has a
/// monotonic clock.
///
/// The standby compares no clocks. It takes over when it has itself seen the same beat for `Limits.leaderSilenceMs`,
/// while it could read the row. After a gap in the observation it starts again, because a leader cannot raise its beat
/// either while the database fails over. A takeover that is too early is harmless: the fence stops the former leader.
struct LeaderWatch {
  /// The leader's row at one moment.
  struct Observation {
    let term: Int64
    let beat: Int64
    /// False if the leader has ended its term itself.
    let isHeld: Bool
    /// Highest numbers in the database.
    var numbers = HistoryCheck.Mark()
  }

  enum Decision: Equatable {
    case wait
    /// Take over from this term.
    case takeOver(Int64)
  }

  /// Highest numbers that any observation had. A database that lacks them at the takeover has lost commits.
  private(set) var highest: HistoryCheck.Mark
  private var last: Observation?
  private var stillSinceMs: Int64 = 0
  private var lastMs: Int64 = 0

  /// - Parameter highest: Highest numbers of earlier observations.
  init(highest: HistoryCheck.Mark = HistoryCheck.Mark()) { self.highest = highest }

  /// Evaluates an observation.
  ///
  /// - Parameter nowMs: Time of the observation on the caller's monotonic clock.
  mutating func observe(_ seen: Observation, nowMs: Int64) -> Decision {
    highest.raise(to: seen.numbers)
    guard seen.isHeld else { return .takeOver(seen.term) }
    let isGap = nowMs - lastMs > Limits.leaderGapMs
    defer { (last, lastMs) = (seen, nowMs) }
    guard seen.term == last?.term, seen.beat == last?.beat, !isGap else {
      stillSinceMs = nowMs
      return .wait
    }
    return nowMs - stillSinceMs >= Limits.leaderSilenceMs ? .takeOver(seen.term) : .wait
  }
}
