import Domain
import Messaging

/// The steps of the exam, in their order. Each waits for the next batch of new posts, handles it in its own way, and
/// lasts until it has seen enough or times out.
extension ProducerExam {
  struct Step: Sendable {
    /// Time for the step after its batch has come.
    var limitMs: Int64 = 0
    let meet: @Sendable (inout ProducerExam, Request) -> Void
    var isDone: @Sendable (ProducerExam) -> Bool = { $0.areAllBack }
    var judge: @Sendable (inout ProducerExam) -> Void = { _ in }
  }

  /// Pauses that BUSY and UNAUTHORIZED ask for.
  static let busyMs: Int64 = 2_000
  static let tokenPauseMs: Int64 = 1_000
  /// Longest time that a reply waits for the reply to a later batch.
  static let orderMs: Int64 = 1_000
  /// Pause between replies to batches outside a step: sixteen batches get theirs before they are due again.
  static let queueMs: Int64 = 250
  /// Tolerances before and after the 5 s after which a batch is sent again.
  private static let earlyMs: Int64 = 1_000
  private static let lateMs: Int64 = 3_500
  /// Time, from the first message on a new connection, within which every open batch must come on it.
  static let anewMs: Int64 = 2_000

  // Steps after which no post may come again are first: the rest of the exam shows that none does.
  static let steps = [
    Step(meet: { $0.answer($1) }), Step(meet: { $0.answer($1, by: .laterMinor, isLater: true) }), refused, silent,
    busyPost, busy,
    ignored(.receiptCount) { exam, request in
      let ids = request.keys.dropLast().map { exam.store($0) }
      exam.say(.receipts(connection: request.connection, id: request.id, ids.map { .accepted($0) }))
    },
    ignored(.unmatched) { exam, request in
      exam.say(.error(connection: request.connection, id: 0, .malformed, retryAfterMs: 0))
    },
    ignored(.matching) { exam, request in
      let receipts = request.keys.map { SubmitReceipt.accepted(exam.store($0)) }
      // A request that has its reply, and one that never existed.
      for id in [exam.repliedID, request.id &+ 1_000_000] {
        exam.say(.receipts(connection: request.connection, id: id, receipts))
      }
    },
    ignored(.malformedFrame) { exam, request in
      let receipts = request.keys.map { SubmitReceipt.accepted(exam.store($0)) }
      exam.say(.malformed(connection: request.connection, id: request.id, receipts))
    }, order, silence, unauthorized,
  ]

  private static let refused = Step(
    meet: { exam, request in
      let refusal = SubmitRefusal(code: "invalid_place", detail: "examined by onthemap conform", field: "place")
      let receipts = request.keys.dropLast().map { key in
        exam.forget(key, by: .accepted)
        return SubmitReceipt.accepted(exam.store(key))
      }
      for key in request.keys.suffix(1) { exam.forget(key, by: .refused) }
      exam.reply(request, receipts + [.refused(refusal)])
    })

  private static let silent = Step(
    limitMs: Limits.submitAnswerMs + lateMs,
    meet: { exam, request in
      // The posts are stored, and their reply is lost.
      for key in request.keys { exam.store(key) }
      exam.wanted = Set(request.keys)
    }, judge: { $0.judgeReturn(.resend, fromMs: Limits.submitAnswerMs - earlyMs) })

  private static let busyPost = Step(
    limitMs: busyMs + lateMs + Limits.submitAnswerMs,
    meet: { exam, request in
      let half = request.keys.count / 2
      let refusal = SubmitRefusal(code: "busy", detail: "examined by onthemap conform")
      let receipts = request.keys.prefix(half).map { key in
        exam.forget(key, by: .accepted)
        return SubmitReceipt.accepted(exam.store(key))
      }
      let rest = request.keys.dropFirst(half)
      exam.wanted = Set(rest)
      exam.reply(request, receipts + rest.map { _ in .busy(refusal, retryAfterMs: busyMs) })
    }, judge: { $0.judgeReturn(.busyPost, fromMs: busyMs - 100) })

  private static let busy = Step(
    limitMs: busyMs + lateMs,
    meet: { exam, request in
      exam.wanted = Set(request.keys)
      exam.refuse(request, .busy, retryAfterMs: busyMs)
    }, judge: { $0.judgeReturn(.busy, fromMs: busyMs - 100) })

  private static let order = Step(
    limitMs: 2 * orderMs + lateMs + Limits.submitAnswerMs, meet: { $0.hold($1) },
    isDone: { !$0.wanted.isEmpty && $0.areAllBack }, judge: { $0.judgeReturn(.order, fromMs: orderMs - 100) })

  private static let silence = Step(
    limitMs: 2 * Limits.livenessMs + lateMs,
    meet: { exam, _ in
      (exam.isSilent, exam.lostConnection) = (true, exam.connection)
      exam.wanted = Set(exam.open.flatMap(\.keys))
    },
    isDone: { exam in exam.reconnectedMs.map { exam.areAllBack || exam.nowMs - $0 > anewMs } ?? false },
    judge: { exam in
      exam.judgeSilence()
      exam.speakAgain()
    })

  // The limit is long enough for unanswered batches to be sent again.
  private static let unauthorized = Step(
    limitMs: Limits.submitAnswerMs + 2_000, meet: { $0.shut($1.token) }, isDone: { $0.newTokenMs != nil },
    judge: { $0.judge(.unauthorized, nil) })

  /// Returns a step that sends no reply to the batch, but something else, so that the producer sends the batch again.
  private static func ignored(
    _ rule: ProducerRule, _ say: @escaping @Sendable (inout ProducerExam, Request) -> Void
  ) -> Step {
    Step(
      limitMs: Limits.submitAnswerMs + lateMs,
      meet: { exam, request in
        exam.wanted = Set(request.keys)
        say(&exam, request)
      }, judge: { $0.judgeReturn(rule, fromMs: 0) })
  }

  /// True if all posts that are expected again have come.
  var areAllBack: Bool { wanted.allSatisfy { againMs[$0] != nil } }

  private mutating func judgeReturn(_ rule: ProducerRule, fromMs: Int64) {
    guard let subject else { return }
    let missing = wanted.count { againMs[$0] == nil }
    if missing > 0 {
      let end = exit == nil ? "within \(nowMs - subject.atMs) ms" : "before the process ended"
      return judge(rule, "\(missing) of \(wanted.count) posts did not come again \(end)")
    }
    let firstMs = againMs.values.min().map { $0 - subject.atMs } ?? fromMs
    judge(rule, firstMs < fromMs ? "sent again after \(firstMs) ms" : nil)
  }

  private mutating func judgeSilence() {
    guard let subject else { return }
    guard let reconnectedMs else {
      verdicts[.resendAnew] = .notShown(why: "the producer did not connect anew")
      return judge(.reconnect, "no new connection within \(nowMs - subject.atMs) ms without a reply")
    }
    let pauseMs = reconnectedMs - subject.atMs
    let isEarly = pauseMs < Limits.livenessMs - ProducerExam.earlyMs
    judge(.reconnect, isEarly ? "a new connection after \(pauseMs) ms" : nil)
    let missing = wanted.count { againMs[$0] == nil }
    let passedMs = nowMs - reconnectedMs
    let seen = "\(missing) of \(wanted.count) posts did not come on the new connection within \(passedMs) ms"
    judge(.resendAnew, missing == 0 ? nil : seen)
  }
}
