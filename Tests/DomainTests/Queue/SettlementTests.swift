import Fuzzing
import Testing

@testable import Domain

@Suite("What becomes of a job that a worker has answered")
struct SettlementTests {
  private let reason = Verdict.Reason(code: "down", detail: "try again")

  private func dead(attempts: Int) -> Settlement { .dead(reason, attempts: attempts) }
  private func retry(attempts: Int, pauseMs: Int64) -> Settlement {
    .retry(attempts: attempts, pauseMs: pauseMs, reason: reason)
  }

  /// After so many failures on disk, what a further one leads to.
  private func settled(
    _ kind: JobOutcome.Failure.Kind, attempts: Int, retryAfterMs: Int64 = 0, seed: UInt64 = 1
  ) -> Settlement {
    var random = SeededRandom(seed: seed)
    let failure = JobOutcome.Failure(kind: kind, code: "down", detail: "try again", retryAfterMs: retryAfterMs)
    return Settlement(of: .failed(failure), job: .post(1, attempts: attempts), using: &random)
  }

  @Test("Failures are tried again, at random up to a pause that doubles, and the eighth is the last")
  func transient() {
    for seed: UInt64 in 1...200 {
      for attempts in 0...6 {
        let again = settled(.transient, attempts: attempts, seed: seed)
        guard case .retry(attempts + 1, let pauseMs, reason) = again else {
          Issue.record("failure \(attempts + 1) is not tried again as such")
          continue
        }
        #expect((1...2_000 << attempts).contains(Int(pauseMs)))
      }
      #expect(settled(.transient, attempts: 7, seed: seed) == dead(attempts: 8))
      #expect(settled(.transient, attempts: 8, seed: seed) == dead(attempts: 9))
    }
  }

  @Test("A permanent failure counts, and is the last, whatever pause the worker asks for", arguments: [0, 1, 7])
  func permanent(attempts: Int) {
    #expect(settled(.permanent, attempts: attempts) == dead(attempts: attempts + 1))
    #expect(settled(.permanent, attempts: attempts, retryAfterMs: 5_000) == dead(attempts: attempts + 1))
  }

  @Test("What was not started does not count, and waits for five seconds at least", arguments: [0, 1, 6, 7])
  func notStarted(attempts: Int) {
    #expect(settled(.notStarted, attempts: attempts) == retry(attempts: attempts, pauseMs: 5_000))
    #expect(settled(.notStarted, attempts: attempts, retryAfterMs: 4_999) == retry(attempts: attempts, pauseMs: 5_000))
    #expect(settled(.notStarted, attempts: attempts, retryAfterMs: 5_001) == retry(attempts: attempts, pauseMs: 5_001))
  }

  @Test(
    "A pause that the worker asks for counts where it is longer, up to 15 minutes",
    arguments: [
      (2_001, 2_001), (899_999, 899_999), (900_000, 900_000), (900_001, 900_000), (.max, 900_000),
    ] as [(Int64, Int64)])
  func retryAfter(askedMs: Int64, pauseMs: Int64) {
    #expect(settled(.transient, attempts: 0, retryAfterMs: askedMs) == retry(attempts: 1, pauseMs: pauseMs))
    let notStartedMs = max(pauseMs, 5_000)
    #expect(settled(.notStarted, attempts: 3, retryAfterMs: askedMs) == retry(attempts: 3, pauseMs: notStartedMs))
  }

  @Test("A shorter pause than its own does not hurry a job", arguments: [.min, -1, 0, 1] as [Int64])
  func noHurry(askedMs: Int64) {
    #expect(settled(.transient, attempts: 6, retryAfterMs: askedMs) == settled(.transient, attempts: 6))
  }

  @Test("A place is checked, and an unknown one rejected, however often the job has failed", arguments: [0, 7])
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

  @Test("Coordinates that the client gave are compared with the place")
  func given() {
    var random = SeededRandom(seed: 1)
    let job = Job(
      id: JobID(rawValue: 1), account: AccountID(rawValue: 1), query: "Oslo", given: .at(-59.9, 10.7))
    guard
      case .verdict(.published(let published)) = Settlement(
        of: .located([.sample(59.9, 10.7)]), job: job, using: &random)
    else {
      Issue.record("it is not published")
      return
    }
    #expect(published.agreement == .mismatch)
    #expect(published.coordinate == .at(-59.9, 10.7))
  }
}
