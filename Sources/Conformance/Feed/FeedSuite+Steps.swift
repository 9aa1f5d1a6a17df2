import Domain
import Messaging

/// The steps of the suite, in order.
extension FeedSuite {
  static let steps: [Step] =
    [arrival, unanswered, firstReply, steady, busy, caughtUp, badJoins, goodJoin, deletion, edit] + otherRequest
    + malformed
    + [wrongList, recovered, backwards, recovered, wrongChanges, recovered, epoch, silence, fresh] + queries + [goodbye]

  /// Deadline for frames that the feed must send immediately, in milliseconds.
  private static let promptMs: Int64 = 1_500

  /// Minimum pause before a feed repeats a fetch without a reply, in milliseconds.
  static let repeatMs: Int64 = 1_500

  /// Precondition of a step that replies to a fetch.
  private static let onFetch: @Sendable (FeedSuite) -> Step.Start = { run in
    if run.open != nil { return .ready }
    return run.nowMs - run.context.readyMs > Limits.conformanceIdleMs ? .impossible : .waiting
  }

  private static let arrival = Step(
    limitMs: nil,
    begin: { run in
      for subject: Subject in [.snapshot, .delta, .heartbeat, .join("n0")] {
        run.send(.subscribe(subscriber: 0, subject))
      }
    }, isDone: { $0.hasReceivedMessage },
    judge: { if !$0.hasReceivedMessage { $0.context.stop() } })

  private static let unanswered = Step(
    limitMs: 4_500, isDone: { $0.fetches.count > 1 },
    judge: { run in
      if !run.startedWithList {
        let seen = run.publications.isEmpty ? nil : "\(run.publications.count) frames before the first reply"
        run.judge(.nothingBefore, seen)
      }
      let gap = run.fetches.count > 1 ? run.fetches[1].atMs - run.fetches[0].atMs : nil
      let seen = gap.map { $0 < repeatMs ? "fetched again after \($0) ms" : nil }
      run.judge(.fetchRepeated, seen ?? "no second fetch within 4.5 s")
    })

  private static let firstReply = Step(
    start: onFetch, limitMs: promptMs, begin: { $0.repliesToFetches = true },
    isDone: { $0.hasPublished(.snapshot) && $0.hasPublished(.join("n0")) && $0.isEqual(0) },
    judge: { run in
      let hasList = run.hasPublished(.snapshot) && run.isEqual(0)
      run.judge(.newList, hasList ? nil : "no Snapshot of the new list within \(promptMs) ms")
      let isJoined = run.hasPublished(.join("n0"))
      run.judge(.join, isJoined ? nil : "no Snapshot on the topic of the join within \(promptMs) ms")
    })

  private static let steady = Step(
    limitMs: 6_500, isDone: { _ in false },
    judge: { run in
      run.judgeHeartbeats(.heartbeat)
      let pause = run.pauses(of: .snapshot).max() ?? 0
      run.judge(.snapshotPeriod, pause > 5_900 ? "no Snapshot for \(pause) ms" : nil)
      let joins = run.publications.count { $0.subject == .join("n0") }
      if joins > 1 { run.judge(.join, "\(joins) Snapshots for one join") }
    })

  private static let busy = Step(
    limitMs: 4_000,
    begin: { $0.isBusy = true }, isDone: { _ in false },
    judge: { run in
      run.isBusy = false
      for (rule, desync) in zip([FeedRule.delta, .joinMidway], run.desyncs) {
        if let desync { run.judge(rule, desync) }
      }
      run.judgeHeartbeats(.busyHeartbeat)
      let seen = run.hasPublished(.snapshot) ? nil : "no Snapshot within \(run.elapsedMs) ms of changes"
      // Five Snapshots take 1,000 ms. The first may be up to 300 ms late on a busy machine.
      let shortest = run.spans(of: 5, .snapshot).min() ?? 1_000
      run.judge(.snapshotPace, seen ?? (shortest < 700 ? "5 Snapshots within \(shortest) ms" : nil))
    })

  private static let caughtUp = Step(
    limitMs: promptMs, isDone: { $0.isEqual(0) && $0.isEqual(1) },
    judge: { run in
      let mismatch = "the feed's list then differs from ingest's"
      run.judge(.delta, run.desyncs[0] ?? (run.isEqual(0) ? nil : mismatch))
      run.judge(.joinMidway, run.desyncs[1] ?? (run.isEqual(1) ? nil : mismatch))
    })

  private static let badJoins = Step(
    limitMs: 800,
    begin: { run in
      for topic in ["j//", "j/a-b/", "j/\(String(repeating: "a", count: 41))/", "j/abc"] {
        run.send(.subscribe(subscriber: 2, .other(topic)))
      }
    }, isDone: { _ in false },
    judge: { run in
      let isPublished = run.publicationsInStep.contains { if case .other = $0.subject { true } else { false } }
      if isPublished { run.judge(.malformedJoin, "a frame on an invalid topic") }
    })

  private static let goodJoin = Step(
    limitMs: promptMs, begin: { $0.send(.subscribe(subscriber: 2, .join("n2"))) },
    isDone: { $0.hasPublished(.join("n2")) },
    judge: { run in
      run.judge(.malformedJoin, run.hasPublished(.join("n2")) ? nil : "no reply to the next valid join")
    })

  private static let deletion = Step(
    limitMs: 3_000, begin: { $0.make(SampleList.deletion(in: $0.log.state)) }, isDone: { $0.isEqual(0) },
    judge: { run in
      run.judge(
        .deletion, run.desyncs[0] ?? (run.isEqual(0) ? nil : "the feed's list then differs from ingest's"))
    })

  private static let edit = Step(
    limitMs: 3_000, begin: { $0.make(SampleList.edit(in: $0.log.state)) },
    isDone: { $0.isEqual(0) && $0.hasSnapshot },
    judge: { run in
      let difference = "the feed's list then differs from ingest's"
      let mismatch = run.isEqual(0) ? "no Snapshot of the edit within 3 s" : difference
      let isRight = run.isEqual(0) && run.hasSnapshot
      run.judge(.edit, run.desyncs[0] ?? run.unknownListFault ?? (isRight ? nil : mismatch))
    })

  private static let otherRequest = ignored(.otherRequest) { run, id in
    run.send(.reply(id: id + 1_000, run.log.epoch, run.wrongChange))
  }

  private static let malformed = ignored(.malformedReply) { run, id in
    run.send(.malformed(id: id, run.log.epoch, run.wrongEntry))
  }

  private static let wrongList = refused(.wrongList) { run, id in
    var list = run.log.state
    list.apply([.upsert(run.wrongEntry)])
    run.send(.wrongList(id: id, list))
  }

  private static let backwards = refused(.backwards) { run, id in
    run.send(.reply(id: id, run.log.epoch, .snapshot(run.first)))
  }

  private static let wrongChanges = refused(.wrongChanges) { run, id in
    let result = ChangeLog.FetchResult.changes(
      [.upsert(run.wrongEntry)], lastSeq: run.log.seq + 1, hash: run.log.state.hash)
    run.send(.reply(id: id, run.log.epoch, result))
  }

  private static let recovered = Step(
    limitMs: 3_000,
    begin: { run in
      run.repliesToFetches = true
      run.advance()
    }, isDone: { $0.isEqual(0) })

  private static let epoch = Step(
    start: onFetch, limitMs: 3_000, begin: { $0.beginEpoch() }, isDone: { $0.isEqual(0) },
    judge: { $0.judge(.epoch, $0.isEqual(0) ? nil : "no list of the new epoch within 3 s") })

  private static let silence = Step(
    start: onFetch, limitMs: 10_000, begin: { $0.repliesToFetches = false },
    isDone: { $0.staleMs != nil && $0.newConnectionMs != nil },
    judge: { run in
      let stale = run.staleMs.map {
        $0 < 5_500 ? "stale after \($0) ms" : $0 > 8_000 ? "stale only after \($0) ms" : nil
      }
      run.judge(.stale, stale ?? "no stale frame within \(run.nowMs - run.repliedMs) ms of silence")
      let why = "no fetch on a new connection within \(run.nowMs - run.repliedMs) ms of silence"
      run.judge(.reconnect, run.newConnectionMs == nil ? why : nil)
      run.repliesToFetches = true
    })

  private static let fresh = Step(
    limitMs: 4_000, isDone: { run in run.heartbeats.last.map { $0.atMs > run.begunMs && !$0.isStale } ?? false },
    judge: { run in
      let isOver = run.heartbeats.last.map { $0.atMs > run.begunMs && !$0.isStale } ?? false
      if !isOver { run.judge(.stale, "still stale 4 s after the next reply") }
    })

  private static let queries: [Step] = [
    query(.getSnapshot) { _ in [.snapshot(nil, seq: 0)] },
    query(.notModified) { [.snapshot($0.log.epoch, seq: $0.log.seq), .changes($0.log.epoch, after: $0.log.seq)] },
    query(.getChanges) { [.changes($0.log.epoch, after: $0.first.seq)] },
    query(.outsideRing) { run in
      [.changes(run.formerEpoch, after: run.log.seq), .changes(run.log.epoch, after: run.log.seq + 1)]
        + [.changes(run.log.epoch, after: 1)]
    },
    query(.malformedQuery) { _ in [.malformed, .snapshot(nil, seq: 0)] },
  ]

  private static let goodbye = Step(
    needsProcess: true, limitMs: 8_000, begin: { $0.context.effects.append(.terminate) },
    isDone: { run in run.exit.map { run.nowMs - $0.atMs >= Limits.inFlightToleranceMs } ?? false },
    judge: { run in
      let hasSentBye = run.publicationsInStep.contains { if case .bye = $0.frame { true } else { false } }
      let lateExit = run.exit == nil ? "the process did not end within 8 s after SIGTERM" : nil
      run.judge(.goodbye, hasSentBye ? lateExit : "no Bye")
    })

  /// Returns steps that send a message that the feed must ignore while a fetch waits, and then the reply to the fetch.
  private static func ignored(
    _ rule: FeedRule, _ sendInvalid: @escaping @Sendable (inout FeedSuite, UInt64) -> Void
  ) -> [Step] {
    [
      Step(
        start: onFetch, limitMs: 700,
        begin: { run in
          run.repliesToFetches = false
          if let id = run.open?.id { sendInvalid(&run, id) }
        }, isDone: { _ in false },
        judge: { run in
          if let fault = run.unknownListFault { run.judge(rule, fault) }
          run.repliesToFetches = true
          run.advance()
        }),
      Step(
        limitMs: 9_000, isDone: { $0.isEqual(0) },
        judge: { $0.judge(rule, $0.isEqual(0) ? nil : "the next change is not published within 9 s") }),
    ]
  }

  /// Returns a step that replies to a fetch with a list or changes that the feed must refuse.
  private static func refused(
    _ rule: FeedRule, _ sendInvalid: @escaping @Sendable (inout FeedSuite, UInt64) -> Void
  ) -> Step {
    Step(
      start: onFetch, limitMs: 9_500,
      begin: { run in
        run.repliesToFetches = false
        guard let id = run.open?.id else { return }
        run.closeFetch()
        sendInvalid(&run, id)
      }, isDone: { $0.open != nil },
      judge: { run in
        let ms = run.elapsedMs
        let pause = run.open == nil ? "no fetch within 9.5 s" : ms < 5_000 ? "fetched again after \(ms) ms" : nil
        run.judge(rule, run.unknownListFault ?? run.olderListFault ?? pause)
      })
  }

  private static func query(
    _ rule: FeedRule, _ make: @escaping @Sendable (FeedSuite) -> [Query]
  ) -> Step {
    Step(
      start: { $0.hasQueryAddress ? .ready : .impossible }, limitMs: promptMs,
      begin: { run in for query in make(run) { run.sendQuery(query) } }, isDone: { $0.hasAllReplies },
      judge: { $0.judgeReplies(rule) })
  }

  /// True if the feed has published ingest's list as a Snapshot since the start of the step.
  private var hasSnapshot: Bool {
    publicationsInStep.contains { if case .snapshot(log.state, _, _) = $0.frame { true } else { false } }
  }
}
