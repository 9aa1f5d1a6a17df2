import Domain
import Testing

@testable import LoadTest
@testable import Messaging

@Suite("Load test producer")
struct ProducerTests {
  private let plan = LoadPlan(rate: 100, seconds: 1, run: "0123abcd", seed: 1, places: .lines(["Seattle"]))
  private let tally = Tally(posts: 100)

  /// Creates a producer.
  ///
  /// - Parameter ago: Age of the first post's due time, in seconds.
  private func producer(startedAgo ago: Double, batchMax: Int = 64, drainTimeoutSeconds: Int = 60) -> Producer {
    let startNs = RunClock.nowNs - Int64(ago * 1e9)
    return Producer(
      plan: plan, schedule: Schedule(plan, startNs: startNs, drainTimeoutSeconds: drainTimeoutSeconds), tally: tally,
      batchMax: batchMax)
  }

  private func batch(_ next: SubmitClient.Next) throws -> (id: UInt64, posts: [SubmittedPost]) {
    guard case .batch(let id, let posts) = next else { throw NoBatch() }
    return (id, posts)
  }

  private struct NoBatch: Error {}

  private func id(_ number: Int) throws -> PostID { try #require(PostID(rawValue: UInt64(number) + 1)) }

  @Test("The producer sends due posts in full batches, then the rest, each post once")
  func batches() throws {
    let producer = producer(startedAgo: 2, batchMax: 30)
    var posts: [SubmittedPost] = []
    for (number, count) in zip(UInt64(1)..., [30, 30, 30, 10]) {
      let next = try batch(producer.next(nowMs: 0))
      #expect(next.id == number && next.posts.count == count)
      posts += next.posts
    }
    guard case .over = producer.next(nowMs: 0) else {
      Issue.record("The producer sends more posts than the plan has.")
      return
    }
    #expect(posts.map(\.idempotencyKey) == (0..<100).map(plan.idempotencyKey))
    #expect(posts.map(\.link) == (0..<100).map(plan.link))
    #expect(tally.counts.sent == 100 && tally.counts.late > 90)
  }

  @Test("The producer pauses until the next post is due")
  func pause() {
    let startNs = RunClock.nowNs
    guard case .pause(let untilMs) = producer(startedAgo: -3_600).next(nowMs: 1_000) else {
      Issue.record("The producer does not pause.")
      return
    }
    // An hour, less the time that the test itself took, rounded up.
    let spentMs = (RunClock.nowNs - startNs) / 1_000_000 + 1
    #expect((3_601_000 - spentMs...3_601_000).contains(untilMs))
  }

  @Test("Receipts are counted, and only busy posts are resent, after their pause")
  func receipts() throws {
    let producer = producer(startedAgo: 2, batchMax: 100)
    let all = try batch(producer.next(nowMs: 0))
    let refusal = SubmitRefusal(code: "busy", detail: "later")
    let receipts: [SubmitReceipt] = try (0..<100).map { number in
      switch number {
      case 0: .busy(refusal, retryAfterMs: 0)
      case 1: .busy(refusal, retryAfterMs: 60_000)
      case 2: .refused(SubmitRefusal(code: "invalid_place", detail: ""))
      case 3: .replayed(try id(number))
      default: .accepted(try id(number))
      }
    }
    producer.handle(.receipts(all.id, receipts))
    #expect(tally.counts.accepted == 97 && tally.counts.refusals == ["invalid_place": 1] && !producer.isDone)
    var again: SubmitClient.Next
    // The shortest pause is one millisecond.
    repeat { again = producer.next(nowMs: 0) } while (try? batch(again)) == nil
    let second = try batch(again)
    #expect(second.posts.map(\.idempotencyKey) == [plan.idempotencyKey(0)] && second.id != all.id)
    producer.handle(.receipts(second.id, [.accepted(try id(0))]))
    #expect(tally.counts.accepted == 98 && tally.counts.retried == 1 && tally.counts.errors == 2)
    #expect(!producer.isDone, "One post must still wait its minute.")
    producer.recordUnanswered()
    #expect(tally.counts.unanswered == 1)
  }

  @Test("After its deadline the producer sends nothing and counts unanswered posts")
  func over() throws {
    let early = producer(startedAgo: 0.5, drainTimeoutSeconds: 3_600)
    let sent = try batch(early.next(nowMs: 0)).posts.count
    #expect((1...64).contains(sent) && !early.isDone)
    early.recordUnanswered()
    #expect(tally.counts.unanswered == sent)
    let late = producer(startedAgo: 3, drainTimeoutSeconds: 1)
    guard case .over = late.next(nowMs: 0) else {
      Issue.record("The producer sends after its deadline.")
      return
    }
    #expect(late.isDone)
  }

  @Test("A refusal of a whole batch refuses each of its posts, and a resent batch counts as retries")
  func whole() throws {
    let producer = producer(startedAgo: 2, batchMax: 100)
    let all = try batch(producer.next(nowMs: 0))
    producer.handle(.repeated(all.id, reason: "no reply"))
    #expect(tally.counts.retried == 100 && tally.counts.errorKinds == ["no reply": 1])
    producer.handle(.refused(all.id, SubmitRefusal(code: "session_required", detail: "")))
    #expect(tally.counts.refused == 100 && producer.isDone)
  }
}
