import Foundation
import Testing

@Suite("Simulation of a failover")
struct FailoverTests {
  private static let environment = ProcessInfo.processInfo.environment
  private static let parts: UInt64 = 4
  /// Maximum number of seeds per injected bug. Only every third seed has a database that can lose commits.
  private static let seedsPerBug: UInt64 = 200
  /// Number of seeds of each part. All parts together have 200 seeds, or a sixth of SIMULATION_SEEDS.
  private static let seedsPerPart =
    ((environment["SIMULATION_SEEDS"].flatMap(UInt64.init) ?? 1_200) / 6 + parts - 1) / parts
  private static let isReplay = environment["SIMULATION_SEED"] != nil

  /// True with SIMULATION_WORLD=failover: SIMULATION_SEED is a seed of this suite.
  static let isSelected = environment["SIMULATION_WORLD"] == "failover"

  private static func simulation(
    _ seed: UInt64, _ fixture: SimulationFixture, bug: FailoverBug? = nil, isTraced: Bool = false
  ) -> Simulation {
    Simulation(seed: seed, failover: Failover(seed: seed, bug: bug), fixture: fixture, isTraced: isTraced)
  }

  /// Returns the numbers of the faults of a run, and of their effects.
  private static func faults(_ run: Simulation) -> [String: Int] {
    guard let failover = run.failover else { return [:] }
    return [
      "takeovers": failover.takeovers, "releases": failover.releases,
      "commits of a suspended leader": failover.suspendedCommits, "unknown outcomes": failover.unknownOutcomes,
      "replays": failover.replays, "refused commits": failover.refusedCommits,
      "stops of the database": failover.databaseStops, "losses of the database": failover.losses,
    ]
  }

  @Test(
    "A change of the leader loses no confirmed post, repeats none, and keeps all lists equal to the database's",
    .enabled(if: !isReplay), arguments: 0..<parts)
  func failovers(part: UInt64) async throws {
    let fixture = try await SimulationFixture()
    var faults: [String: Int] = [:]
    for seed in part * Self.seedsPerPart..<(part + 1) * Self.seedsPerPart {
      let run = Self.simulation(seed, fixture)
      await run.run()
      #expect(
        run.ledger.violations.isEmpty,
        """
        make simulation SIMULATION_WORLD=failover SIMULATION_SEED=\(seed): \
        \(run.ledger.violations.joined(separator: "; "))
        """)
      faults.merge(Self.faults(run), uniquingKeysWith: +)
    }
    // Fewer seeds do not cover every fault.
    guard Self.seedsPerPart >= 50 else { return }
    #expect(faults.allSatisfy { $0.value > 1 }, "Some faults are too rare: \(faults).")
  }

  @Test("A seed determines a failover, to the last line of its trace", .enabled(if: !isReplay))
  func repeatable() async throws {
    let fixture = try await SimulationFixture()
    for seed: UInt64 in 0..<3 {
      var traces: [[String]] = []
      for _ in 0..<2 {
        let run = Self.simulation(seed, fixture, isTraced: true)
        await run.run()
        traces.append(run.traced)
      }
      let difference = zip(traces[0], traces[1]).first { $0 != $1 }
      #expect(traces[0].count > 100)
      #expect(traces[0] == traces[1], "The first difference: \(String(describing: difference))")
    }
  }

  @Test(
    "The simulation finds each injected bug of a replicated store", .enabled(if: !isReplay),
    arguments: FailoverBug.allCases)
  func injectedBugs(_ bug: FailoverBug) async throws {
    let fixture = try await SimulationFixture()
    var violation: String?
    for seed in 0..<Self.seedsPerBug where violation == nil {
      let run = Self.simulation(seed, fixture, bug: bug)
      await run.run()
      violation = run.ledger.violations.first
    }
    #expect(violation != nil, "\(bug) is not found in \(Self.seedsPerBug) seeds.")
  }

  @Test("The failover of SIMULATION_SEED violates no rule", .enabled(if: isReplay && isSelected))
  func replay() async throws {
    let seed = try #require(Self.environment["SIMULATION_SEED"].flatMap(UInt64.init))
    let bug = try Self.environment["SIMULATION_BUG"].map { name in
      try #require(
        FailoverBug(rawValue: name), "SIMULATION_BUG must be one of \(FailoverBug.allCases.map(\.rawValue)).")
    }
    let run = Self.simulation(seed, try await SimulationFixture(), bug: bug, isTraced: true)
    await run.run()
    FileHandle.standardError.write(Data(run.traced.map { $0 + "\n" }.joined().utf8))
    #expect(run.ledger.violations.isEmpty, "\(run.ledger.violations.joined(separator: "; "))")
  }
}
