import Domain
import Messaging

/// The steps of the exam, in their order. Each lasts until it has seen enough, or until its time is over.
extension SubscriberExam {
  struct Step: Sendable {
    /// Nil: as long as the subscriber may take to come.
    let limitMs: Int64?
    var begin: @Sendable (inout SubscriberExam) -> Void = { _ in }
    let isDone: @Sendable (SubscriberExam) -> Bool
    var judge: @Sendable (inout SubscriberExam) -> Void = { _ in }
  }

  /// A join comes within half a second of a loss; so much more is given to who is slow.
  static let joinMs: Int64 = 2_000
  /// So long nothing may come: longer than the pause after a first loss.
  private static let quietMs: Int64 = 900
  /// Joins within that time by one whose pauses grow, and more than it could get to.
  private static let pauseMs: Int64 = 6_000
  private static let joinsMax = 10

  static let steps: [Step] =
    [arrival, unanswered, entrance] + probes + losses + [pauses, settled]
    + [loss(.pauseReset, "a loss after a Snapshot") { $0.tellLosses() }, silence, settled, alternate]

  private static let arrival = Step(
    limitMs: nil, isDone: { !$0.joins.isEmpty || !$0.log.isEmpty && $0.nowMs - $0.log[0].atMs > 1_000 },
    judge: { exam in
      if exam.log.isEmpty { return exam.stop() }
      exam.judgeSubscriptions()
    })

  private static let unanswered = Step(
    limitMs: 5_000,
    begin: { exam in
      // Not for one without a list.
      let before = exam.list
      exam.tell(exam.advance(), onto: before)
    }, isDone: { $0.hasJoined },
    judge: { exam in
      let why = "no new join within 5 s after one that brought nothing"
      exam.judge(.joinRepeated, exam.hasJoined ? nil : why)
    })

  private static let entrance = Step(
    limitMs: 300,
    begin: { exam in
      exam.answer = .list
      exam.tellList()
    }, isDone: { _ in false })

  private static let probes: [Step] =
    probe(.heartbeat, "Heartbeats that say nothing new") { exam in
      exam.tell(.heartbeat(epoch: exam.list.epoch, seq: exam.list.seq - 1, hash: 1))
    }
    + probe(.delta, "a Delta that follows") { exam in
      let before = exam.list
      exam.tell(exam.advance(), onto: before)
    }
    + probe(.duplicateDelta, "a Delta that came twice") { exam in
      let before = exam.list
      let delta = exam.advance()
      exam.tell(delta, onto: before)
      exam.tell(delta, onto: before)
    }
    + probe(.overlappingDelta, "a Delta that overlaps") { exam in
      let before = exam.list
      exam.tell(exam.advance(), onto: before)
      exam.advance()
      exam.tell(exam.changes(since: before), onto: before)
    }
    + probe(.deletion, "a Delta that deletes a post and brings one back") { exam in
      let before = exam.list
      exam.tell(exam.delete(), onto: before)
    }
    + probe(.edit, "a Delta that brings a post of the list again") { exam in
      let before = exam.list
      exam.tell(exam.edit(), onto: before)
    }
    + probe(.olderSnapshot, "an older Snapshot") { exam in
      let before = exam.list
      exam.tell(exam.advance(), onto: before)
      exam.tell(.snapshot(before, hash: before.hash))
    }
    + probe(.newerSnapshot, "a newer Snapshot") { exam in
      exam.advance()
      exam.tellList()
    }
    + probe(.stale, "a Heartbeat that is stale and a Delta after it", until: told) { exam in
      exam.isStale = true
      exam.tellHeartbeat()
      let before = exam.list
      exam.tell(exam.advance(), onto: before)
    }
    + probe(.unknownField, "a Delta with an unknown field") { exam in
      let before = exam.list
      exam.tell(exam.advance(), onto: before, in: .unknownField)
    }
    + probe(.laterMinor, "frames of a later minor") { exam in
      exam.say(.heartbeat, .unknownBody(exam.list.epoch))
      let before = exam.list
      exam.tell(exam.advance(), onto: before, in: .laterMinor)
    }
    + probe(.malformedFrame, "frames that nobody can read") { exam in
      exam.say(.heartbeat, .malformed(after: exam.list))
      // Who has taken what was malformed has passed this one.
      let before = exam.list
      exam.tell(exam.advance(), onto: before)
    }

  private static let losses = [
    loss(.gap, "a Delta that did not follow") { $0.tellGap() },
    loss(.missedDelta, "a Heartbeat with a higher seq") { exam in
      exam.advance()
      exam.tellHeartbeat()
    },
    loss(.deltaHash, "a Delta with a wrong state_hash") { exam in
      var wrong = exam.list
      let delta = wrong.apply([.put(exam.entry(exam.list.seq + 1))])
      exam.tell(.delta(delta, epoch: wrong.epoch, hash: wrong.hash ^ 1))
      exam.skip(to: wrong.seq + 1)
    },
    loss(.heartbeatHash, "a Heartbeat with another state_hash") { exam in
      exam.tell(.heartbeat(epoch: exam.list.epoch, seq: exam.list.seq, hash: exam.list.hash ^ 1))
    },
    loss(.snapshotHash, "a Snapshot with a wrong state_hash") { exam in
      var wrong = exam.list
      wrong.apply([.put(exam.entry(exam.list.seq + 1))])
      exam.tell(.snapshot(wrong, hash: wrong.hash ^ 1))
      exam.skip(to: wrong.seq + 1)
    },
    loss(.deltaEpoch, "a Delta of another epoch") { exam in
      exam.beginHistory()
      let before = exam.list
      exam.tell(exam.advance(), onto: before)
    },
    loss(.heartbeatEpoch, "a Heartbeat of another epoch") { exam in
      exam.beginHistory()
      exam.tellHeartbeat()
    },
    loss(.behind, "the third Heartbeat in a row with a lower seq") { $0.goBack() },
    loss(.bye, "a Bye without alternates") { $0.tell(.bye(reason: "examined by onthemap conform")) },
    byePause,
  ]

  private static let awayMs: Int64 = 1_500

  private static let byePause = Step(
    limitMs: awayMs + joinMs,
    begin: { exam in
      exam.isBeating = false
      exam.tell(.bye(reason: "examined by onthemap conform", retryAfterMs: awayMs))
    }, isDone: { $0.hasJoined },
    judge: { exam in
      let pauseMs = exam.joinsSinceBegin.first.map { $0.atMs - exam.begunMs }
      let early = pauseMs.map { $0 < awayMs - 100 ? "a join after \($0) ms, where retry_after_ms was \(awayMs)" : nil }
      exam.judge(.byePause, early ?? "no join within \(joinMs) ms after the retry_after_ms of a Bye, \(awayMs)")
      exam.goOn()
    })

  private static let pauses = Step(
    limitMs: pauseMs,
    begin: { exam in
      exam.answer = .wrongList
      exam.tellLosses()
    }, isDone: { $0.joinsSinceBegin.count > joinsMax },
    judge: { exam in
      let joins = exam.joinsSinceBegin
      let ms = exam.nowMs - exam.begunMs
      if joins.count > 1 {
        let why = "\(joins.count) joins within \(ms) ms, none of which brought a list"
        exam.judge(.pause, joins.count > joinsMax ? why : nil)
      }
      exam.answer = .list
      exam.advance()
      exam.tellList()
    })

  /// A join may be on its way.
  private static let settled = Step(limitMs: 700, isDone: { _ in false })

  private static let silence = Step(
    limitMs: Limits.feedHeartbeatMs * 6, begin: { $0.isBeating = false }, isDone: { $0.hasConnected },
    judge: { exam in
      exam.judgeSilence()
      exam.isBeating = true
      exam.advance()
      exam.tellList()
    })

  private static let alternate = Step(
    limitMs: 3_000,
    begin: { exam in
      exam.tell(.bye(reason: "examined by onthemap conform", alternates: [exam.alternate]))
      exam.feed = 1
    }, isDone: { $0.joins.last?.feed == 1 },
    judge: { exam in
      exam.judge(.alternate, exam.hasJoined ? nil : "no join, at no feed, within 3 s after a Bye with alternates")
    })

  /// While the feed is stale, a subscriber that prints its lists gets time to print the list after the Delta.
  private static let told = Step(
    limitMs: 3_000, isDone: { !$0.isShown || $0.isToldAsLive || $0.hasJoined },
    judge: { exam in
      if exam.isShown, !exam.isToldAsLive, !exam.hasJoined {
        exam.judge(.stale, "no list of seq \(exam.list.seq) told as live within 3 s, though it is the feed's")
      }
      exam.isStale = false
    })

  /// Something after which the list is right still, and then a loss, which shows that somebody listens.
  private static func probe(
    _ rule: SubscriberRule, _ what: String, until told: Step? = nil,
    _ say: @escaping @Sendable (inout SubscriberExam) -> Void
  ) -> [Step] {
    [
      Step(
        limitMs: quietMs,
        begin: { exam in
          say(&exam)
          exam.tellHeartbeat()
        }, isDone: { $0.hasJoined },
        judge: { exam in
          if exam.isGone { exam.judge(rule, "it went away after \(what)") }
          guard let join = exam.joinsSinceBegin.first else { return }
          exam.judge(rule, "a join \(join.atMs - exam.begunMs) ms after \(what)")
        })
    ] + [told].compactMap { $0 } + [
      Step(
        limitMs: joinMs,
        begin: { exam in
          exam.isBeating = false
          exam.tellLosses()
        }, isDone: { $0.hasJoined },
        judge: { exam in
          exam.judge(rule, exam.hasJoined ? nil : "no join when changes were missing after \(what)")
          exam.goOn()
        })
    ]
  }

  /// Something after which the list is not known to be right.
  private static func loss(
    _ rule: SubscriberRule, _ what: String, _ say: @escaping @Sendable (inout SubscriberExam) -> Void
  ) -> Step {
    Step(
      limitMs: joinMs,
      begin: { exam in
        // It would tell of the loss too.
        exam.isBeating = false
        say(&exam)
      }, isDone: { $0.hasJoined },
      judge: { exam in
        exam.judge(rule, exam.hasJoined ? nil : "no join within \(joinMs) ms after \(what)")
        exam.goOn()
      })
  }
}
