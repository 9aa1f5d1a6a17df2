import Domain
import Messaging

/// The steps of the suite, in order.
extension WorkerSuite {
  static let steps: [Step] = [
    arrival, hellos, busy, unsupportedVersion, firstWelcome, firstJob, copies, credit, work, firstLease, secondLease,
    lowerLease, kind(.postWithUnknownField), kind(.lookup), kind(.unknownLookup), acknowledgements, heldResult, reset,
    resultsAgain, otherSession, resetInWork, workAfterReset, malformed, laterMinor, otherMajor, drain, silence, lastJob,
    goodbye,
  ]

  private static let refusalMs: Int64 = 2_000

  /// Precondition of a step that needs a session. A worker without a session may still reconnect.
  private static let inSession: @Sendable (WorkerSuite) -> Step.Start = { run in
    if run.isInSession { return .ready }
    return run.nowMs - run.context.readyMs >= Limits.conformanceLivenessMs ? .impossible : .waiting
  }

  private static let arrival = Step(
    limitMs: nil, isDone: { !$0.log.isEmpty }, judge: { if $0.log.isEmpty { $0.context.stop() } })

  private static let hellos = Step(
    limitMs: 4_500, isDone: { $0.hellos(from: 0).count >= 3 }, judge: { $0.judgeHellos() })

  private static let busy = Step(
    limitMs: refusalMs + 2_500, begin: { $0.send(.error(.busy, retryAfterMs: refusalMs)) },
    isDone: { !$0.hellos(from: $0.stepStart).isEmpty },
    judge: { run in
      let pauseMs = run.firstHelloMs
      let seen = pauseMs.map { $0 < refusalMs - 100 ? "Hello after \($0) ms, not \(refusalMs)" : nil }
      run.judge(.busy, seen ?? "no Hello within \(refusalMs + 2_500) ms")
    })

  // The worker may wait longer than the requested pause. The next step therefore sends Welcome without waiting for a
  // Hello.
  private static let unsupportedVersion = Step(
    limitMs: refusalMs + 300,
    begin: { $0.send(.error(.unsupportedVersion, retryAfterMs: refusalMs)) },
    isDone: { !$0.hellos(from: $0.stepStart).isEmpty },
    judge: { run in
      let early = run.firstHelloMs.flatMap { $0 < refusalMs - 100 ? $0 : nil }
      run.judge(.unsupportedVersion, early.map { "Hello after \($0) ms, not \(refusalMs)" })
    })

  private static let firstWelcome = Step(
    limitMs: 3_000,
    begin: { run in
      run.welcomesHello = true
      run.welcome()
    }, isDone: { $0.jobLimit > 0 },
    judge: { run in
      run.judge(.credit, run.credits.contains { $0 > 0 } ? nil : "no Credit within 3 s")
    })

  // The time of this job extends the deadlines of the later steps.
  private static let firstJob = Step(
    start: inSession, limitMs: Limits.conformanceJobMsMax,
    begin: { run in
      run.firstCredit = min(run.credit, Limits.windowMax)
      run.enqueueStepJob(plan: [nil])
    }, isDone: { $0.hasAllResults || !$0.isAllSent && $0.elapsedMs >= 5_000 }, judge: { $0.judgeFirstJob() })

  // The worker holds the first job's result now. A worker that sends Results for copies does so in this step. The
  // copies fill the window twice, so a worker that does not count copies runs out of credit.
  private static let copies = Step(
    start: inSession, limitMs: 6_000,
    begin: { run in
      guard let first = run.stepJobs.first, run.finishedLeases.contains(first.lease) else { return }
      for _ in 0..<2 * max(1, run.firstCredit) { run.enqueue([first], plan: [nil]) }
    }, isDone: { $0.elapsedMs >= 900 && $0.isAllSent }, judge: { $0.judgeCopies() })

  private static let credit = Step(
    start: inSession, limitMs: 1_500, isDone: { $0.hasRaisedCredit },
    judge: { run in
      guard run.firstCredit > 0 else { return }
      let seen = "job_limit allows an idle worker \(run.credit) more jobs, but \(run.firstCredit) at first"
      run.judge(.creditForCopies, run.hasRaisedCredit ? nil : seen)
    })

  // A worker without parallel jobs gets only as many jobs as it finishes in time.
  private static let work = Step(
    start: inSession, limitMs: 10_000, workMs: { $0.workMs(jobs: $0.stepJobs.count) },
    begin: { run in
      let count = max(1, min(16, run.firstCredit / 2)) - 1
      let inTime = Int(Limits.conformanceJobMsMax / max(1, run.firstJobMs ?? 1))
      // The worker need not find a place for this text.
      run.stepJobs = (0..<min(count, max(1, inTime))).map { run.newJob(query: $0 == 0 ? "Nowhere at all" : nil) }
      run.enqueue(run.stepJobs, plan: [1])
    }, isDone: { $0.hasAllResults && $0.isAllSent }, judge: { $0.judgeWork() })

  private static let firstLease = unacknowledgedJob

  private static let secondLease = Step(
    start: inSession, limitMs: 5_000, workMs: oneJob,
    begin: { run in
      guard let first = run.stepJobs.first else { return }
      run.stepJobs.append(LeasedJob(lease: run.newLease(of: first.lease.job), query: first.query, kind: .post))
      run.enqueue(Array(run.stepJobs.suffix(1)), plan: [nil])
    }, isDone: { $0.hasAllResults }, judge: { $0.judgeResults(.newLease, "no Result under the greater token") })

  // The worker still holds the Results of the job's other leases. A worker that sends a Result under the lower token
  // does so no later than the next job's Result.
  private static let lowerLease = Step(
    start: inSession, limitMs: 4_000, workMs: { $0.workMs(jobs: 2) },
    begin: { run in
      run.enqueueLowerLease()
      run.enqueueStepJob(plan: [1])
    }, isDone: { $0.hasAllResults },
    judge: { run in
      if run.lowerLease != nil { run.judgeProbe(.lowerLease) }
      run.acknowledgeAll()
    })

  private static func kind(_ kind: LeasedJob.Kind) -> Step {
    Step(
      start: inSession, limitMs: 5_000, workMs: oneJob,
      begin: { $0.enqueueStepJob(kind, plan: [1]) }, isDone: { $0.hasAllResults }, judge: { $0.judgeKinds() })
  }

  private static let acknowledgements = Step(
    start: inSession, limitMs: 11_500, workMs: { $0.workMs(jobs: 4) },
    begin: { run in
      run.stepJobs = (0..<4).map { _ in run.newJob() }
      for (index, job) in run.stepJobs.enumerated() {
        // The four copies of the last Result get no reply, RETRY_LATER, an unknown disposition, and again no reply.
        run.enqueue([job], plan: index < 3 ? [UInt8(index + 1)] : [nil, 4, 99, nil])
      }
      guard let session = run.session else { return }
      run.send(.acks(session: session, [run.newLease()], disposition: 1))
    }, isDone: { run in run.stepJobs.last.map { run.resultTimes[$0.lease]?.count ?? 0 >= 4 } ?? true },
    judge: { $0.judgeAcknowledgements() })

  // After four copies of a result, the worker's schedule waits 8 s. An earlier copy in a new session is therefore due
  // to the session itself. A worker that has sent fewer copies gets another job.
  private static let heldResult = Step(
    start: inSession, limitMs: 5_000, workMs: oneJob,
    begin: { run in
      if let last = run.stepJobs.last, run.resultTimes[last.lease]?.count ?? 0 >= 4 {
        run.stepJobs = [last]
      } else {
        unacknowledgedJob.begin(&run)
      }
    }, isDone: { $0.hasAllResults })

  private static let reset = Step(
    start: inSession, limitMs: 3_000,
    begin: { run in run.endSession { .reset(session: $0) } }, isDone: { !$0.hellos(from: $0.stepStart).isEmpty },
    judge: { run in
      run.judge(.reset, run.delay(ofHelloAfter: "Reset"))
      guard let hello = run.hellos(from: run.stepStart).first?.hello, run.hasAllResults else { return }
      let isNamed = run.stepJobs.allSatisfy { hello.held.contains($0.lease) }
      run.judge(.helloHeld, isNamed ? nil : "held has \(hello.held.count) leases, but not that of the Result")
    })

  private static let resultsAgain = Step(
    limitMs: 1_500,
    isDone: { run in run.stepJobs.allSatisfy { run.resultTimes[$0.lease]?.last ?? 0 >= run.sessionMs } },
    judge: { run in
      guard run.session != nil, run.hasAllResults, let lease = run.stepJobs.first?.lease else { return }
      let resentMs = run.resultTimes[lease]?.first { $0 >= run.sessionMs }
      let seen = resentMs.map { $0 - run.sessionMs < 850 ? nil : "only \($0 - run.sessionMs) ms after Welcome" }
      run.judge(.resultsAgain, seen ?? "no Result within 1.5 s after Welcome")
    })

  private static let otherSession = Step(
    start: inSession, limitMs: 3_000,
    begin: { run in
      guard let former = run.formerSession else { return }
      run.send(.jobs(session: former, [run.decoy()]))
      run.send(.acks(session: former, run.stepJobs.map(\.lease), disposition: 1))
      run.send(.reset(session: former))
    }, isDone: { $0.elapsedMs > Limits.inFlightToleranceMs && $0.areKept },
    judge: { run in
      // Judge the rule only if the worker has kept its result until now, and lists the lease in heartbeats.
      let verdicts = run.context.verdicts
      guard verdicts[.resultsAgain] == .pass, verdicts[.heartbeatHeld] == .pass else { return }
      run.judge(.otherSession, run.faultsWithOtherSession)
      run.acknowledge(run.stepJobs.map(\.lease))
    })

  // A fast worker sends the Result before it reads the Reset. Its Hello lists the lease of the unacknowledged Result.
  private static let resetInWork = Step(
    start: inSession, limitMs: 3_000, workMs: oneJob,
    begin: { run in
      run.enqueueStepJob(plan: [1])
      run.endSession { .reset(session: $0) }
    }, isDone: { !$0.hellos(from: $0.stepStart).isEmpty }, judge: { $0.judgeWorkInHello() })

  private static let workAfterReset = Step(
    start: inSession, limitMs: 5_000, workMs: oneJob, isDone: { $0.hasAllResults })

  private static let malformed = probe(.malformedFrame) { run in
    if let session = run.session { run.send(.malformed(session: session)) }
  }

  private static let laterMinor = Step(
    start: inSession, limitMs: 4_000, workMs: oneJob,
    begin: { run in
      if let session = run.session { run.send(.unknownBody(session: session)) }
      run.stepJobs = [run.newJob()]
      run.enqueue(run.stepJobs[0], in: .laterMinor)
    }, isDone: { $0.hasAllResults }, judge: { $0.judgeProbe(.laterMinor) })

  private static let otherMajor = probe(.otherMajor) { run in
    if let session = run.session { run.send(.jobs(session: session, [run.decoy()], .otherMajor)) }
  }

  private static let drain = Step(
    start: inSession, limitMs: 3_000,
    begin: { run in run.endSession { .drain(session: $0) } }, isDone: { !$0.hellos(from: $0.stepStart).isEmpty },
    judge: { $0.judge(.drain, $0.delay(ofHelloAfter: "Drain")) })

  private static let silence = Step(
    start: inSession, limitMs: Limits.conformanceLivenessMs + 4_000,
    begin: { run in
      (run.isSilent, run.welcomesHello, run.lostConnection) = (true, false, run.connection)
    }, isDone: { !$0.hellos(from: $0.stepStart).isEmpty }, judge: { $0.judgeSilence() })

  private static let lastJob: Step = {
    var step = unacknowledgedJob
    step.needsProcess = true
    return step
  }()

  private static let goodbye = Step(
    start: inSession, needsProcess: true, limitMs: 8_000,
    begin: { run in
      run.acknowledge(run.stepJobs.map(\.lease))
      run.context.effects.append(.terminate)
    }, isDone: { run in run.exit.map { run.nowMs - $0.atMs >= Limits.inFlightToleranceMs } ?? false },
    judge: { $0.judgeGoodbye() })

  /// The time that the worker may need for a job, in milliseconds.
  private static let oneJob: @Sendable (WorkerSuite) -> Int64 = { $0.workMs(jobs: 1) }

  /// A step that sends one job, and does not acknowledge the job's result.
  private static let unacknowledgedJob = Step(
    start: inSession, limitMs: 5_000, workMs: oneJob,
    begin: { $0.enqueueStepJob(plan: [nil]) }, isDone: { $0.hasAllResults })

  /// Returns a step that sends a message that the worker must ignore, and then a job.
  private static func probe(
    _ rule: WorkerRule, _ sendIgnored: @escaping @Sendable (inout WorkerSuite) -> Void
  ) -> Step {
    Step(
      start: inSession, limitMs: 4_000, workMs: oneJob,
      begin: { run in
        sendIgnored(&run)
        run.enqueueStepJob(plan: [1])
      }, isDone: { $0.hasAllResults }, judge: { $0.judgeProbe(rule) })
  }
}
