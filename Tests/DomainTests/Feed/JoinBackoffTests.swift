import Fuzzing
import Testing

@testable import Domain

@Suite("Join backoff of a subscriber")
struct JoinBackoffTests {
  private var random = SeededRandom(seed: 1)
  private var backoff = JoinBackoff(joinedMs: 0)

  /// Returns the longest pause of a thousand joins after a desync, each from the current state, in milliseconds.
  private mutating func latestMs() -> Int64 {
    var latestMs: Int64 = 0
    for _ in 0..<1_000 {
      var copy = backoff
      copy.desynced(nowMs: 5_000, using: &random)
      #expect(copy.dueMs >= 5_000)
      latestMs = max(latestMs, copy.dueMs - 5_000)
    }
    return latestMs
  }

  @Test("The join range starts at 500 ms and doubles with each desync up to 30 s, despite joins")
  mutating func doubling() {
    for rangeMs: Int64 in [500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000] {
      let latestMs = latestMs()
      #expect(latestMs < rangeMs && latestMs > rangeMs * 98 / 100)
      backoff.desynced(nowMs: 0, using: &random)
      for _ in 0..<5 { backoff.joined(nowMs: 0) }
    }
    backoff.listReceived()
    #expect(latestMs() < 500)
  }

  @Test("A join without a snapshot is repeated after the join range, but not before three seconds")
  mutating func repeated() {
    #expect(backoff.dueMs == 3_000, "No desync comes before the first join.")
    for waitMs: Int64 in [3_000, 3_000, 3_000, 4_000, 8_000, 16_000, 30_000, 30_000] {
      backoff.desynced(nowMs: 0, using: &random)
      for joinMs: Int64 in [10_000, 20_000, 90_000] {
        backoff.joined(nowMs: joinMs)
        #expect(backoff.dueMs == joinMs + waitMs)
      }
    }
    backoff.listReceived()
    backoff.joined(nowMs: 0)
    #expect(backoff.dueMs == 3_000)
  }

  @Test("A join waits for the announced return of a feed that said goodbye")
  mutating func pause() {
    backoff.desynced(nowMs: 0, using: &random)
    backoff.pause(untilMs: 5_000)
    #expect(backoff.dueMs == 5_000)
    backoff.pause(untilMs: 4_000)
    #expect(backoff.dueMs == 5_000)
  }
}
