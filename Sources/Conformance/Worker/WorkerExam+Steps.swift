import Domain
import Messaging

/// The steps of the exam, in their order. Each lasts until it has seen enough, or until its time is over.
extension WorkerExam {
  struct Step: Sendable {
    /// Is left out where the worker is in no session.
    var needsSession = true
    /// Is left out where nobody can end the worker's process.
    var isOfProcess = false
    /// Nil: as long as the worker may take to come.
    let limitMs: Int64?
    var begin: @Sendable (inout WorkerExam) -> Void = { _ in }
    let isDone: @Sendable (WorkerExam) -> Bool
    var judge: @Sendable (inout WorkerExam) -> Void = { _ in }
  }

  static let steps = [
    arrival, hellos, busy, version, entrance, work, copies, credit, firstLease, secondLease,
    kind(.postWithUnknownField),
    kind(.lookup), kind(.unknownLookup), acknowledgements, kept,
    reset,
    again, otherSession, malformed, laterMinor, otherMajor, drain, silence, last, end,
  ]

  private static let refusalMs: Int64 = 2_000

  private static let arrival = Step(
    needsSession: false, limitMs: nil, isDone: { !$0.log.isEmpty }, judge: { if $0.log.isEmpty { $0.stop() } })

  private static let hellos = Step(
    needsSession: false, limitMs: 4_500, isDone: { $0.hellos(from: 0).count >= 3 }, judge: { $0.judgeHellos() })

  private static let busy = Step(
    needsSession: false, limitMs: refusalMs + 2_500, begin: { $0.say(.error(.busy, retryAfterMs: refusalMs)) },
    isDone: { !$0.hellos(from: $0.mark).isEmpty },
    judge: { exam in
      let pauseMs = exam.firstHelloMs
      let seen = pauseMs.map { $0 < refusalMs - 100 ? "Hello after \($0) ms, not \(refusalMs)" : nil }
      exam.judge(.busy, seen ?? "no Hello within \(refusalMs + 2_500) ms")
    })

  // How long a worker keeps quiet after it is its own affair, so Welcome comes unasked then: a late one.
  private static let version = Step(
    needsSession: false, limitMs: refusalMs + 300,
    begin: { $0.say(.error(.unsupportedVersion, retryAfterMs: refusalMs)) },
    isDone: { !$0.hellos(from: $0.mark).isEmpty },
    judge: { exam in
      let early = exam.firstHelloMs.flatMap { $0 < refusalMs - 100 ? $0 : nil }
      exam.judge(.unsupportedVersion, early.map { "Hello after \($0) ms, not \(refusalMs)" })
    })

  private static let entrance = Step(
    needsSession: false, limitMs: 3_000,
    begin: { exam in
      exam.welcomesHello = true
      exam.welcome()
    }, isDone: { $0.jobLimit > 0 },
    judge: { exam in
      exam.judge(.ready, exam.readies.contains { $0 > 0 } ? nil : "no Ready within 3 s")
    })

  private static let work = Step(
    limitMs: 10_000,
    begin: { exam in
      exam.firstCredit = min(exam.credit, Limits.windowMax)
      let first = exam.task()
      let count = max(1, min(16, exam.firstCredit / 2))
      // One that it may not find.
      let others = (1..<count).map { exam.task(query: $0 == 1 ? "Nowhere at all" : nil) }
      exam.subjects = [first] + others
      exam.give([first], plan: [nil])
      exam.give(others, plan: [1])
    }, isDone: { $0.areAnswered && $0.isAllSent }, judge: { $0.judgeWork() })

  // This step follows once the result is certainly kept: a worker that answers copies answers these. They are twice the
  // window, so that a worker that does not count them runs out of credit.
  private static let copies = Step(
    limitMs: 6_000,
    begin: { exam in
      guard let first = exam.subjects.first, exam.answered.contains(first.lease) else { return }
      for _ in 0..<2 * max(1, exam.firstCredit) { exam.give([first], plan: [nil]) }
    }, isDone: { $0.nowMs - $0.begunMs >= 900 && $0.isAllSent }, judge: { $0.judgeCopies() })

  private static let credit = Step(
    limitMs: 1_500, isDone: { $0.hasRaisedCredit },
    judge: { exam in
      guard exam.firstCredit > 0 else { return }
      let seen = "job_limit allows \(exam.credit) more jobs while nothing is to be done, \(exam.firstCredit) at first"
      exam.judge(.creditForCopies, exam.hasRaisedCredit ? nil : seen)
    })

  private static let firstLease = keep

  private static let secondLease = Step(
    limitMs: 5_000,
    begin: { exam in
      guard let first = exam.subjects.first else { return }
      exam.subjects.append(Task(lease: exam.newLease(of: first.lease.job), query: first.query, kind: .post))
      exam.give(Array(exam.subjects.suffix(1)), plan: [1])
    }, isDone: { $0.areAnswered },
    judge: { exam in
      guard exam.subjects.allSatisfy({ exam.given.contains($0.lease) }) else { return }
      exam.judge(.newLease, exam.areAnswered ? nil : "no Result under the greater token within 5 s")
      exam.acknowledge(exam.subjects.map(\.lease))
    })

  private static func kind(_ kind: Task.Kind) -> Step {
    Step(
      limitMs: 5_000,
      begin: { exam in
        exam.subjects = [exam.task(kind)]
        exam.give(exam.subjects, plan: [1])
      }, isDone: { $0.areAnswered }, judge: { $0.judgeKinds() })
  }

  private static let acknowledgements = Step(
    limitMs: 11_500,
    begin: { exam in
      exam.subjects = (0..<4).map { _ in exam.task() }
      for (index, task) in exam.subjects.enumerated() {
        // The last Result gets no reply, RETRY_LATER, an unknown disposition, and no reply again.
        exam.give([task], plan: index < 3 ? [UInt8(index + 1)] : [nil, 4, 99, nil])
      }
      guard let session = exam.session else { return }
      exam.say(.acks(session: session, [exam.newLease()], disposition: 1))
    }, isDone: { exam in exam.subjects.last.map { exam.sights[$0.lease]?.count ?? 0 >= 4 } ?? true },
    judge: { $0.judgeAcknowledgements() })

  // The last result has been sent four times: by its own schedule it is due again only after 8 s, so that a new session
  // shows whether the session sends it. A worker that has not sent it so often is asked for another.
  private static let kept = Step(
    limitMs: 5_000,
    begin: { exam in
      if let last = exam.subjects.last, exam.sights[last.lease]?.count ?? 0 >= 4 {
        exam.subjects = [last]
      } else {
        keep.begin(&exam)
      }
    }, isDone: { $0.areAnswered })

  private static let reset = Step(
    limitMs: 3_000,
    begin: { exam in
      guard let session = exam.session else { return }
      exam.say(.reset(session: session))
      exam.endSession()
    }, isDone: { !$0.hellos(from: $0.mark).isEmpty },
    judge: { exam in
      exam.judge(.reset, exam.delay(ofHelloAfter: "Reset"))
      guard let hello = exam.hellos(from: exam.mark).first?.hello, exam.areAnswered else { return }
      let isNamed = exam.subjects.allSatisfy { hello.held.contains($0.lease) }
      exam.judge(.helloHeld, isNamed ? nil : "held has \(hello.held.count) leases, and not that of the Result")
    })

  private static let again = Step(
    needsSession: false, limitMs: 1_500,
    isDone: { exam in exam.subjects.allSatisfy { exam.sights[$0.lease]?.last ?? 0 >= exam.sessionMs } },
    judge: { exam in
      guard exam.session != nil, exam.areAnswered, let lease = exam.subjects.first?.lease else { return }
      let sight = exam.sights[lease]?.first { $0 >= exam.sessionMs }
      let seen = sight.map { $0 - exam.sessionMs < 850 ? nil : "only \($0 - exam.sessionMs) ms after Welcome" }
      exam.judge(.resultsAgain, seen ?? "not within 1.5 s after Welcome")
    })

  private static let otherSession = Step(
    limitMs: 3_000,
    begin: { exam in
      guard let former = exam.formerSession else { return }
      exam.say(.jobs(session: former, [exam.bait()]))
      exam.say(.acks(session: former, exam.subjects.map(\.lease), disposition: 1))
      exam.say(.reset(session: former))
    }, isDone: { $0.nowMs - $0.begunMs > crossingMs && $0.areKept },
    judge: { exam in
      // The worker must have kept its result until then, and its heartbeats must list it.
      guard exam.verdicts[.resultsAgain] == .holds, exam.verdicts[.heartbeatHeld] == .holds else { return }
      exam.judge(.otherSession, exam.faultsWithOtherSession)
      exam.acknowledge(exam.subjects.map(\.lease))
    })

  private static let malformed = probe(.malformedFrame) { exam in
    if let session = exam.session { exam.say(.malformed(session: session)) }
  }

  private static let laterMinor = Step(
    limitMs: 4_000,
    begin: { exam in
      if let session = exam.session { exam.say(.unknownBody(session: session)) }
      exam.subjects = [exam.task()]
      exam.give(exam.subjects[0], in: .laterMinor)
    }, isDone: { $0.areAnswered }, judge: { $0.judgeProbe(.laterMinor) })

  private static let otherMajor = probe(.otherMajor) { exam in
    if let session = exam.session { exam.say(.jobs(session: session, [exam.bait()], .otherMajor)) }
  }

  private static let drain = Step(
    limitMs: 3_000,
    begin: { exam in
      guard let session = exam.session else { return }
      exam.say(.drain(session: session))
      exam.endSession()
    }, isDone: { !$0.hellos(from: $0.mark).isEmpty },
    judge: { $0.judge(.drain, $0.delay(ofHelloAfter: "Drain")) })

  private static let silence = Step(
    limitMs: Limits.examLivenessMs + 4_000,
    begin: { exam in
      (exam.isSilent, exam.welcomesHello, exam.lostConnection) = (true, false, exam.connection)
    }, isDone: { !$0.hellos(from: $0.mark).isEmpty }, judge: { $0.judgeSilence() })

  private static let last: Step = {
    var step = keep
    step.isOfProcess = true
    return step
  }()

  private static let end = Step(
    isOfProcess: true, limitMs: 8_000,
    begin: { exam in
      exam.acknowledge(exam.subjects.map(\.lease))
      exam.say(.terminate)
    }, isDone: { exam in exam.exit.map { exam.nowMs - $0.atMs >= crossingMs } ?? false },
    judge: { $0.judgeGoodbye() })

  /// One job whose result is not acknowledged.
  private static let keep = Step(
    limitMs: 5_000,
    begin: { exam in
      exam.subjects = [exam.task()]
      exam.give(exam.subjects, plan: [nil])
    }, isDone: { $0.areAnswered })

  /// Something that is to be ignored, and a job after it.
  private static func probe(_ rule: WorkerRule, _ trouble: @escaping @Sendable (inout WorkerExam) -> Void) -> Step {
    Step(
      limitMs: 4_000,
      begin: { exam in
        trouble(&exam)
        exam.subjects = [exam.task()]
        exam.give(exam.subjects, plan: [1])
      }, isDone: { $0.areAnswered }, judge: { $0.judgeProbe(rule) })
  }
}

extension WorkerExam {
  typealias Utterance = WorkerProbe.Utterance
  typealias Said = WorkerProbe.Said
  typealias Hello = WorkerProbe.Hello
  typealias Task = WorkerProbe.Task
  typealias Version = WorkerProbe.Version
}
