import Testing

@testable import Feed

@Suite("Metrics of the feed")
struct FeedMetersTests {
  @Test("The reply age counts from the last reply of ingest, or from the start without a reply")
  func replyAge() {
    let meters = FeedMeters(nowMs: 1_000)
    #expect(meters.replyAgeMs(nowMs: 1_000) == 0 && meters.replyAgeMs(nowMs: 76_000) == 75_000)
    meters.recordReply(nowMs: 80_000)
    #expect(meters.replyAgeMs(nowMs: 80_500) == 500)
    // The reactor may record a reply while a scrape with an earlier time is in progress.
    #expect(meters.replyAgeMs(nowMs: 79_999) == 0)
  }
}
