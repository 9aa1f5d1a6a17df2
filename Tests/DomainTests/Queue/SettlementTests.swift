import Fuzzing
import Testing

@testable import Domain

@Suite("Settlement of a result")
struct SettlementTests {
  private let reason = Verdict.Reason(code: "down", detail: "try again")

  private func dead(attempts: Int) -> Settlement { .dead(reason, attempts: attempts) }
  private func retry(attempts: Int, pauseMs: Int64) -> Settlement {
    .retry(attempts: attempts, pauseMs: pauseMs, reason: reason)
  }

  /// The settlement of one more failure, after a number of stored attempts.
  private func settled(
    _ kind: JobOutcome.Failure.Kind, attempts: Int, retryAfterMs: Int64 = 0, seed: UInt64 = 1
  ) -> Settlement {
    var random = SeededRandom(seed: seed)
    let failure = JobOutcome.Failure(kind: kind, code: "down", detail: "try again", retryAfterMs: retryAfterMs)
    return Settlement(of: .failed(failure), job: .post(1, attempts: attempts), using: &random)
  }

  @Test("A transient failure is retried with full jitter, and the eighth makes the job dead")
  func transient() {
    for seed: UInt64 in 1...200 {
      for attempts in 0...6 {
        let again = settled(.transient, attempts: attempts, seed: seed)
        guard case .retry(attempts + 1, let pauseMs, reason) = again else {
          Issue.record("failure \(attempts + 1) is not retried")
          continue
        }
        #expect((1...2_000 << attempts).contains(Int(pauseMs)))
      }
      #expect(settled(.transient, attempts: 7, seed: seed) == dead(attempts: 8))
      #expect(settled(.transient, attempts: 8, seed: seed) == dead(attempts: 9))
    }
  }

  @Test("A permanent failure makes the job dead, whatever pause the worker asks for", arguments: [0, 1, 7])
  func permanent(attempts: Int) {
    #expect(settled(.permanent, attempts: attempts) == dead(attempts: attempts + 1))
    #expect(settled(.permanent, attempts: attempts, retryAfterMs: 5_000) == dead(attempts: attempts + 1))
  }

  @Test("A job that was not started keeps its count of attempts, and waits at least 5 s", arguments: [0, 1, 6, 7])
  func notStarted(attempts: Int) {
    #expect(settled(.notStarted, attempts: attempts) == retry(attempts: attempts, pauseMs: 5_000))
    #expect(settled(.notStarted, attempts: attempts, retryAfterMs: 4_999) == retry(attempts: attempts, pauseMs: 5_000))
    #expect(settled(.notStarted, attempts: attempts, retryAfterMs: 5_001) == retry(attempts: attempts, pauseMs: 5_001))
  }

  @Test(
    "A longer pause that the worker asks for applies, up to 15 minutes",
    arguments: [
      (2_001, 2_001), (899_999, 899_999), (900_000, 900_000), (900_001, 900_000), (.max, 900_000),
    ] as [(Int64, Int64)])
  func retryAfter(requestedMs: Int64, pauseMs: Int64) {
    #expect(settled(.transient, attempts: 0, retryAfterMs: requestedMs) == retry(attempts: 1, pauseMs: pauseMs))
    let notStartedMs = max(pauseMs, 5_000)
    #expect(settled(.notStarted, attempts: 3, retryAfterMs: requestedMs) == retry(attempts: 3, pauseMs: notStartedMs))
  }

  @Test(
    "A shorter pause that the worker asks for does not shorten the backoff", arguments: [.min, -1, 0, 1] as [Int64])
  func shorterPause(requestedMs: Int64) {
    #expect(settled(.transient, attempts: 6, retryAfterMs: requestedMs) == settled(.transient, attempts: 6))
  }

  @Test("A located place is checked and an unknown one rejected, after any number of attempts", arguments: [0, 7])
  func verdict(attempts: Int) {
    var random = SeededRandom(seed: 1)
    let job = Job.post(1, attempts: attempts)
    let places = [Place.sample(59.9, 10.7), .sample(1, 1)]
    #expect(
      Settlement(of: .located(places), job: job, using: &random)
        == .verdict(PlacementCheck.verdict(place: "Oslo", coordinate: nil, found: places[0])))
    #expect(
      Settlement(of: .notFound, job: job, using: &random)
        == .verdict(PlacementCheck.verdict(place: "Oslo", coordinate: nil, found: nil)))
  }

  @Test("The settlement compares the client's coordinates with the place")
  func clientCoordinates() {
    var random = SeededRandom(seed: 1)
    let job = Job(
      id: JobID(rawValue: 1), account: AccountID(rawValue: 1), query: "Oslo", clientCoordinate: .at(-59.9, 10.7))
    guard
      case .verdict(.published(let published)) = Settlement(
        of: .located([.sample(59.9, 10.7)]), job: job, using: &random)
    else {
      Issue.record("the post is not published")
      return
    }
    #expect(published.agreement == .mismatch)
    #expect(published.coordinate == .at(-59.9, 10.7))
  }
}
