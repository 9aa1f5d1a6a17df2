/// A worker's rules for the job link: which messages of ingest count, when to speak, when to connect anew.
///
/// A pure state machine around `WorkerSession`, without sockets or clock. A shell decodes what comes, calls a method,
/// and performs the effects in their order: `JobClient` in production, `Simulation` in the tests. Times are
/// milliseconds of a clock that never goes back.
package struct WorkerCore: Sendable {
  /// A message of ingest but jobs. All but WELCOME and a refusal count only in their own session: frames of an earlier
  /// one may still be on their way when the next begins.
  package enum Message: Sendable {
    case welcome(heartbeatMs: Int64, livenessMs: Int64)
    case acks([(lease: Lease, disposition: Disposition)])
    case heartbeat
    /// RESET or DRAIN: the session is over.
    case reset
    /// A refusal of HELLO, and the time in ms after which ingest wants the next one.
    case refusal(retryAfterMs: Int64)
  }

  /// An action for the shell.
  package enum Effect: Sendable {
    /// A message to ingest. If HELLO cannot be sent, the shell calls `helloFailed`; the session repeats the rest.
    case send(WorkerSession.Message, session: UInt64)
    /// A new connection.
    case reconnect
    /// A session has begun.
    case joined
    /// The session is over.
    case left
  }

  /// Credit, leases and results.
  package private(set) var session: WorkerSession
  /// True from WELCOME until `left`.
  private var hasJoined = false
  /// No HELLO is sent before this.
  private var helloPausedUntilMs: Int64 = 0

  /// - Parameter concurrency: see `WorkerSession`.
  package init(concurrency: Int, nowMs: Int64) { session = WorkerSession(concurrency: concurrency, nowMs: nowMs) }

  /// Takes a message of a session.
  package mutating func receive(_ message: Message, session id: UInt64, nowMs: Int64) -> [Effect] {
    switch message {
    case .welcome(let heartbeatMs, let livenessMs):
      // A refusal may have crossed it: the session's heartbeats must not wait.
      helloPausedUntilMs = 0
      hasJoined = true
      let messages = session.welcome(session: id, heartbeatMs: heartbeatMs, livenessMs: livenessMs, nowMs: nowMs)
      return send(messages) + [.joined]
    case .refusal(let retryAfterMs):
      guard session.session == nil else { return [] }
      helloPausedUntilMs = nowMs + min(max(Limits.refusedPauseMinMs, retryAfterMs), Limits.quarantineMs)
    case _ where id != session.session: break
    case .acks(let acks): for ack in acks { session.acknowledge(ack.lease, ack.disposition, nowMs: nowMs) }
    case .heartbeat: session.recordActivity(nowMs: nowMs)
    case .reset: session.reset()
    }
    return []
  }

  /// Takes jobs of a session. Returns those to work on, in their order; nil if the session is over.
  package mutating func receive(_ leases: [Lease], session id: UInt64, nowMs: Int64) -> [Lease]? {
    guard id == session.session else { return nil }
    return session.receive(leases, nowMs: nowMs)
  }

  /// Answers jobs.
  package mutating func answer(_ results: [JobResult], nowMs: Int64) -> [Effect] {
    let messages = session.answer(results, nowMs: nowMs)
    return send(messages)
  }

  /// Does what is due: a new connection, HELLO, heartbeats, results without an acknowledgement.
  package mutating func tick(nowMs: Int64) -> [Effect] {
    var effects: [Effect] = []
    if session.isDead(nowMs: nowMs) {
      session.reset()
      effects.append(.reconnect)
    }
    if hasJoined, session.session == nil {
      hasJoined = false
      effects.append(.left)
    }
    guard nowMs >= helloPausedUntilMs else { return effects }
    let messages = session.tick(nowMs: nowMs)
    return effects + send(messages)
  }

  /// The time of the next call of `tick`.
  package func nextMs(nowMs: Int64) -> Int64 {
    guard nowMs >= helloPausedUntilMs else { return helloPausedUntilMs }
    return max(session.nextMs, nowMs + (session.session == nil ? Limits.linkRetryMs : 1))
  }

  /// Says goodbye. The session is over with the RESET that answers it.
  package mutating func drain() -> [Effect] {
    let messages = session.drain()
    return send(messages)
  }

  /// HELLO found no connection. It is sent as soon as there is one.
  package mutating func helloFailed() { session.helloFailed() }

  /// Sends under the session of now. Call this after the session has made the messages, in a statement of its own:
  /// Swift reads `self` before the arguments of a call, and WELCOME changes the session.
  private func send(_ messages: [WorkerSession.Message]) -> [Effect] {
    messages.map { .send($0, session: session.session ?? 0) }
  }
}
