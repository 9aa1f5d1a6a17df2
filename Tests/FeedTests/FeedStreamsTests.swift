import NIOCore
import Testing

@testable import Feed

@Suite("When streams are written to")
struct FeedStreamsTests {
  @Test(
    "From one event to the next it is 50 ms, or twice as long as the one took, and never more than a second",
    arguments: [
      (0, 50), (25, 50), (26, 52), (499, 998), (500, 1_000), (501, 1_000), (3_600_000, 1_000),
    ] as [(Int64, Int64)])
  func pause(tookMs: Int64, pauseMs: Int64) {
    #expect(FeedStreams.pause(after: .milliseconds(tookMs)) == .milliseconds(pauseMs))
  }
}
