/// Rules of the job link at the worker's end, without sockets or clock. The session decides when to send a message, and
/// keeps each result until it is durable at ingest. Times are milliseconds of a monotonic clock.
package struct WorkerSession: Sendable {
  /// A worker's message.
  package enum Message: Sendable, Equatable {
    case hello(held: [Lease])
    case credit(jobLimit: UInt64)
    case results([JobResult])
    /// A heartbeat. `progress` is the number of jobs finished since the worker's start.
    case heartbeat(jobLimit: UInt64, held: [Lease], progress: UInt64)
    case goodbye([Lease])
  }

  private struct UnacknowledgedResult {
    let result: JobResult
    var sentMs: Int64
    var pauseMs: Int64
  }

  /// Number of the session from WELCOME. Nil before it, and after a RESET.
  package private(set) var session: UInt64?
  private let window: Int
  /// Number of jobs received in this session.
  private(set) var jobsReceived: UInt64 = 0
  /// Number of jobs for which the worker has granted credit in this session.
  private(set) var granted: UInt64 = 0
  private var finishedCount: UInt64 = 0
  private var working: [JobID: Lease] = [:]
  private var outbox: [Lease: UnacknowledgedResult] = [:]
  /// The greatest token of each job in the outbox.
  private var outboxTokens: [JobID: UInt64] = [:]
  private var heartbeatMs = Limits.heartbeatMs
  private var livenessMs = Limits.livenessMs
  private var isDraining = false
  private var lastReceivedMs: Int64
  private var lastSentMs: Int64
  private var helloMs: Int64?
  /// Earliest time of the next resend.
  private var resendMs = Int64.max

  /// - Parameter concurrency: Number of parallel jobs, 1 or more. The worker holds up to twice as many.
  package init(concurrency: Int, nowMs: Int64) {
    window = min(2 * concurrency, Limits.windowMax)
    lastReceivedMs = nowMs
    lastSentMs = nowMs
  }

  /// Number of results that ingest has not acknowledged.
  package var unacknowledged: Int { outbox.count }

  /// Begins a session after WELCOME, grants credit, and resends all unacknowledged results. A repeated WELCOME of the
  /// current session changes nothing, because a reset of the session's counts would lose its credit.
  package mutating func welcome(
    session: UInt64, heartbeatMs: Int64, livenessMs: Int64, nowMs: Int64
  ) -> [Message] {
    lastReceivedMs = nowMs
    guard session != self.session else { return [] }
    self.session = session
    self.heartbeatMs = max(Limits.heartbeatMinMs, heartbeatMs)
    self.livenessMs = max(Limits.heartbeatsPerLiveness * self.heartbeatMs, livenessMs)
    (helloMs, jobsReceived, granted) = (nil, 0, 0)
    var messages: [Message] = []
    if !outbox.isEmpty {
      for lease in outbox.keys { outbox[lease]?.sentMs = nowMs }
      resendMs = nowMs + Limits.resultResendMs
      messages.append(.results(outbox.values.map(\.result).oldestFirst))
    }
    return messages + grant(nowMs: nowMs)
  }

  /// Records received leases, and returns the leases that are new here.
  package mutating func receive(_ leases: [Lease], nowMs: Int64) -> [Lease] {
    lastReceivedMs = nowMs
    jobsReceived += UInt64(leases.count)
    guard !isDraining else { return [] }
    return leases.filter { lease in
      let known = max(working[lease.job]?.token ?? 0, outboxTokens[lease.job] ?? 0)
      guard outbox[lease] == nil, known < lease.token else { return false }
      working[lease.job] = lease
      return true
    }
  }

  /// Keeps results until ingest acknowledges them. Returns messages with the results and with new credit for their
  /// slots, or none without a session.
  package mutating func report(_ results: [JobResult], nowMs: Int64) -> [Message] {
    for result in results {
      if let index = working.index(forKey: result.lease.job), working.values[index] == result.lease {
        working.remove(at: index)
      }
      outbox[result.lease] = UnacknowledgedResult(result: result, sentMs: nowMs, pauseMs: Limits.resultResendMs)
      outboxTokens[result.lease.job] = max(outboxTokens[result.lease.job] ?? 0, result.lease.token)
    }
    finishedCount += UInt64(results.count)
    resendMs = min(resendMs, nowMs + Limits.resultResendMs)
    guard session != nil, !results.isEmpty else { return [] }
    lastSentMs = nowMs
    return [.results(results)] + grant(nowMs: nowMs)
  }

  /// Records ingest's acknowledgement of a result.
  package mutating func acknowledge(_ lease: Lease, _ disposition: Disposition, nowMs: Int64) {
    lastReceivedMs = nowMs
    if disposition != .retryLater { forget(lease) }
  }

  private mutating func forget(_ lease: Lease) {
    outbox[lease] = nil
    if outboxTokens[lease.job] == lease.token { outboxTokens[lease.job] = nil }
  }

  /// Records that ingest is alive.
  package mutating func recordActivity(nowMs: Int64) { lastReceivedMs = nowMs }

  /// Ends the session. The next `tick` sends HELLO with the held leases.
  package mutating func reset() {
    session = nil
    helloMs = nil
  }

  /// Returns the messages that are due: HELLO until its reply, heartbeats, and resends of unacknowledged results at
  /// doubling intervals.
  package mutating func tick(nowMs: Int64) -> [Message] {
    guard session != nil else {
      if let helloMs, nowMs - helloMs < Limits.helloRepeatMs { return [] }
      helloMs = nowMs
      return [.hello(held: held)]
    }
    var messages = nowMs >= resendMs ? resend(nowMs: nowMs) : []
    messages += grant(nowMs: nowMs)
    if nowMs - lastSentMs >= heartbeatMs {
      lastSentMs = nowMs
      messages.append(.heartbeat(jobLimit: granted, held: held, progress: finishedCount))
    }
    return messages
  }

  /// Leases of unfinished jobs, then leases of unacknowledged results.
  private var held: [Lease] { working.values.oldestFirst + outbox.values.lazy.map(\.result.lease).oldestFirst }

  /// Time of the next call of `tick`.
  package var nextMs: Int64 {
    guard session != nil else { return helloMs.map { $0 + Limits.helloRepeatMs } ?? 0 }
    return min(lastSentMs + heartbeatMs, outbox.isEmpty ? .max : resendMs)
  }

  /// Records that HELLO found no connection, so that the next `tick` sends it again.
  package mutating func helloFailed() { helloMs = nil }

  private mutating func resend(nowMs: Int64) -> [Message] {
    var overdue: [JobResult] = []
    resendMs = .max
    for (lease, entry) in outbox {
      var dueMs = entry.sentMs + entry.pauseMs
      if dueMs <= nowMs {
        overdue.append(entry.result)
        let pauseMs = min(2 * entry.pauseMs, Limits.resultResendCapMs)
        outbox[lease] = UnacknowledgedResult(result: entry.result, sentMs: nowMs, pauseMs: pauseMs)
        dueMs = nowMs + pauseMs
      }
      resendMs = min(resendMs, dueMs)
    }
    return overdue.isEmpty ? [] : [.results(overdue.oldestFirst)]
  }

  /// Returns true if ingest was silent for longer than the liveness timeout. The caller then ends the session and
  /// reconnects.
  package func isDead(nowMs: Int64) -> Bool { session != nil && nowMs - lastReceivedMs > livenessMs }

  /// Starts the shutdown: accepts no more jobs, and returns the goodbye with the unfinished jobs. Ingest's RESET then
  /// ends the session.
  package mutating func drain() -> [Message] {
    guard session != nil, !isDraining else { return [] }
    isDraining = true
    defer { working = [:] }
    return [.goodbye(working.values.oldestFirst)]
  }

  /// Grants credit for the free slots of the window. Grants none while the outbox is full. `JobScheduler` has the
  /// credit at ingest's end.
  private mutating func grant(nowMs: Int64) -> [Message] {
    guard outbox.count + window <= Limits.outboxMax else { return [] }
    let limit = jobsReceived + UInt64(max(0, window - working.count))
    // A grant for half a window keeps the worker busy. A grant for each job would double the messages.
    guard session != nil, limit > granted, granted == 0 || limit - granted >= UInt64((window + 1) / 2) else {
      return []
    }
    granted = limit
    return [.credit(jobLimit: limit)]
  }
}

extension Sequence<Lease> {
  /// The elements by ascending token. The order of a dictionary differs between processes, but the order of messages
  /// must not.
  fileprivate var oldestFirst: [Lease] { sorted { $0.token < $1.token } }
}

extension Sequence<JobResult> {
  /// The elements by the tokens of their leases.
  fileprivate var oldestFirst: [JobResult] { sorted { $0.lease.token < $1.lease.token } }
}
