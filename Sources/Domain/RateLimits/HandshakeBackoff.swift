/// Backoff of a client whose handshake failed. libzmq itself would retry several times per second forever after a wrong
/// key, and never after a refusal.
package struct HandshakeBackoff: Sendable {
  private var pauseMs: Int64 = 0
  /// Time of the next attempt. Nil while the client is connected or connecting.
  package private(set) var dueMs: Int64?

  /// Creates a backoff before the first attempt.
  package init() {}

  /// Records a failed handshake. The next attempt is due after a random pause in the upper half of a range. The range
  /// doubles from `Limits.handshakePauseBaseMs` to `Limits.handshakePauseCapMs`.
  package mutating func failed(nowMs: Int64, using random: inout some RandomNumberGenerator) {
    pauseMs = pauseMs == 0 ? Limits.handshakePauseBaseMs : min(2 * pauseMs, Limits.handshakePauseCapMs)
    let leastMs = pauseMs / 2
    dueMs = nowMs + Int64.random(in: leastMs...pauseMs, using: &random)
  }

  /// Records the start of the next attempt.
  package mutating func begun() { dueMs = nil }

  /// Records a handshake that succeeded. The next failure counts as the first.
  package mutating func succeeded() { self = HandshakeBackoff() }
}
