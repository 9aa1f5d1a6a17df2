import Domain
import Testing

@Suite("The token bucket")
struct TokenBucketTests {
  @Test("A second's worth is there at once, then as much as has come in")
  func burst() {
    var bucket = TokenBucket(perSecond: 200)
    #expect(bucket.take(150, nowMs: 1_000) == 150)
    #expect(bucket.take(150, nowMs: 1_000) == 50)
    #expect(bucket.take(1, nowMs: 1_004) == 0)
    #expect(bucket.take(1, nowMs: 1_005) == 1)
    #expect(bucket.take(100, nowMs: 1_255) == 50)
  }

  @Test("It holds no more than a second's worth, and a clock that stands still brings nothing")
  func full() {
    var bucket = TokenBucket(perSecond: 10)
    #expect(bucket.take(100, nowMs: 3_600_000) == 10)
    #expect(bucket.take(100, nowMs: 3_600_000) == 0)
    #expect(bucket.take(100, nowMs: 3_599_000) == 0)
  }
}
