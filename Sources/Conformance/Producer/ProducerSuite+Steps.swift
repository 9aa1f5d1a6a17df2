import Domain
import Messaging

/// The steps of the suite, in order. Each step waits for the next batch of new posts, and handles the batch in its own
/// way. A step ends with the awaited reaction, or at its deadline.
extension ProducerSuite {
  /// The pause that BUSY requests, in milliseconds.
  static let busyMs: Int64 = 2_000
  static let tokenPauseMs: Int64 = 1_000
  static let busyRefusal = SubmitRefusal(code: "busy", detail: "tested by onthemap conformance")
  /// Maximum time for which the suite holds the reply to a batch, in milliseconds.
  static let orderMs: Int64 = 1_000
  /// Pause between replies to batches that arrive during a step, in milliseconds. Sixteen replies take 4 s, and the
  /// producer resends after 5 s.
  static let queueMs: Int64 = 250
  /// Tolerance before the time at which the producer must react, in milliseconds.
  private static let earlyMs: Int64 = 1_000
  /// Tolerance after the time at which the producer must react, in milliseconds.
  private static let lateMs: Int64 = 3_500
  /// Time for all open batches to arrive on a new connection, after its first message, in milliseconds.
  static let reconnectResendMs: Int64 = 2_000

  // Steps that forbid the producer to resend posts come first, so that the rest of the run can detect a resent post.
  static let steps: [Step] = [
    batch(handle: { $0.reply($1) }), batch(handle: { $0.reply($1, by: .laterMinor, isLater: true) }), refused, silent,
    busyPost, busy,
    ignored(.receiptCount) { run, request in
      let ids = request.keys.dropLast().map { run.store($0) }
      run.send(.receipts(connection: request.connection, id: request.id, ids.map { .accepted($0) }))
    },
    ignored(.unmatched) { run, request in
      run.send(.error(connection: request.connection, id: 0, .malformed, retryAfterMs: 0))
    },
    ignored(.matching) { run, request in
      let receipts = request.keys.map { SubmitReceipt.accepted(run.store($0)) }
      // The ids of a request that has its reply, and of a request that never existed.
      for id in [run.repliedID, request.id &+ 1_000_000] {
        run.send(.receipts(connection: request.connection, id: id, receipts))
      }
    },
    ignored(.malformedFrame) { run, request in
      let receipts = request.keys.map { SubmitReceipt.accepted(run.store($0)) }
      run.send(.malformed(connection: request.connection, id: request.id, receipts))
    }, order, silence, unauthorized,
  ]

  private static let refused = batch(
    handle: { run, request in
      let refusal = SubmitRefusal(code: "invalid_place", detail: "tested by onthemap conformance", field: "place")
      let receipts = run.accept(request.keys.dropLast())
      for key in request.keys.suffix(1) { run.forbidResend(key, by: .refused) }
      run.reply(request, receipts + [.refused(refusal)])
    })

  private static let silent = batch(
    limitMs: Limits.submitReplyTimeoutMs + lateMs,
    handle: { run, request in
      // The posts are stored, but the suite sends no receipts.
      for key in request.keys { run.store(key) }
      run.expectedKeys = Set(request.keys)
    }, judge: { $0.judgeReturn(.resend, fromMs: Limits.submitReplyTimeoutMs - earlyMs) })

  private static let busyPost = batch(
    limitMs: busyMs + lateMs + Limits.submitReplyTimeoutMs,
    handle: { run, request in
      let half = request.keys.count / 2
      let receipts = run.accept(request.keys.prefix(half))
      let rest = request.keys.dropFirst(half)
      run.expectedKeys = Set(rest)
      run.reply(request, receipts + rest.map { _ in .busy(busyRefusal, retryAfterMs: busyMs) })
    }, judge: { $0.judgeReturn(.busyPost, fromMs: busyMs - 100) })

  private static let busy = batch(
    limitMs: busyMs + lateMs,
    handle: { run, request in
      run.expectedKeys = Set(request.keys)
      run.refuse(request, .busy, retryAfterMs: busyMs)
    }, judge: { $0.judgeReturn(.busy, fromMs: busyMs - 100) })

  private static let order = batch(
    limitMs: 2 * orderMs + lateMs + Limits.submitReplyTimeoutMs, handle: { $0.hold($1) },
    isDone: { !$0.expectedKeys.isEmpty && $0.areAllResent }, judge: { $0.judgeReturn(.order, fromMs: orderMs - 100) })

  private static let silence = batch(
    limitMs: 2 * Limits.livenessMs + lateMs,
    handle: { run, _ in
      (run.isSilent, run.lostConnection) = (true, run.connection)
      run.expectedKeys = Set(run.open.flatMap(\.keys))
    },
    isDone: { run in run.reconnectedMs.map { run.areAllResent || run.nowMs - $0 > reconnectResendMs } ?? false },
    judge: { run in
      run.judgeSilence()
      run.endSilence()
    })

  // Within this limit, the producer resends batches without a reply.
  private static let unauthorized = batch(
    limitMs: Limits.submitReplyTimeoutMs + 2_000, handle: { $0.endSession($1.token) }, isDone: { $0.newTokenMs != nil },
    judge: { $0.judge(.unauthorized, nil) })

  /// Returns a step that begins with a batch of new posts.
  ///
  /// - Parameters:
  ///   - limitMs: Deadline after the batch, in milliseconds.
  ///   - handle: Handles the batch.
  private static func batch(
    limitMs: Int64 = 0, handle: @escaping @Sendable (inout ProducerSuite, Request) -> Void,
    isDone: @escaping @Sendable (ProducerSuite) -> Bool = { $0.areAllResent },
    judge: @escaping @Sendable (inout ProducerSuite) -> Void = { _ in }
  ) -> Step {
    Step(
      start: { $0.stepBatch == nil ? .waiting : .ready }, limitMs: limitMs,
      begin: { run in if let batch = run.stepBatch { handle(&run, batch) } }, isDone: isDone, judge: judge)
  }

  /// Returns a step that sends no valid reply to the batch, so the producer must resend the batch.
  private static func ignored(
    _ rule: ProducerRule, _ reply: @escaping @Sendable (inout ProducerSuite, Request) -> Void
  ) -> Step {
    batch(
      limitMs: Limits.submitReplyTimeoutMs + lateMs,
      handle: { run, request in
        run.expectedKeys = Set(request.keys)
        reply(&run, request)
      }, judge: { $0.judgeReturn(rule, fromMs: 0) })
  }

  /// True if all posts that the step expects again have arrived.
  var areAllResent: Bool { expectedKeys.allSatisfy { resentMs[$0] != nil } }

  private mutating func judgeReturn(_ rule: ProducerRule, fromMs: Int64) {
    guard let stepBatch else { return }
    let missing = expectedKeys.count { resentMs[$0] == nil }
    if missing > 0 {
      let end = exit == nil ? "within \(nowMs - stepBatch.atMs) ms" : "before the process ended"
      return judge(rule, "\(missing) of \(expectedKeys.count) posts not resent \(end)")
    }
    let firstMs = resentMs.values.min().map { $0 - stepBatch.atMs } ?? fromMs
    judge(rule, firstMs < fromMs ? "resent after \(firstMs) ms" : nil)
  }

  private mutating func judgeSilence() {
    guard let stepBatch else { return }
    guard let reconnectedMs else {
      leaveOpen(.resendOnReconnect, "the producer did not reconnect")
      return judge(.reconnect, "no new connection within \(nowMs - stepBatch.atMs) ms without a reply")
    }
    let pauseMs = reconnectedMs - stepBatch.atMs
    let isEarly = pauseMs < Limits.livenessMs - ProducerSuite.earlyMs
    judge(.reconnect, isEarly ? "a new connection after \(pauseMs) ms" : nil)
    let missing = expectedKeys.count { resentMs[$0] == nil }
    let elapsedMs = nowMs - reconnectedMs
    let seen = "\(missing) of \(expectedKeys.count) posts not resent on the new connection within \(elapsedMs) ms"
    judge(.resendOnReconnect, missing == 0 ? nil : seen)
  }
}
