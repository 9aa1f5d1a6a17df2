/// A worker's rules for the job link: which messages of ingest count, when to send, when to reconnect.
///
/// A pure state machine around `WorkerSession`, without sockets or clock. A shell decodes the messages, calls a method,
/// and performs the effects in their order: `JobClient` in production, `Simulation` in the tests. Times are
/// milliseconds of a monotonic clock.
package struct WorkerCore: Sendable {
  /// Message from ingest other than jobs. WELCOME and a refusal always count. Any other message counts only in its own
  /// session, because frames of an earlier session may arrive late.
  package enum Message: Sendable {
    case welcome(heartbeatMs: Int64, livenessMs: Int64)
    case acks([(lease: Lease, disposition: Disposition)])
    case heartbeat
    /// RESET or DRAIN: the session is over.
    case reset
    /// A refusal of HELLO, with the pause before the next HELLO in milliseconds.
    case refusal(retryAfterMs: Int64)
  }

  /// An action for the shell.
  package enum Effect: Sendable {
    /// Send a message to ingest. If HELLO cannot be sent, the shell calls `helloFailed`. The session repeats all other
    /// messages.
    case send(WorkerSession.Message, session: UInt64)
    /// Open a new connection, to the next address if there are several.
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

  /// - Parameter concurrency: Number of parallel jobs, 1 or more.
  package init(concurrency: Int, nowMs: Int64) { session = WorkerSession(concurrency: concurrency, nowMs: nowMs) }

  /// Processes a message of a session.
  package mutating func receive(_ message: Message, session id: UInt64, nowMs: Int64) -> [Effect] {
    switch message {
    case .welcome(let heartbeatMs, let livenessMs):
      // A refusal may have crossed this WELCOME. Its pause must not delay the session's heartbeats.
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

  /// Processes the leases of a jobs message. Returns the leases that are new here, in their order. Nil if the session
  /// is over.
  package mutating func receive(_ leases: [Lease], session id: UInt64, nowMs: Int64) -> [Lease]? {
    guard id == session.session else { return nil }
    return session.receive(leases, nowMs: nowMs)
  }

  /// Keeps results of jobs, and sends them if a session is open.
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

  /// Starts the shutdown: returns the goodbye with the unfinished jobs. Ingest's RESET then ends the session.
  package mutating func drain() -> [Effect] {
    let messages = session.drain()
    return send(messages)
  }

  /// Sends no HELLO until a time, because the worker has left its address. Then call `connected`.
  package mutating func pause(untilMs: Int64) { helloPausedUntilMs = untilMs }

  /// Records a connection to another address, which need not wait for the pause that an earlier one has asked for.
  package mutating func connected() {
    helloPausedUntilMs = 0
    session.helloFailed()
  }

  /// Records that HELLO found no connection, so that the next `tick` sends it again.
  package mutating func helloFailed() { session.helloFailed() }

  /// Returns messages under the current session. Make the messages in an earlier statement, because making them may
  /// change the session. Swift reads `self` before the arguments of a call.
  private func send(_ messages: [WorkerSession.Message]) -> [Effect] {
    messages.map { .send($0, session: session.session ?? 0) }
  }
}
