/// Time at which a subscriber without a list joins. Each desync schedules the join at a random moment, so that the
/// thousand subscribers of a restarted feed do not join together. The join repeats until it brings a list.
struct JoinBackoff: Sendable {
  /// Time of the next join, unless a list has come by then.
  private(set) var dueMs: Int64
  /// Range of the latest random pause, which doubles with each desync. Nil if there was none since the last list.
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
