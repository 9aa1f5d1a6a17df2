import Fuzzing
import Testing

@testable import Domain

@Suite("When a subscriber joins")
struct JoinBackoffTests {
  private var random = SeededRandom(seed: 1)
  private var schedule = JoinBackoff(joinedMs: 0)

  /// The latest of a thousand joins after a loss, each counted from its loss, each in the state of now.
  private mutating func latestMs() -> Int64 {
    var latestMs: Int64 = 0
    for _ in 0..<1_000 {
      var copy = schedule
      copy.desynced(nowMs: 5_000, using: &random)
      #expect(copy.dueMs >= 5_000)
      latestMs = max(latestMs, copy.dueMs - 5_000)
    }
    return latestMs
  }

  @Test("The range of the first join is 500 ms, and doubles with each loss up to 30 s, whatever joins are in between")
  mutating func doubling() {
    for rangeMs: Int64 in [500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000] {
      let latestMs = latestMs()
      #expect(latestMs < rangeMs && latestMs > rangeMs * 98 / 100)
      schedule.desynced(nowMs: 0, using: &random)
      for _ in 0..<5 { schedule.joined(nowMs: 0) }
    }
    schedule.listReceived()
    #expect(latestMs() < 500)
  }

  @Test("A join that brings no list is repeated after the range of its loss, three seconds at least")
  mutating func repeated() {
    #expect(schedule.dueMs == 3_000, "The first join has no loss before it.")
    for waitMs: Int64 in [3_000, 3_000, 3_000, 4_000, 8_000, 16_000, 30_000, 30_000] {
      schedule.desynced(nowMs: 0, using: &random)
      for joinMs: Int64 in [10_000, 20_000, 90_000] {
        schedule.joined(nowMs: joinMs)
        #expect(schedule.dueMs == joinMs + waitMs)
      }
    }
    schedule.listReceived()
    schedule.joined(nowMs: 0)
    #expect(schedule.dueMs == 3_000)
  }

  @Test("No join comes before the time at which a feed that has ended may be back")
  mutating func pause() {
    schedule.desynced(nowMs: 0, using: &random)
    schedule.pause(untilMs: 5_000)
    #expect(schedule.dueMs == 5_000)
    schedule.pause(untilMs: 4_000)
    #expect(schedule.dueMs == 5_000)
  }
}
