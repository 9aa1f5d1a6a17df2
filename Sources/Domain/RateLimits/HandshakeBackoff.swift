/// When a client whose handshake failed tries again. libzmq itself would try several times a second for ever after a
/// wrong key, and never again after a refusal.
package struct HandshakeBackoff: Sendable {
  private var pauseMs: Int64 = 0
  /// When to connect again; nil while connected or trying.
  package private(set) var dueMs: Int64?

  /// Never tried.
  package init() {}

  /// A handshake has failed: the next try is due after a pause, random in the upper half of a range that doubles from
  /// `Limits.handshakePauseBaseMs` to `Limits.handshakePauseCapMs`.
  package mutating func failed(nowMs: Int64, using random: inout some RandomNumberGenerator) {
    pauseMs = pauseMs == 0 ? Limits.handshakePauseBaseMs : min(2 * pauseMs, Limits.handshakePauseCapMs)
    let leastMs = pauseMs / 2
    dueMs = nowMs + Int64.random(in: leastMs...pauseMs, using: &random)
  }

  /// The next try begins.
  package mutating func begun() { dueMs = nil }

  /// The other end has taken us in: the next failure is a first one.
  package mutating func succeeded() { self = HandshakeBackoff() }
}
