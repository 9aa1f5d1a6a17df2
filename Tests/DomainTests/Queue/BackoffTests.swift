import Fuzzing
import Testing

@testable import Domain

@Suite("Retry backoff")
struct BackoffTests {
  @Test(
    "The longest pause doubles from 2 s to 15 min, with full jitter",
    arguments: [
      (-1, 2_000), (0, 2_000), (1, 2_000), (2, 4_000), (3, 8_000), (8, 256_000), (9, 512_000), (10, 900_000),
      (11, 900_000), (64, 900_000), (.max, 900_000),
    ] as [(Int, Int64)])
  func bounds(attempts: Int, capMs: Int64) {
    var random = SeededRandom(seed: 5)
    let pauses = (0..<4_000).map { _ in Backoff.pauseMs(attempts: attempts, using: &random) }
    #expect(pauses.allSatisfy { (1...capMs).contains($0) })
    // Full jitter: the pauses are uniform over the whole range.
    #expect((pauses.max() ?? 0) > capMs * 99 / 100)
    #expect((pauses.min() ?? .max) < capMs / 100)
    let meanMs = pauses.reduce(0, +) / Int64(pauses.count)
    #expect(abs(meanMs - capMs / 2) < capMs / 20)
  }

  @Test("The same seed gives the same pauses")
  func repeatable() {
    var (a, b) = (SeededRandom(seed: 9), SeededRandom(seed: 9))
    let first = (1...20).map { Backoff.pauseMs(attempts: $0, using: &a) }
    #expect(first == (1...20).map { Backoff.pauseMs(attempts: $0, using: &b) })
  }
}
