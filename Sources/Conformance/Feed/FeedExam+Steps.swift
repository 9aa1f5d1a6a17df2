import Domain
import Messaging

/// The steps of the exam, in their order. Each lasts until it has seen enough, or until its time is over.
extension FeedExam {
  struct Step: Sendable {
    /// Begins when a fetch waits for its answer; is left out where none comes.
    var needsFetch = false
    var isOfProcess = false
    var isOfQuestions = false
    /// Nil: as long as the feed may take to come.
    let limitMs: Int64?
    var begin: @Sendable (inout FeedExam) -> Void = { _ in }
    let isDone: @Sendable (FeedExam) -> Bool
    var judge: @Sendable (inout FeedExam) -> Void = { _ in }
  }

  static let steps: [Step] =
    [arrival, unanswered, entrance, steady, busy, caughtUp, badJoins, goodJoin, deletion, edit] + otherRequest
    + malformed
    + [wrongList, recovered, backwards, recovered, wrongChanges, recovered, epoch, silence, fresh] + questions + [end]

  /// So long a feed may take with what is to come at once.
  private static let promptMs: Int64 = 1_500

  private static let arrival = Step(
    limitMs: nil, isDone: { $0.hasCome },
    judge: { if !$0.hasCome { $0.stop() } })

  private static let unanswered = Step(
    limitMs: 4_500, isDone: { $0.fetches.count > 1 },
    judge: { exam in
      if !exam.hadList { exam.judge(.nothingBefore, exam.tellings.isEmpty ? nil : "\(exam.tellings.count) frames") }
      let gap = exam.fetches.count > 1 ? exam.fetches[1].atMs - exam.fetches[0].atMs : nil
      let seen = gap.map { $0 < 1_500 ? "asked again after \($0) ms" : nil }
      exam.judge(.fetchRepeated, seen ?? "not asked again within 4.5 s")
    })

  private static let entrance = Step(
    needsFetch: true, limitMs: promptMs, begin: { $0.flows = true },
    isDone: { $0.hasTold(.snapshot) && $0.hasTold(.join("n0")) && $0.isEqual(0) },
    judge: { exam in
      exam.judge(.newList, exam.hasTold(.snapshot) && exam.isEqual(0) ? nil : "no Snapshot of it within \(promptMs) ms")
      exam.judge(.join, exam.hasTold(.join("n0")) ? nil : "no Snapshot on its topic within \(promptMs) ms")
    })

  private static let steady = Step(
    limitMs: 6_500, isDone: { _ in false },
    judge: { exam in
      exam.judgeHeartbeats(.heartbeat)
      let pause = exam.pauses(of: .snapshot).max() ?? 0
      exam.judge(.snapshotPeriod, pause > 5_900 ? "none for \(pause) ms" : nil)
      let joins = exam.tellings.count { $0.subject == .join("n0") }
      if joins > 1 { exam.judge(.join, "\(joins) Snapshots to one join") }
    })

  private static let busy = Step(
    limitMs: 4_000,
    begin: { $0.isBusy = true }, isDone: { _ in false },
    judge: { exam in
      exam.isBusy = false
      for (rule, loss) in zip([FeedRule.delta, .joinMidway], exam.losses) {
        if let loss { exam.judge(rule, loss) }
      }
      exam.judgeHeartbeats(.busyHeartbeat)
      let seen = exam.hasTold(.snapshot) ? nil : "none within \(exam.nowMs - exam.begunMs) ms of changes"
      // Five take 1,000 ms. The first of them may be up to 300 ms late on a busy machine.
      let shortest = exam.spans(of: 5, .snapshot).min() ?? 1_000
      exam.judge(.snapshotPace, seen ?? (shortest < 700 ? "five within \(shortest) ms" : nil))
    })

  private static let caughtUp = Step(
    limitMs: promptMs, isDone: { $0.isEqual(0) && $0.isEqual(1) },
    judge: { exam in
      let lacking = "the list after it is not the one that was told"
      exam.judge(.delta, exam.losses[0] ?? (exam.isEqual(0) ? nil : lacking))
      exam.judge(.joinMidway, exam.losses[1] ?? (exam.isEqual(1) ? nil : lacking))
    })

  private static let badJoins = Step(
    limitMs: 800,
    begin: { exam in
      for topic in ["j//", "j/a-b/", "j/\(String(repeating: "a", count: 41))/", "j/abc"] {
        exam.say(.subscribe(subscriber: 2, .other(topic)))
      }
    }, isDone: { _ in false },
    judge: { exam in
      let told = exam.tellingsSinceBegin.contains { if case .other = $0.subject { true } else { false } }
      if told { exam.judge(.malformedJoin, "a frame on such a topic") }
    })

  private static let goodJoin = Step(
    limitMs: promptMs, begin: { $0.say(.subscribe(subscriber: 2, .join("n2"))) }, isDone: { $0.hasTold(.join("n2")) },
    judge: { exam in
      exam.judge(.malformedJoin, exam.hasTold(.join("n2")) ? nil : "a join after them is not answered")
    })

  private static let deletion = Step(
    limitMs: 3_000, begin: { $0.delete() }, isDone: { $0.isEqual(0) },
    judge: { exam in
      exam.judge(
        .deletion, exam.losses[0] ?? (exam.isEqual(0) ? nil : "the list after it is not the one that was told"))
    })

  private static let edit = Step(
    limitMs: 3_000,
    begin: { exam in
      let list = exam.log.state
      exam.make(.put(ExamList.entry(list.seq + 1, id: list.entries[list.entries.count / 2].id.rawValue)))
    }, isDone: { $0.isEqual(0) && $0.hasSnapshot },
    judge: { exam in
      let lacking = exam.isEqual(0) ? "no Snapshot of it within 3 s" : "the list after it is not the one that was told"
      let isRight = exam.isEqual(0) && exam.hasSnapshot
      exam.judge(.edit, exam.losses[0] ?? exam.strange ?? (isRight ? nil : lacking))
    })

  private static let otherRequest = ignored(.otherRequest) { exam, id in
    exam.say(.reply(id: id + 1_000, exam.log.epoch, exam.wrongChange))
  }

  private static let malformed = ignored(.malformedReply) { exam, id in
    exam.say(.malformed(id: id, exam.log.epoch, exam.wrongEntry))
  }

  private static let wrongList = refused(.wrongList) { exam, id in
    var list = exam.log.state
    list.apply([.put(exam.wrongEntry)])
    exam.say(.wrongList(id: id, list))
  }

  private static let backwards = refused(.backwards) { exam, id in
    exam.say(.reply(id: id, exam.log.epoch, .snapshot(exam.first)))
  }

  private static let wrongChanges = refused(.wrongChanges) { exam, id in
    let answer = ChangeLog.Answer.changes([.put(exam.wrongEntry)], lastSeq: exam.log.seq + 1, hash: exam.log.state.hash)
    exam.say(.reply(id: id, exam.log.epoch, answer))
  }

  private static let recovered = Step(
    limitMs: 3_000,
    begin: { exam in
      exam.flows = true
      exam.advance()
    }, isDone: { $0.isEqual(0) })

  private static let epoch = Step(
    needsFetch: true, limitMs: 3_000, begin: { $0.beginHistory() }, isDone: { $0.isEqual(0) },
    judge: { $0.judge(.epoch, $0.isEqual(0) ? nil : "no list of it within 3 s") })

  private static let silence = Step(
    needsFetch: true, limitMs: 10_000, begin: { $0.flows = false },
    isDone: { $0.staleMs != nil && $0.newConnectionMs != nil },
    judge: { exam in
      let stale = exam.staleMs.map {
        $0 < 5_500 ? "stale after \($0) ms" : $0 > 8_000 ? "stale after \($0) ms only" : nil
      }
      exam.judge(.stale, stale ?? "nothing stale within \(exam.nowMs - exam.repliedMs) ms of silence")
      let why = "no fetch on a new connection within \(exam.nowMs - exam.repliedMs) ms of silence"
      exam.judge(.reconnect, exam.newConnectionMs == nil ? why : nil)
      exam.flows = true
    })

  private static let fresh = Step(
    limitMs: 4_000, isDone: { exam in exam.heartbeats.last.map { $0.atMs > exam.begunMs && !$0.isStale } ?? false },
    judge: { exam in
      let isOver = exam.heartbeats.last.map { $0.atMs > exam.begunMs && !$0.isStale } ?? false
      if !isOver { exam.judge(.stale, "stale for 4 s after ingest was back") }
    })

  private static let questions: [Step] = [
    question(.getSnapshot) { _ in [.snapshot(nil, seq: 0)] },
    question(.notModified) { [.snapshot($0.log.epoch, seq: $0.log.seq), .changes($0.log.epoch, after: $0.log.seq)] },
    question(.getChanges) { [.changes($0.log.epoch, after: $0.first.seq)] },
    question(.outsideRing) { exam in
      [.changes(exam.formerEpoch, after: exam.log.seq), .changes(exam.log.epoch, after: exam.log.seq + 1)]
        + [.changes(exam.log.epoch, after: 1)]
    },
    question(.malformedQuestion) { _ in [.malformed, .snapshot(nil, seq: 0)] },
  ]

  private static let end = Step(
    isOfProcess: true, limitMs: 8_000, begin: { $0.say(.terminate) },
    isDone: { exam in exam.exit.map { exam.nowMs - $0.atMs >= WorkerExam.crossingMs } ?? false },
    judge: { exam in
      let hasSaid = exam.tellingsSinceBegin.contains { if case .bye = $0.frame { true } else { false } }
      let lasts = exam.exit == nil ? "its process did not end within 8 s after SIGTERM" : nil
      exam.judge(.goodbye, hasSaid ? lasts : "no Bye")
    })

  /// Something that is to be ignored while a fetch waits, and then its answer.
  private static func ignored(
    _ rule: FeedRule, _ say: @escaping @Sendable (inout FeedExam, UInt64) -> Void
  ) -> [Step] {
    [
      Step(
        needsFetch: true, limitMs: 700,
        begin: { exam in
          exam.flows = false
          if let id = exam.open?.id { say(&exam, id) }
        }, isDone: { _ in false },
        judge: { exam in
          if let strange = exam.strange { exam.judge(rule, strange) }
          exam.flows = true
          exam.advance()
        }),
      Step(
        limitMs: 9_000, isDone: { $0.isEqual(0) },
        judge: { $0.judge(rule, $0.isEqual(0) ? nil : "the change after it is not published within 9 s") }),
    ]
  }

  /// A list that is not to be taken.
  private static func refused(
    _ rule: FeedRule, _ say: @escaping @Sendable (inout FeedExam, UInt64) -> Void
  ) -> Step {
    Step(
      needsFetch: true, limitMs: 9_500,
      begin: { exam in
        exam.flows = false
        guard let id = exam.open?.id else { return }
        exam.closeFetch()
        say(&exam, id)
      }, isDone: { $0.open != nil },
      judge: { exam in
        let ms = exam.nowMs - exam.begunMs
        let pause = exam.open == nil ? "not asked again within 9.5 s" : ms < 5_000 ? "asked again after \(ms) ms" : nil
        exam.judge(rule, exam.strange ?? exam.older ?? pause)
      })
  }

  private static func question(
    _ rule: FeedRule, _ make: @escaping @Sendable (FeedExam) -> [Question]
  ) -> Step {
    Step(
      isOfQuestions: true, limitMs: promptMs,
      begin: { exam in for question in make(exam) { exam.ask(question) } }, isDone: { $0.areAnswered },
      judge: { $0.judgeAnswers(rule) })
  }

  /// Whether ingest's list has been told whole since the step began.
  private var hasSnapshot: Bool {
    tellingsSinceBegin.contains { if case .snapshot(log.state, _, _) = $0.frame { true } else { false } }
  }
}

extension FeedExam {
  typealias Utterance = FeedProbe.Utterance
  typealias Said = FeedProbe.Said
  typealias Fetch = FeedProbe.Fetch
  typealias Subject = FeedProbe.Subject
  typealias Question = FeedProbe.Question
  typealias Answer = FeedProbe.Answer

  /// What one of the exam's subscribers was told, and when.
  struct Telling: Sendable {
    let atMs: Int64
    let subscriber: Int
    let subject: Subject
    let frame: FeedReplica.Frame
  }
}

extension FeedReplica.Frame {
  /// What it says of the list.
  var list: (epoch: Epoch, seq: UInt64, hash: UInt64)? {
    switch self {
    case .snapshot(let list, let hash, _): (list.epoch, list.seq, hash)
    case .delta(let delta, let epoch, let hash): (epoch, delta.seq, hash)
    case .heartbeat(let epoch, let seq, let hash, _): (epoch, seq, hash)
    case .bye, .later: nil
    }
  }
}
