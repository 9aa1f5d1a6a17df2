import Testing

@testable import Domain

@Suite("Post flow")
struct PostFlowTests {
  /// The pace at the last post of a few seconds at a steady rate. Each post settles when it arrives.
  private func pace(perSecond: Int, seconds: Int = 3) -> PostFlow.Pace {
    var flow = PostFlow()
    var nowMs: Int64 = 0
    for number in 0..<perSecond * seconds {
      nowMs = Int64(number * 1_000 / perSecond)
      flow.record(1, nowMs: nowMs)
      flow.record(1, nowMs: nowMs)
    }
    return flow.pace(nowMs: nowMs)
  }

  @Test(
    "The pace is heavy from 200 posts a second",
    arguments: [(1, .light), (6, .light), (180, .light), (220, .heavy), (500, .heavy)] as [(Int, PostFlow.Pace)])
  func rate(perSecond: Int, expected: PostFlow.Pace) { #expect(pace(perSecond: perSecond) == expected) }

  @Test("Each post of a batch counts for one second")
  func batch() {
    let limit = Limits.heavyPostsPerSecond
    for (posts, expected) in [(limit - 1, PostFlow.Pace.light), (limit, .heavy)] {
      var flow = PostFlow()
      flow.record(posts, nowMs: 10_000)
      flow.record(posts, nowMs: 10_000)
      #expect(flow.pace(nowMs: 10_000) == expected)
    }
    var flow = PostFlow()
    flow.record(1_000, nowMs: 10_000)
    for nowMs in stride(from: Int64(10_150), through: 12_100, by: 150) { flow.record(1, nowMs: nowMs) }
    #expect(flow.pace(nowMs: 12_100) == .light)
  }

  @Test("The pace is quiet at the start and 200 ms after the last post")
  func quiet() {
    var flow = PostFlow()
    #expect(flow.pace(nowMs: 0) == .quiet)
    flow.record(1_000, nowMs: 50)
    #expect(flow.pace(nowMs: 249) == .heavy && flow.pace(nowMs: 250) == .quiet)
    flow.record(1, nowMs: 60_000)
    #expect(flow.pace(nowMs: 60_000) == .light, "Posts of a minute ago do not count.")
  }
}
