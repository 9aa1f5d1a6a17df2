import Testing

@testable import Domain

@Suite("Rate meter")
struct RateMeterTests {
  @Test("An unused meter reads 0 a second")
  func empty() {
    var meter = RateMeter()
    #expect(meter.reading(nowMs: 99_000) == .init())
    meter.add(0, nowMs: 1)
    #expect(meter == RateMeter())
  }

  @Test("The rate averages the last ten full seconds, or all full seconds so far")
  func window() {
    var meter = RateMeter()
    for nowMs in stride(from: Int64(5_000), to: 35_000, by: 100) {
      meter.add(7, nowMs: nowMs)
      if nowMs >= 6_000 { #expect(meter.reading(nowMs: nowMs).perSecond == 70, "at \(nowMs) ms") }
    }
    #expect(meter.total == 2_100)
    // The current second does not count, because it is incomplete.
    #expect(meter.reading(nowMs: 34_999).perSecond == 70)
    #expect(meter.reading(nowMs: 35_000).perSecond == 70)
    for (passed, rate) in [(1, 63.0), (5, 35.0), (9, 7.0), (10, 0.0), (11, 0.0), (1_000, 0.0)] {
      #expect(meter.reading(nowMs: 35_000 + Int64(passed) * 1_000).perSecond == rate, "\(passed) s later")
    }
  }

  @Test("Events before a silence longer than the window do not count", arguments: [10, 11, 12, 22, 1_000])
  func silence(seconds: Int64) {
    var meter = RateMeter()
    meter.add(1_000, nowMs: 0)
    meter.add(1_000, nowMs: 3_000)
    let nowMs = (3 + seconds) * 1_000
    meter.add(20, nowMs: nowMs)
    #expect(meter.reading(nowMs: nowMs + 1_000).perSecond == (seconds < 10 ? 102 : 2))
    #expect(meter.total == 2_020)
  }
}
