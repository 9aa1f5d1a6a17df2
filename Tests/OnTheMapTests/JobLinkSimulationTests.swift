import Testing

@testable import OnTheMap

@Suite("The job link under trouble")
struct JobLinkSimulationTests {
  private static let runsPerCase: UInt64 = 20

  @Test(
    "No job is lost, each is settled once, and no worker holds more than its window", arguments: 0..<12 as Range<UInt64>
  )
  func simulation(part: UInt64) {
    var restarts = 0
    for seed in part * Self.runsPerCase..<(part + 1) * Self.runsPerCase {
      var run = JobLinkSimulation(seed: seed, jobs: 60)
      run.run(troubleMs: 20_000, calmMs: 120_000)
      #expect(run.complaints.isEmpty, "seed \(seed): \(run.complaints.joined(separator: "; "))")
      restarts += run.restarts
    }
    #expect(restarts > 3 * Int(Self.runsPerCase), "The trouble was none.")
  }

  @Test("The same seed is the same run")
  func repeatable() {
    let runs = (0..<2).map { _ in
      var run = JobLinkSimulation(seed: 4_711, jobs: 40)
      run.run(troubleMs: 20_000, calmMs: 0)
      return run.settled.map(\.rawValue).sorted()
    }
    #expect(runs[0] == runs[1])
    #expect(!runs[0].isEmpty)
  }
}
