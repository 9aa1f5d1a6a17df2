import Testing

@testable import Domain

@Suite("Pace of posts")
struct PostFlowTests {
  /// The pace at the last post of some seconds with so many posts each, which all settle at once.
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
    "Posts are heavy work from two hundred a second",
    arguments: [(1, .light), (6, .light), (180, .light), (220, .heavy), (500, .heavy)] as [(Int, PostFlow.Pace)])
  func rate(perSecond: Int, expected: PostFlow.Pace) { #expect(pace(perSecond: perSecond) == expected) }

  @Test("A batch counts as its posts, until a second later, at the edge of the limit")
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

  @Test("Without a post for 200 ms it is quiet, however many came before; so it is at the start")
  func quiet() {
    var flow = PostFlow()
    #expect(flow.pace(nowMs: 0) == .quiet)
    flow.record(1_000, nowMs: 50)
    #expect(flow.pace(nowMs: 249) == .heavy && flow.pace(nowMs: 250) == .quiet)
    flow.record(1, nowMs: 60_000)
    #expect(flow.pace(nowMs: 60_000) == .light, "What came a minute ago does not count.")
  }
}
