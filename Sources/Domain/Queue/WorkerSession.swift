/// The rules of the job link at the worker's end, without sockets or clock: when to say what, and what to keep until
/// ingest has it on disk. Times are milliseconds of a clock that never goes back.
package struct WorkerSession: Sendable {
  /// What a worker may say.
  package enum Message: Sendable, Equatable {
    case hello(held: [Lease])
    case ready(jobLimit: UInt64)
    case results([JobResult])
    /// With all that it has answered since it started.
    case heartbeat(jobLimit: UInt64, held: [Lease], progress: UInt64)
    case goodbye([Lease])
  }

  private struct UnacknowledgedResult {
    let result: JobResult
    var sentMs: Int64
    var pauseMs: Int64
  }

  /// Of WELCOME; nil before it, and after a RESET.
  package private(set) var session: UInt64?
  private let window: Int
  /// Jobs that have come in this session, in all.
  private(set) var jobsReceived: UInt64 = 0
  /// Jobs that the worker has allowed in this session, in all.
  private(set) var granted: UInt64 = 0
  private var answered: UInt64 = 0
  private var working: [JobID: Lease] = [:]
  private var outbox: [Lease: UnacknowledgedResult] = [:]
  private var heartbeatMs = Limits.heartbeatMs
  private var livenessMs = Limits.livenessMs
  private var isDraining = false
  private var lastReceivedMs: Int64
  private var lastSentMs: Int64
  private var helloMs: Int64?
  /// No result is to be sent again before this.
  private var resendMs = Int64.max

  /// - Parameter concurrency: jobs that the worker works on at once, 1 or more; twice as many may wait with it.
  package init(concurrency: Int, nowMs: Int64) {
    window = min(2 * concurrency, Limits.windowMax)
    lastReceivedMs = nowMs
    lastSentMs = nowMs
  }

  /// Results that ingest has not acknowledged.
  package var unacknowledged: Int { outbox.count }

  /// WELCOME: a session begins, and with it the credit. Everything not acknowledged is sent again under it. Of a
  /// session that has begun already it changes nothing: to count its jobs anew would leave no credit for any.
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

  /// Jobs to work on: those that are not here already.
  package mutating func receive(_ leases: [Lease], nowMs: Int64) -> [Lease] {
    lastReceivedMs = nowMs
    jobsReceived += UInt64(leases.count)
    guard !isDraining else { return [] }
    return leases.filter { lease in
      guard outbox[lease] == nil, working[lease.job]?.token ?? 0 < lease.token else { return false }
      working[lease.job] = lease
      return true
    }
  }

  /// Answers, kept until they are acknowledged, and new credit for their place.
  package mutating func answer(_ results: [JobResult], nowMs: Int64) -> [Message] {
    for result in results {
      if let index = working.index(forKey: result.lease.job), working.values[index] == result.lease {
        working.remove(at: index)
      }
      outbox[result.lease] = UnacknowledgedResult(result: result, sentMs: nowMs, pauseMs: Limits.resultResendMs)
    }
    answered += UInt64(results.count)
    resendMs = min(resendMs, nowMs + Limits.resultResendMs)
    guard session != nil, !results.isEmpty else { return [] }
    lastSentMs = nowMs
    return [.results(results)] + grant(nowMs: nowMs)
  }

  /// What ingest did with a result.
  package mutating func acknowledge(_ lease: Lease, _ disposition: Disposition, nowMs: Int64) {
    lastReceivedMs = nowMs
    if disposition != .retryLater { outbox[lease] = nil }
  }

  /// Ingest lives.
  package mutating func recordActivity(nowMs: Int64) { lastReceivedMs = nowMs }

  /// Ingest does not know the session: say HELLO again, with the leases that are held.
  package mutating func reset() {
    session = nil
    helloMs = nil
  }

  /// What time asks for: HELLO until it is answered, heartbeats, results not acknowledged, at doubling intervals.
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
      messages.append(.heartbeat(jobLimit: granted, held: held, progress: answered))
    }
    return messages
  }

  /// The leases in work, then those of results that are not acknowledged.
  private var held: [Lease] { working.values.oldestFirst + outbox.values.lazy.map(\.result.lease).oldestFirst }

  /// When `tick` is to be called next.
  package var nextMs: Int64 {
    guard session != nil else { return helloMs.map { $0 + Limits.helloRepeatMs } ?? 0 }
    return min(lastSentMs + heartbeatMs, outbox.isEmpty ? .max : resendMs)
  }

  /// HELLO found no connection: it is to be said as soon as there is one.
  package mutating func helloFailed() { helloMs = nil }

  private mutating func resend(nowMs: Int64) -> [Message] {
    var overdue: [JobResult] = []
    resendMs = .max
    for (lease, kept) in outbox {
      var dueMs = kept.sentMs + kept.pauseMs
      if dueMs <= nowMs {
        overdue.append(kept.result)
        let pauseMs = min(2 * kept.pauseMs, Limits.resultResendCapMs)
        outbox[lease] = UnacknowledgedResult(result: kept.result, sentMs: nowMs, pauseMs: pauseMs)
        dueMs = nowMs + pauseMs
      }
      resendMs = min(resendMs, dueMs)
    }
    return overdue.isEmpty ? [] : [.results(overdue.oldestFirst)]
  }

  /// Ingest has been silent too long: the connection is to be made anew, the session is over.
  package func isDead(nowMs: Int64) -> Bool { session != nil && nowMs - lastReceivedMs > livenessMs }

  /// Takes no more jobs and gives up those that are not answered, at shutdown. The session is over with the RESET that
  /// answers it.
  package mutating func drain() -> [Message] {
    guard session != nil, !isDraining else { return [] }
    isDraining = true
    defer { working = [:] }
    return [.goodbye(working.values.oldestFirst)]
  }

  /// Credit for as many jobs as the window has room for; none while the outbox is full. `JobScheduler` keeps the other
  /// end of it.
  private mutating func grant(nowMs: Int64) -> [Message] {
    guard outbox.count + window <= Limits.outboxMax else { return [] }
    let limit = jobsReceived + UInt64(max(0, window - working.count))
    // A grant for every few jobs keeps the pipe full; one for each would double the messages.
    guard session != nil, limit > granted, granted == 0 || limit - granted >= UInt64((window + 1) / 2) else {
      return []
    }
    granted = limit
    return [.ready(jobLimit: limit)]
  }
}

extension Sequence<Lease> {
  /// A dictionary has another order in every process: what is said must not.
  fileprivate var oldestFirst: [Lease] { sorted { $0.token < $1.token } }
}

extension Sequence<JobResult> {
  /// By their leases.
  fileprivate var oldestFirst: [JobResult] { sorted { $0.lease.token < $1.lease.token } }
}
