/// Times at which a subscriber without a list joins. Each desync sets the next join to a random time, so that the
/// thousand subscribers of a restarted feed do not join together. The subscriber repeats the join until it receives a
/// list.
struct JoinBackoff: Sendable {
  /// Time of the next join, unless a list arrives first.
  private(set) var dueMs: Int64
  /// Range of the latest random pause, which doubles with each desync. Nil if no desync has followed the last list.
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
