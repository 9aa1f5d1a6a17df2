import Domain
import Messaging

/// Judgements of the worker's messages.
extension WorkerSuite {
  /// Returns the Hellos of the log from an index on, each with its time.
  func hellos(from index: Int) -> [(atMs: Int64, hello: Hello)] {
    log[index...].compactMap { entry in
      if case .hello(let hello) = entry.message.body { (entry.atMs, hello) } else { nil }
    }
  }

  /// Time from the start of the step to the first Hello.
  var firstHelloMs: Int64? { hellos(from: stepStart).first.map { $0.atMs - begunMs } }

  /// The job limits of every Credit since the start of the step.
  var credits: [UInt64] {
    log[stepStart...].compactMap { if case .credit(let limit) = $0.message.body { limit } else { nil } }
  }

  /// Heartbeats of the current session.
  private var heartbeats: [(atMs: Int64, held: [Lease])] {
    log.compactMap { entry in
      guard case .heartbeat(_, let held, _) = entry.message.body, entry.message.session == session else {
        return nil
      }
      return (entry.atMs, held)
    }
  }

  /// Returns the time that the worker may need for a number of jobs, in milliseconds. The time for each job is twice
  /// that of the worker's first job, and at most `Limits.conformanceJobMsMax`.
  func workMs(jobs: Int) -> Int64 { Int64(jobs) * min(2 * (firstJobMs ?? 0), Limits.conformanceJobMsMax) }

  var hasAllResults: Bool { stepJobs.allSatisfy { finishedLeases.contains($0.lease) } }

  /// True if the results of the step's jobs have arrived since the start of the step.
  var hasStepResults: Bool { stepJobs.allSatisfy { resultTimes[$0.lease]?.last ?? 0 > begunMs } }

  /// True if the worker has granted credit for the free half of its window.
  var hasRaisedCredit: Bool { credit >= max(1, firstCredit / 2) }

  func delay(ofHelloAfter cause: String) -> String? {
    guard let pauseMs = firstHelloMs else { return "no Hello within 3 s after \(cause)" }
    return pauseMs > 1_000 ? "Hello came \(pauseMs) ms after \(cause)" : nil
  }

  mutating func judgeHellos() {
    let received = hellos(from: 0)
    if let first = log.first {
      if case .hello = first.message.body {
        judge(.helloFirst, nil)
      } else {
        judge(.helloFirst, first.message.body.name)
      }
    }
    for entry in log {
      guard case .hello(let hello) = entry.message.body else { continue }
      judge(.hello, fault(of: hello, session: entry.message.session))
    }
    let gaps = zip(received.dropFirst(), received).map { $0.atMs - $1.atMs }
    let isSteady = received.count >= 3 && gaps.allSatisfy { (600...1_900).contains($0) }
    judge(.helloRepeated, isSteady ? nil : "Hello came \(received.count) times, at intervals of \(milliseconds(gaps))")
  }

  private func fault(of hello: Hello, session: UInt64) -> String? {
    if session != 0 { return "session \(session)" }
    if !(hello.majors.min <= 1 && hello.majors.max >= 1) {
      return "versions \(hello.majors.min) to \(hello.majors.max)"
    }
    if !(1...Limits.peerNameBytesMax).contains(hello.worker.utf8.count) {
      return "a name of \(hello.worker.utf8.count) bytes"
    }
    if !hello.worker.isSafeLine { return "a name with control or invisible characters" }
    if hello.instance.count != 16 { return "an instance of \(hello.instance.count) bytes" }
    if hello.software.utf8.count > Limits.peerNameBytesMax {
      return "software of \(hello.software.utf8.count) bytes"
    }
    return nil
  }

  mutating func judgeFirstJob() {
    guard isAllSent else { return leaveOpen(.result, "no credit for a job") }
    if !hasAllResults { judge(.result, "no Result for the first job within \(elapsedMs / 1_000) s") }
  }

  mutating func judgeWork() {
    let missing = stepJobs.count { !finishedLeases.contains($0.lease) }
    let seen = "no Result within \(elapsedMs / 1_000) s for \(missing) of \(stepJobs.count) jobs"
    judge(.result, missing == 0 ? nil : seen)
  }

  /// Judges a rule by the Results of the step's jobs.
  ///
  /// - Parameter missing: Evidence text for a missing Result.
  mutating func judgeResults(_ rule: WorkerRule, _ missing: String) {
    guard firstJobMs != nil else { return leaveOpen(rule, "the worker sent no Result for its first job") }
    guard stepJobs.allSatisfy({ sentLeases.contains($0.lease) }) else { return leaveOpen(rule, "no credit for a job") }
    judge(rule, hasAllResults ? nil : "\(missing) within \(elapsedMs / 1_000) s")
  }

  mutating func judgeCopies() {
    guard let first = stepJobs.first?.lease, let times = resultTimes[first] else { return }
    // The worker's own schedule resends the result after 1 s, 2 s and 4 s, or earlier if its clock runs fast.
    let due = [0, 600, 2_100, 4_900].count { nowMs - times[0] >= $0 }
    let seen = "\(times.count) Results within \(nowMs - times[0]) ms for copies of a job; \(due) are allowed"
    judge(.repeatedJob, times.count <= due ? nil : seen)
    if !isAllSent {
      judge(.creditForCopies, "job_limit stays at \(jobLimit), so the worker does not count copies of a job")
    }
    acknowledge([first])
    // Later steps need credit.
    if !isAllSent { endSession { .reset(session: $0) } }
    discardWaiting()
  }

  mutating func judgeKinds() {
    for job in stepJobs where sentLeases.contains(job.lease) {
      switch (job.kind, results[job.lease]) {
      case (_, nil) where !finishedLeases.contains(job.lease): judgeResults(job.kind.rule, "no Result")
      case (.lookup, nil), (.unknownLookup, nil): break
      case (.lookup, .outcome(.located(let places))?):
        judge(.lookup, places.allSatisfy { $0.detail != nil } ? nil : "a Place without a Detail")
      case (.lookup, .outcome(.failed(let failure))?) where failure.kind == .permanent: judge(.lookup, nil)
      case (.lookup, _): leaveOpen(.lookup, "the lookup of \"\(query)\" found no place")
      case (.unknownLookup, .outcome(.failed(let failure))?)
      where failure.kind == .permanent && failure.code == "malformed_job":
        judge(.malformedJob, nil)
      case (.unknownLookup, _): judge(.malformedJob, "a Result other than the PERMANENT failure malformed_job")
      default: judge(.unknownField, nil)
      }
    }
  }

  mutating func judgeAcknowledgements() {
    if stepJobs.prefix(3).allSatisfy({ finishedLeases.contains($0.lease) }) { judge(.acknowledged, nil) }
    // A new session restarts the schedule of the Result, so the rules of the schedule stay open.
    guard hellos(from: stepStart).isEmpty, let last = stepJobs.last?.lease, let times = resultTimes[last] else {
      return
    }
    let gaps = zip(times.dropFirst(), times).map { $0 - $1 }
    let due: [ClosedRange<Int64>] = [600...1_900, 1_500...3_200, 3_200...5_600]
    let isSteady = !gaps.isEmpty && zip(gaps, due).allSatisfy { $1.contains($0) }
    // A Result that came late leaves no time for its next copy in this step, so the rule of that copy stays open.
    var unjudged: WorkerRule?
    if gaps.count < due.count, nowMs - times[gaps.count] <= due[gaps.count].upperBound {
      unjudged = [WorkerRule.resend, .retryLater, .unknownDisposition][gaps.count]
    }
    if let unjudged { leaveOpen(unjudged, "the Result came only \(times[0] - begunMs) ms after its job") }
    if unjudged != .resend {
      let seen = gaps.isEmpty ? "the Result was not resent" : "resent after pauses of \(milliseconds(gaps))"
      judge(.resend, isSteady ? nil : seen)
    }
    if times.count > 1, unjudged != .retryLater {
      judge(.retryLater, times.count > 2 ? nil : "the Result was not resent after RETRY_LATER")
    }
    if times.count > 2, unjudged != .unknownDisposition {
      judge(.unknownDisposition, times.count > 3 ? nil : "the Result was not resent after Disposition 99")
    }
    judgeHeartbeats(fromMs: times[0], held: last, untilMs: times[times.count - 1])
  }

  private mutating func judgeHeartbeats(fromMs: Int64, held lease: Lease, untilMs: Int64) {
    let beats = heartbeats.filter { $0.atMs > fromMs }
    let times = [fromMs] + beats.map(\.atMs) + [nowMs]
    let gaps = zip(times.dropFirst(), times).map { $0 - $1 }
    // The first and the last gap are only parts of an interval.
    let isSteady = gaps.allSatisfy { $0 <= 1_900 } && gaps.dropFirst().dropLast().allSatisfy { $0 >= 400 }
    let intervals = "heartbeats at intervals of \(milliseconds(gaps))"
    let seen = beats.isEmpty ? "no heartbeat within \(nowMs - fromMs) ms" : intervals
    judge(.heartbeat, isSteady ? nil : "\(seen); heartbeat_ms is \(Limits.conformanceHeartbeatMs)")
    for beat in beats {
      if beat.atMs < untilMs, !beat.held.contains(lease) {
        judge(.heartbeatHeld, "the lease of an unacknowledged Result is missing")
      }
      if beat.held.contains(where: { !sentLeases.contains($0) && !decoys.contains($0) }) {
        judge(.heartbeatHeld, "a lease that was never sent")
      }
      if beat.held.contains(where: {
        acknowledgedMs[$0].map { beat.atMs - $0 >= Limits.inFlightToleranceMs } ?? false
      }) {
        judge(.heartbeatHeld, "the lease of an acknowledged Result")
      }
    }
    if !beats.isEmpty { judge(.heartbeatHeld, nil) }
  }

  /// True if the worker still holds the results of the step's jobs.
  var areKept: Bool {
    hasStepResults
      || heartbeats.contains { beat in
        beat.atMs > begunMs + Limits.inFlightToleranceMs && stepJobs.allSatisfy { beat.held.contains($0.lease) }
      }
  }

  /// The fault in the worker's reaction to frames of an earlier session.
  var faultsWithOtherSession: String? {
    if !hellos(from: stepStart).isEmpty { return "Hello after a Reset of an earlier session" }
    if hasDecoyResult { return "a Result for a job of an earlier session" }
    return areKept ? nil : "a ResultAck of an earlier session removed a Result"
  }

  /// True if a Result for a decoy has arrived since the start of the step.
  private var hasDecoyResult: Bool {
    log[stepStart...].contains { entry in
      guard case .results(let results) = entry.message.body else { return false }
      return results.contains { decoys.contains($0.lease) }
    }
  }

  mutating func judgeProbe(_ rule: WorkerRule) {
    if !hellos(from: stepStart).isEmpty { return judge(rule, "Hello: the worker ended the session") }
    if hasDecoyResult { return judge(rule, "a Result for a job that the worker must ignore") }
    judgeResults(rule, "no Result for the next job")
  }

  /// Judges the lease of a job that was in progress at the Reset, or whose Result was in transit.
  mutating func judgeWorkInHello() {
    guard let hello = hellos(from: stepStart).first?.hello, let lease = stepJobs.first?.lease,
      sentLeases.contains(lease)
    else { return }
    let seen = "held has \(hello.held.count) leases, but not the lease of the job that was sent just before the Reset"
    judge(.helloHeld, hello.held.contains(lease) ? nil : seen)
  }

  mutating func judgeSilence() {
    let hello = hellos(from: stepStart).first
    let pauseMs = hello.map { $0.atMs - lastSentMs }
    let seen = pauseMs.map { $0 < Limits.conformanceLivenessMs - 200 ? "Hello after \($0) ms" : nil }
    judge(.silence, seen ?? "no Hello within \(nowMs - lastSentMs) ms; liveness_ms is \(Limits.conformanceLivenessMs)")
    (isSilent, welcomesHello) = (false, true)
    guard hello != nil else { return }
    let advice = "Hello on the same connection: with IMMEDIATE, disconnect takes effect later, so use a new socket"
    judge(.reconnect, connection == lostConnection ? advice : nil)
    welcome()
  }

  mutating func judgeGoodbye() {
    let goodbye = log[stepStart...].firstIndex { entry in
      if case .release(_, true) = entry.message.body { true } else { false }
    }
    let end = exit.map { "the process ended, \($0.words)" }
    guard let goodbye else {
      return judge(.goodbye, "no Release with goodbye; \(end ?? "the process did not end within 8 s")")
    }
    if !hellos(from: goodbye).isEmpty { judge(.goodbye, "Hello after goodbye") }
    judge(.goodbye, end == nil ? "the process did not end within 8 s after SIGTERM" : nil)
  }

  mutating func judgeRun() {
    guard !log.isEmpty else { return }
    judge(.frame, nil)
    let instances = hellos(from: 0).map(\.hello.instance)
    if instances.count > 1 {
      judge(
        .instance, Set(instances).count == 1 ? nil : "\(Set(instances).count) different instances. Run only one worker"
      )
    }
    if wasInSession {
      judge(.session, nil)
      judge(.helloOnlyWhenDue, nil)
    }
    if !finishedLeases.isEmpty {
      leaveOpen(.outcome, "the worker never found \"\(query)\". Set --query to a place that it finds")
    }
  }

  private func milliseconds(_ gaps: [Int64]) -> String { gaps.map { "\($0)" }.joined(separator: ", ") + " ms" }
}

extension WorkerSuite.LeasedJob.Kind {
  /// The rule that a job of this kind shows.
  fileprivate var rule: WorkerRule {
    switch self {
    case .lookup: .lookup
    case .unknownLookup: .malformedJob
    case .post, .postWithUnknownField: .unknownField
    }
  }
}
