import Domain
import Testing

@Suite("Token bucket")
struct TokenBucketTests {
  @Test("A bucket starts full and refills at its rate")
  func burst() {
    var bucket = TokenBucket(perSecond: 200)
    #expect(bucket.consume(150, nowMs: 1_000) == 150)
    #expect(bucket.consume(150, nowMs: 1_000) == 50)
    #expect(bucket.consume(1, nowMs: 1_004) == 0)
    #expect(bucket.consume(1, nowMs: 1_005) == 1)
    #expect(bucket.consume(100, nowMs: 1_255) == 50)
  }

  @Test("A bucket holds at most its capacity, and gains nothing while the clock stands still or goes back")
  func full() {
    var bucket = TokenBucket(perSecond: 10)
    #expect(bucket.consume(100, nowMs: 3_600_000) == 10)
    #expect(bucket.consume(100, nowMs: 3_600_000) == 0)
    #expect(bucket.consume(100, nowMs: 3_599_000) == 0)
  }

  @Test("A full bucket serves a request above its capacity, and is in debt afterwards")
  func debt() {
    var bucket = TokenBucket(tokens: 1, periodMs: 10, capacity: 5)
    #expect(bucket.consumeAll(20, nowMs: 0) == 0)
    #expect(bucket.pauseMs(nowMs: 0) == 160 && bucket.consume(1, nowMs: 159) == 0 && bucket.consume(1, nowMs: 160) == 1)
    #expect(bucket.consumeAll(20, nowMs: 209) == 1 && bucket.consumeAll(20, nowMs: 210) == 0)
  }

  @Test("consumeAll consumes all wanted tokens or none, and returns the time to wait")
  func allOrNone() {
    var bucket = TokenBucket(tokens: 3, periodMs: 10, capacity: 3)
    #expect(bucket.consumeAll(2, nowMs: 0) == 0)
    #expect(bucket.consumeAll(2, nowMs: 0) == 4, "One token is missing, and 10 ms bring three.")
    #expect(bucket.consume(3, nowMs: 0) == 1)
  }

  @Test("Refunded tokens are available again, up to the capacity")
  func refund() {
    var bucket = TokenBucket(tokens: 1, periodMs: 10, capacity: 5)
    #expect(bucket.consume(5, nowMs: 0) == 5 && !bucket.isFull(nowMs: 49))
    bucket.refund(2)
    #expect(bucket.consume(5, nowMs: 0) == 2)
    bucket.refund(100)
    #expect(bucket.isFull(nowMs: 0) && bucket.consume(9, nowMs: 0) == 5)
    #expect(bucket.isFull(nowMs: .max))
  }
}
