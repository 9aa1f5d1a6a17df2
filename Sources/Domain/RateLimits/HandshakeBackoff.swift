/// Backoff of a client whose handshake failed. After a wrong key, libzmq itself would retry several times per second
/// without end. After a refusal, it would never retry.
package struct HandshakeBackoff: Sendable {
  private var longestPauseMs: Int64 = 0
  /// Time of the next attempt. Nil while the client is connected or connecting.
  package private(set) var dueMs: Int64?

  /// Creates a backoff before the first attempt.
  package init() {}

  /// Records a failed handshake. The next attempt is due after a random pause between half of the longest pause and the
  /// longest pause. The longest pause doubles with each failure, from `Limits.handshakePauseBaseMs` to
  /// `Limits.handshakePauseCapMs`.
  package mutating func failed(nowMs: Int64, using random: inout some RandomNumberGenerator) {
    longestPauseMs =
      longestPauseMs == 0 ? Limits.handshakePauseBaseMs : min(2 * longestPauseMs, Limits.handshakePauseCapMs)
    let shortestPauseMs = longestPauseMs / 2
    dueMs = nowMs + Int64.random(in: shortestPauseMs...longestPauseMs, using: &random)
  }

  /// Records the start of the next attempt.
  package mutating func begun() { dueMs = nil }

  /// Records a handshake that succeeded. The next failure counts as the first.
  package mutating func succeeded() { self = HandshakeBackoff() }
}
