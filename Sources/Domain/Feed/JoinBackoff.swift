/// The time at which a subscriber without a list joins: a random moment after each loss, so that a thousand subscribers
/// of a restarted feed do not join in the same instant, and again when a join has brought no list.
struct JoinBackoff: Sendable {
  /// The time of the next join, unless a list has come by then.
  private(set) var dueMs: Int64
  /// The range of the latest loss, doubled with each; nil when there was none since the last list.
  private var pauseMs: Int64?

  init(joinedMs: Int64) {
    dueMs = 0
    joined(nowMs: joinedMs)
  }

  mutating func desynced(nowMs: Int64, using random: inout some RandomNumberGenerator) {
    let pauseMs = pauseMs.map { min(2 * $0, Limits.joinPauseCapMs) } ?? Limits.joinPauseMs
    self.pauseMs = pauseMs
    dueMs = nowMs + Int64.random(in: 0..<pauseMs, using: &random)
  }

  mutating func joined(nowMs: Int64) { dueMs = nowMs + max(pauseMs ?? 0, Limits.joinTimeoutMs) }

  /// Delays the next join until a time.
  mutating func pause(untilMs: Int64) { dueMs = max(dueMs, untilMs) }

  mutating func listReceived() { pauseMs = nil }
}
