import Domain
import Messaging

/// The steps of the suite, in order.
extension SubscriberSuite {
  /// Deadline for a join after a desync, in milliseconds. The protocol allows half a second.
  static let joinMs: Int64 = 2_000
  /// Time in which no join may arrive, in milliseconds. The pause after a first desync is shorter.
  private static let quietMs: Int64 = 900
  /// Duration of the step in which no join gets a valid list, in milliseconds.
  private static let pauseMs: Int64 = 6_000
  /// Maximum number of joins in the step without a valid list. A subscriber with growing pauses sends fewer.
  private static let joinsMax = 10

  static let steps: [Step] =
    [arrival, unanswered, firstList] + probes + desyncs + [pauses, settled]
    + [desync(.pauseReset, "a desync after a Snapshot") { $0.sendDesyncs() }, silence, settled, failover]

  private static let arrival = Step(
    limitMs: nil, isDone: { !$0.joins.isEmpty || !$0.log.isEmpty && $0.nowMs - $0.log[0].atMs > 1_000 },
    judge: { run in
      if run.log.isEmpty { return run.context.stop() }
      run.judgeSubscriptions()
    })

  private static let unanswered = Step(
    limitMs: 5_000,
    begin: { run in
      // A subscriber without a list must not react to this change.
      run.sendChange()
    }, isDone: { $0.hasJoined },
    judge: { run in
      let why = "no new join within 5 s after a join without a Snapshot"
      run.judge(.joinRepeated, run.hasJoined ? nil : why)
    })

  private static let firstList = Step(
    limitMs: 300,
    begin: { run in
      run.joinReply = .list
      run.sendList()
    }, isDone: { _ in false })

  private static let probes: [Step] =
    probe(.heartbeat, "Heartbeats that match the list") { run in
      run.send(.heartbeat(epoch: run.list.epoch, seq: run.list.seq - 1, hash: 1))
    }
    + probe(.delta, "a Delta that follows the list") { $0.sendChange() }
    + probe(.duplicateDelta, "a duplicate Delta") { run in
      let before = run.list
      let delta = run.advance()
      run.send(delta, onto: before)
      run.send(delta, onto: before)
    }
    + probe(.overlappingDelta, "an overlapping Delta") { run in
      let before = run.list
      run.sendChange()
      run.advance()
      run.send(run.changes(since: before), onto: before)
    }
    + probe(.deletion, "a Delta that removes a post and adds its replacement") { $0.sendChange(SampleList.deletion) }
    + probe(.edit, "a Delta with a post of the list") { $0.sendChange(SampleList.edit) }
    + probe(.olderSnapshot, "an older Snapshot") { run in
      let before = run.list
      run.sendChange()
      run.send(.snapshot(before, hash: before.hash))
    }
    + probe(.newerSnapshot, "a newer Snapshot") { run in
      run.advance()
      run.sendList()
    }
    + probe(.stale, "a stale Heartbeat and a Delta", until: printed) { run in
      run.isStale = true
      run.sendHeartbeat()
      run.sendChange()
    }
    + probe(.unknownField, "a Delta with an unknown field") { $0.sendChange(in: .unknownField) }
    + probe(.laterMinor, "frames of a later minor") { run in
      run.send(.heartbeat, .unknownBody(run.list.epoch))
      run.sendChange(in: .laterMinor)
    }
    + probe(.malformedFrame, "malformed frames") { run in
      run.send(.heartbeat, .malformed(after: run.list))
      // A subscriber that accepted the malformed frames ignores this change.
      run.sendChange()
    }

  private static let desyncs = [
    desync(.gap, "a Delta after a gap") { $0.sendGap() },
    desync(.missedDelta, "a Heartbeat with a higher seq") { run in
      run.advance()
      run.sendHeartbeat()
    },
    desync(.deltaHash, "a Delta with a wrong state_hash") { run in
      var wrong = run.list
      let delta = wrong.apply([SampleList.post(after: run.list)])
      run.send(.delta(delta, epoch: wrong.epoch, hash: wrong.hash ^ 1))
      run.skip(to: wrong.seq + 1)
    },
    desync(.heartbeatHash, "a Heartbeat with another state_hash") { run in
      run.send(.heartbeat(epoch: run.list.epoch, seq: run.list.seq, hash: run.list.hash ^ 1))
    },
    desync(.snapshotHash, "a Snapshot with a wrong state_hash") { run in
      var wrong = run.list
      wrong.apply([SampleList.post(after: run.list)])
      run.send(.snapshot(wrong, hash: wrong.hash ^ 1))
      run.skip(to: wrong.seq + 1)
    },
    desync(.deltaEpoch, "a Delta of another epoch") { run in
      run.beginEpoch()
      run.sendChange()
    },
    desync(.heartbeatEpoch, "a Heartbeat of another epoch") { run in
      run.beginEpoch()
      run.sendHeartbeat()
    },
    desync(.behind, "the third Heartbeat in a row with a lower seq") { $0.returnToFormerList() },
    desync(.bye, "a Bye without failover_endpoints") { $0.send(.bye(reason: "tested by onthemap conformance")) },
    byeBeforeRestart, restart, returned,
  ]

  /// Announced downtime of the feed, in milliseconds. A subscriber whose connections are refused until the feed's
  /// return connects again within this time.
  private static let retryMs: Int64 = 3_500
  /// Time between the Bye and the closing of the feed's port, in milliseconds.
  private static let noticeMs: Int64 = 300
  /// Time between the closing of the feed's port and its reopening, in milliseconds.
  private static let awayMs: Int64 = 1_000

  private static let byeBeforeRestart = Step(
    limitMs: noticeMs,
    begin: { run in
      run.sendsHeartbeats = false
      run.sendBye(retryAfterMs: retryMs)
    }, isDone: { _ in false })

  private static let restart = Step(limitMs: awayMs, begin: { $0.closePort() }, isDone: { _ in false })

  // The feed returns before the announced time. libzmq then repeats every subscription, also to the topic of a join.
  private static let returned = Step(
    limitMs: retryMs + joinMs - noticeMs - awayMs, begin: { $0.context.effects.append(.openPort) },
    isDone: { $0.isConnected && $0.joinMsAfterBye != nil },
    judge: { run in
      run.judgeJoin(afterPauseMs: retryMs)
      run.endRestart()
      run.resume()
    })

  private static let pauses = Step(
    limitMs: pauseMs,
    begin: { run in
      run.joinReply = .wrongList
      run.sendDesyncs()
    }, isDone: { $0.joinsInStep.count > joinsMax },
    judge: { run in
      let joins = run.joinsInStep
      let ms = run.nowMs - run.begunMs
      if joins.count > 1 {
        let why = "\(joins.count) joins within \(ms) ms, although none brought a valid list"
        run.judge(.pause, joins.count > joinsMax ? why : nil)
      }
      run.joinReply = .list
      run.advance()
      run.sendList()
    })

  /// Waits for a join that may be in transit.
  private static let settled = Step(limitMs: 700, isDone: { _ in false })

  private static let silence = Step(
    limitMs: Limits.feedHeartbeatMs * 6, begin: { $0.sendsHeartbeats = false }, isDone: { $0.hasConnected },
    judge: { run in
      run.judgeSilence()
      run.sendsHeartbeats = true
      run.advance()
      run.sendList()
    })

  private static let failover = Step(
    limitMs: 3_000,
    begin: { run in
      run.send(.bye(reason: "tested by onthemap conformance", failoverEndpoints: [run.failoverFeed]))
      run.feed = 1
    }, isDone: { $0.joins.last?.feed == 1 },
    judge: { run in
      run.judge(
        .failover, run.hasJoined ? nil : "no join at any feed within 3 s after a Bye with failover_endpoints")
    })

  /// Keeps the feed stale until a subscriber that prints its lists has printed the list after the Delta.
  private static let printed = Step(
    limitMs: 3_000, isDone: { !$0.isPrinted || $0.isPrintedAsLive || $0.hasJoined },
    judge: { run in
      if run.isPrinted, !run.isPrintedAsLive, !run.hasJoined {
        run.judge(.stale, "the program did not print the list of seq \(run.list.seq) as live within 3 s")
      }
      run.isStale = false
    })

  /// Returns steps that send messages after which the list is still right, so the subscriber must not join. The last
  /// step sends a desync, after which the subscriber must join.
  private static func probe(
    _ rule: SubscriberRule, _ cause: String, until printed: Step? = nil,
    _ sendCause: @escaping @Sendable (inout SubscriberSuite) -> Void
  ) -> [Step] {
    [
      Step(
        limitMs: quietMs,
        begin: { run in
          sendCause(&run)
          run.sendHeartbeat()
        }, isDone: { $0.hasJoined },
        judge: { run in
          if run.hasDisconnectedInStep { run.judge(rule, "the subscriber disconnected after \(cause)") }
          guard let join = run.joinsInStep.first else { return }
          run.judge(rule, "a join \(join.atMs - run.begunMs) ms after \(cause)")
        })
    ] + [printed].compactMap { $0 } + [
      Step(
        limitMs: joinMs,
        begin: { run in
          run.sendsHeartbeats = false
          run.sendDesyncs()
        }, isDone: { $0.hasJoined },
        judge: { run in
          run.judge(rule, run.hasJoined ? nil : "no join after missing changes, which followed \(cause)")
          run.resume()
        })
    ]
  }

  /// Returns a step that sends a message after which the list may be wrong, so the subscriber must join.
  private static func desync(
    _ rule: SubscriberRule, _ cause: String, _ sendCause: @escaping @Sendable (inout SubscriberSuite) -> Void
  ) -> Step {
    Step(
      limitMs: joinMs,
      begin: { run in
        // A Heartbeat would also show the desync.
        run.sendsHeartbeats = false
        sendCause(&run)
      }, isDone: { $0.hasJoined },
      judge: { run in
        run.judge(rule, run.hasJoined ? nil : "no join within \(joinMs) ms after \(cause)")
        run.resume()
      })
  }
}
