import Domain
import Messaging

/// The steps of the suite, in their order.
extension SubscriberSuite {
  /// Deadline for a join after a loss. The protocol asks for half a second.
  static let joinMs: Int64 = 2_000
  /// Time in which no join may come: longer than the pause after a first loss.
  private static let quietMs: Int64 = 900
  /// Duration of the step without lists, and a number of joins that growing pauses do not reach.
  private static let pauseMs: Int64 = 6_000
  private static let joinsMax = 10

  static let steps: [Step] =
    [arrival, unanswered, entrance] + probes + losses + [pauses, settled]
    + [loss(.pauseReset, "a loss after a Snapshot") { $0.sendLosses() }, silence, settled, alternate]

  private static let arrival = Step(
    limitMs: nil, isDone: { !$0.joins.isEmpty || !$0.log.isEmpty && $0.nowMs - $0.log[0].atMs > 1_000 },
    judge: { run in
      if run.log.isEmpty { return run.context.stop() }
      run.judgeSubscriptions()
    })

  private static let unanswered = Step(
    limitMs: 5_000,
    begin: { run in
      // Not for one without a list.
      run.sendChange()
    }, isDone: { $0.hasJoined },
    judge: { run in
      let why = "no new join within 5 s after one that brought nothing"
      run.judge(.joinRepeated, run.hasJoined ? nil : why)
    })

  private static let entrance = Step(
    limitMs: 300,
    begin: { run in
      run.answer = .list
      run.sendList()
    }, isDone: { _ in false })

  private static let probes: [Step] =
    probe(.heartbeat, "Heartbeats that say nothing new") { run in
      run.send(.heartbeat(epoch: run.list.epoch, seq: run.list.seq - 1, hash: 1))
    }
    + probe(.delta, "a Delta that follows") { $0.sendChange() }
    + probe(.duplicateDelta, "a Delta that came twice") { run in
      let before = run.list
      let delta = run.advance()
      run.send(delta, onto: before)
      run.send(delta, onto: before)
    }
    + probe(.overlappingDelta, "a Delta that overlaps") { run in
      let before = run.list
      run.sendChange()
      run.advance()
      run.send(run.changes(since: before), onto: before)
    }
    + probe(.deletion, "a Delta that deletes a post and brings one back") { $0.sendChange(SampleList.deletion) }
    + probe(.edit, "a Delta that brings a post of the list again") { $0.sendChange(SampleList.edit) }
    + probe(.olderSnapshot, "an older Snapshot") { run in
      let before = run.list
      run.sendChange()
      run.send(.snapshot(before, hash: before.hash))
    }
    + probe(.newerSnapshot, "a newer Snapshot") { run in
      run.advance()
      run.sendList()
    }
    + probe(.stale, "a Heartbeat that is stale and a Delta after it", until: printed) { run in
      run.isStale = true
      run.sendHeartbeat()
      run.sendChange()
    }
    + probe(.unknownField, "a Delta with an unknown field") { $0.sendChange(in: .unknownField) }
    + probe(.laterMinor, "frames of a later minor") { run in
      run.send(.heartbeat, .unknownBody(run.list.epoch))
      run.sendChange(in: .laterMinor)
    }
    + probe(.malformedFrame, "frames that nobody can read") { run in
      run.send(.heartbeat, .malformed(after: run.list))
      // Who has taken what was malformed has passed this one.
      run.sendChange()
    }

  private static let losses = [
    loss(.gap, "a Delta that did not follow") { $0.sendGap() },
    loss(.missedDelta, "a Heartbeat with a higher seq") { run in
      run.advance()
      run.sendHeartbeat()
    },
    loss(.deltaHash, "a Delta with a wrong state_hash") { run in
      var wrong = run.list
      let delta = wrong.apply([SampleList.post(after: run.list)])
      run.send(.delta(delta, epoch: wrong.epoch, hash: wrong.hash ^ 1))
      run.skip(to: wrong.seq + 1)
    },
    loss(.heartbeatHash, "a Heartbeat with another state_hash") { run in
      run.send(.heartbeat(epoch: run.list.epoch, seq: run.list.seq, hash: run.list.hash ^ 1))
    },
    loss(.snapshotHash, "a Snapshot with a wrong state_hash") { run in
      var wrong = run.list
      wrong.apply([SampleList.post(after: run.list)])
      run.send(.snapshot(wrong, hash: wrong.hash ^ 1))
      run.skip(to: wrong.seq + 1)
    },
    loss(.deltaEpoch, "a Delta of another epoch") { run in
      run.beginEpoch()
      run.sendChange()
    },
    loss(.heartbeatEpoch, "a Heartbeat of another epoch") { run in
      run.beginEpoch()
      run.sendHeartbeat()
    },
    loss(.behind, "the third Heartbeat in a row with a lower seq") { $0.returnToFormerList() },
    loss(.bye, "a Bye without alternates") { $0.send(.bye(reason: "examined by onthemap conform")) },
    byePause,
  ]

  private static let awayMs: Int64 = 1_500

  private static let byePause = Step(
    limitMs: awayMs + joinMs,
    begin: { run in
      run.isBeating = false
      run.send(.bye(reason: "examined by onthemap conform", retryAfterMs: awayMs))
    }, isDone: { $0.hasJoined },
    judge: { run in
      let pauseMs = run.joinsSinceBegin.first.map { $0.atMs - run.begunMs }
      let early = pauseMs.map { $0 < awayMs - 100 ? "a join after \($0) ms, where retry_after_ms was \(awayMs)" : nil }
      run.judge(.byePause, early ?? "no join within \(joinMs) ms after the retry_after_ms of a Bye, \(awayMs)")
      run.resume()
    })

  private static let pauses = Step(
    limitMs: pauseMs,
    begin: { run in
      run.answer = .wrongList
      run.sendLosses()
    }, isDone: { $0.joinsSinceBegin.count > joinsMax },
    judge: { run in
      let joins = run.joinsSinceBegin
      let ms = run.nowMs - run.begunMs
      if joins.count > 1 {
        let why = "\(joins.count) joins within \(ms) ms, none of which brought a list"
        run.judge(.pause, joins.count > joinsMax ? why : nil)
      }
      run.answer = .list
      run.advance()
      run.sendList()
    })

  /// Waits for a join that may be on its way.
  private static let settled = Step(limitMs: 700, isDone: { _ in false })

  private static let silence = Step(
    limitMs: Limits.feedHeartbeatMs * 6, begin: { $0.isBeating = false }, isDone: { $0.hasConnected },
    judge: { run in
      run.judgeSilence()
      run.isBeating = true
      run.advance()
      run.sendList()
    })

  private static let alternate = Step(
    limitMs: 3_000,
    begin: { run in
      run.send(.bye(reason: "examined by onthemap conform", alternates: [run.alternate]))
      run.feed = 1
    }, isDone: { $0.joins.last?.feed == 1 },
    judge: { run in
      run.judge(.alternate, run.hasJoined ? nil : "no join, at no feed, within 3 s after a Bye with alternates")
    })

  /// While the feed is stale, a subscriber that prints its lists gets time to print the list after the Delta.
  private static let printed = Step(
    limitMs: 3_000, isDone: { !$0.isPrinted || $0.isPrintedAsLive || $0.hasJoined },
    judge: { run in
      if run.isPrinted, !run.isPrintedAsLive, !run.hasJoined {
        run.judge(.stale, "no list of seq \(run.list.seq) told as live within 3 s, though it is the feed's")
      }
      run.isStale = false
    })

  /// Returns steps that send something after which the list is still right, and then a loss, which the subscriber must
  /// notice.
  private static func probe(
    _ rule: SubscriberRule, _ what: String, until printed: Step? = nil,
    _ loss: @escaping @Sendable (inout SubscriberSuite) -> Void
  ) -> [Step] {
    [
      Step(
        limitMs: quietMs,
        begin: { run in
          loss(&run)
          run.sendHeartbeat()
        }, isDone: { $0.hasJoined },
        judge: { run in
          if run.isGone { run.judge(rule, "it went away after \(what)") }
          guard let join = run.joinsSinceBegin.first else { return }
          run.judge(rule, "a join \(join.atMs - run.begunMs) ms after \(what)")
        })
    ] + [printed].compactMap { $0 } + [
      Step(
        limitMs: joinMs,
        begin: { run in
          run.isBeating = false
          run.sendLosses()
        }, isDone: { $0.hasJoined },
        judge: { run in
          run.judge(rule, run.hasJoined ? nil : "no join when changes were missing after \(what)")
          run.resume()
        })
    ]
  }

  /// Returns a step that sends something after which the list may be wrong.
  private static func loss(
    _ rule: SubscriberRule, _ what: String, _ loss: @escaping @Sendable (inout SubscriberSuite) -> Void
  ) -> Step {
    Step(
      limitMs: joinMs,
      begin: { run in
        // It would tell of the loss too.
        run.isBeating = false
        loss(&run)
      }, isDone: { $0.hasJoined },
      judge: { run in
        run.judge(rule, run.hasJoined ? nil : "no join within \(joinMs) ms after \(what)")
        run.resume()
      })
  }
}
