/// A worker's rules for the job link: which messages of ingest count, when to send, when to reconnect.
///
/// A pure state machine around `WorkerSession`, without sockets or clock. A shell decodes the messages, calls a method,
/// and performs the effects in their order: `JobClient` in production, `Simulation` in the tests. Times are
/// milliseconds of a clock that never goes back.
package struct WorkerCore: Sendable {
  /// Ingest's message other than jobs. All but WELCOME and a refusal count only in their own session, because frames of
  /// an earlier session may arrive when the next has begun.
  package enum Message: Sendable {
    case welcome(heartbeatMs: Int64, livenessMs: Int64)
    case acks([(lease: Lease, disposition: Disposition)])
    case heartbeat
    /// RESET or DRAIN: the session is over.
    case reset
    /// A refusal of HELLO, and the pause in milliseconds before the next one.
    case refusal(retryAfterMs: Int64)
  }

  /// An action for the shell.
  package enum Effect: Sendable {
    /// Send a message to ingest. If HELLO cannot be sent, the shell calls `helloFailed`. The session repeats the
    /// others.
    case send(WorkerSession.Message, session: UInt64)
    /// Open a new connection.
    case reconnect
    /// A session has begun.
    case joined
    /// The session is over.
    case left
  }

  /// Session with its credit, leases and results.
  package private(set) var session: WorkerSession
  /// True from WELCOME until `left`.
  private var hasJoined = false
  /// Earliest time of the next HELLO.
  private var helloPausedUntilMs: Int64 = 0

  /// - Parameter concurrency: see `WorkerSession`.
  package init(concurrency: Int, nowMs: Int64) { session = WorkerSession(concurrency: concurrency, nowMs: nowMs) }

  /// Processes a message of a session.
  package mutating func receive(_ message: Message, session id: UInt64, nowMs: Int64) -> [Effect] {
    switch message {
    case .welcome(let heartbeatMs, let livenessMs):
      // A refusal may have crossed it. The session's heartbeats must not wait.
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

  /// Processes jobs of a session. Returns the new ones, in their order. Nil if the session is over.
  package mutating func receive(_ leases: [Lease], session id: UInt64, nowMs: Int64) -> [Lease]? {
    guard id == session.session else { return nil }
    return session.receive(leases, nowMs: nowMs)
  }

  /// Sends results of jobs.
  package mutating func report(_ results: [JobResult], nowMs: Int64) -> [Effect] {
    let messages = session.report(results, nowMs: nowMs)
    return send(messages)
  }

  /// Returns the effects that are due: a reconnect, HELLO, heartbeats, resends of unacknowledged results.
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

  /// Returns the time of the next call of `tick`.
  package func nextMs(nowMs: Int64) -> Int64 {
    guard nowMs >= helloPausedUntilMs else { return helloPausedUntilMs }
    return max(session.nextMs, nowMs + (session.session == nil ? Limits.linkRetryMs : 1))
  }

  /// Says goodbye. The session ends with the RESET in reply.
  package mutating func drain() -> [Effect] {
    let messages = session.drain()
    return send(messages)
  }

  /// Records that HELLO found no connection, so that `tick` sends it again as soon as possible.
  package mutating func helloFailed() { session.helloFailed() }

  /// Returns messages under the present session. Call this in a statement after the session has made them: Swift reads
  /// `self` before the arguments of a call, and WELCOME changes the session.
  private func send(_ messages: [WorkerSession.Message]) -> [Effect] {
    messages.map { .send($0, session: session.session ?? 0) }
  }
}
