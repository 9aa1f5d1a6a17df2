import Foundation
import Synchronization
import Testing

@Suite("Simulation")
struct SimulationTests {
  private static let parts: UInt64 = 4
  /// Maximum number of seeds per injected bug. The rarest one, a start of ingest during a pause, needs about 50.
  private static let seedsPerCanary: UInt64 = 200
  /// Seeds of each part: 1,200 seeds in total, or SIMULATION_SEEDS.
  private static let seedsPerPart =
    (ProcessInfo.processInfo.environment["SIMULATION_SEEDS"].flatMap(UInt64.init) ?? 1_200) / parts

  /// With SIMULATION_STOPS no seed runs above the lowest one with a violation.
  private static let stops = ProcessInfo.processInfo.environment["SIMULATION_STOPS"] != nil
  private static let lowest = Mutex(UInt64.max)

  /// Sums of crashes and troubles over all runs of a part.
  private struct Tally {
    var crashes: [CrashPoint: Int] = [:]
    var troubles: [String: Int] = [:]

    mutating func add(_ run: Simulation) {
      crashes.merge(run.crashes, uniquingKeysWith: +)
      let troubles = [
        "drains": run.drains, "pauses": run.pauses, "refusals": run.refusals, "refused deaths": run.refusedBurials,
        "freezes": run.freezes,
        "hangs": run.hangs,
        "deletions": run.deletions, "backfills": run.followers, "edits": run.edits, "settled deleted posts": run.voids,
        "epochs": run.epochs, "damages": run.damages, "feed crashes": run.feedEnds, "dead connections": run.deaths,
        "lost": run.network.lost, "repeated": run.network.doubled, "resyncs": run.subscriber.resyncs,
      ]
      self.troubles.merge(troubles, uniquingKeysWith: +)
    }
  }

  private static var isReplay: Bool { ProcessInfo.processInfo.environment["SIMULATION_SEED"] != nil }

  @Test(
    "The system loses no accepted post, settles each once, and all lists equal the store's",
    .enabled(if: !isReplay), arguments: 0..<parts)
  func everything(part: UInt64) async throws {
    let stage = try await SimulationFixture()
    var tally = Tally()
    for seed in part * Self.seedsPerPart..<(part + 1) * Self.seedsPerPart {
      guard !Self.stops || seed < Self.lowest.withLock({ $0 }) else { return }
      let run = Simulation(seed: seed, stage: stage)
      await run.run()
      if !run.ledger.violations.isEmpty { Self.lowest.withLock { $0 = min($0, seed) } }
      #expect(
        run.ledger.violations.isEmpty,
        "SIMULATION_SEED=\(seed) swift test --filter SimulationTests: \(run.ledger.violations.joined(separator: "; "))")
      tally.add(run)
    }
    // Fewer seeds do not cover every crash point and trouble.
    guard Self.seedsPerPart >= 300 else { return }
    for point in CrashPoint.allCases { #expect(tally.crashes[point] ?? 0 > 0, "No run crashed at \(point).") }
    #expect(tally.troubles.allSatisfy { $0.value > 5 }, "Some troubles are too rare: \(tally.troubles).")
  }

  @Test("A seed determines a run, to the last line of its trace")
  func repeatable() async throws {
    let stage = try await SimulationFixture()
    for seed: UInt64 in 1...3 {
      var traces: [[String]] = []
      for _ in 0..<2 {
        let run = Simulation(seed: seed, stage: stage, isTraced: true)
        await run.run()
        traces.append(run.traced)
      }
      let difference = zip(traces[0], traces[1]).first { $0 != $1 }
      #expect(traces[0].count > 100)
      #expect(traces[0] == traces[1], "\(String(describing: difference))")
    }
  }

  @Test("The simulation finds each injected bug", arguments: InjectedBug.allCases)
  func canary(_ canary: InjectedBug) async throws {
    let stage = try await SimulationFixture()
    var complaint: String?
    for seed in 0..<Self.seedsPerCanary where complaint == nil {
      let run = Simulation(seed: seed, canary: canary, stage: stage)
      await run.run()
      complaint = run.ledger.violations.first
    }
    #expect(complaint != nil, "\(canary) is not found in \(Self.seedsPerCanary) seeds.")
  }

  @Test("The run of SIMULATION_SEED violates no rule", .enabled(if: isReplay))
  func replay() async throws {
    let seed = try #require(ProcessInfo.processInfo.environment["SIMULATION_SEED"].flatMap(UInt64.init))
    let canary = ProcessInfo.processInfo.environment["SIMULATION_CANARY"].flatMap(InjectedBug.init)
    let run = Simulation(seed: seed, canary: canary, stage: try await SimulationFixture(), isTraced: true)
    await run.run()
    FileHandle.standardError.write(Data(run.traced.map { $0 + "\n" }.joined().utf8))
    #expect(run.ledger.violations.isEmpty)
  }
}
