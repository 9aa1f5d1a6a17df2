import Foundation
import Glibc
import Testing

/// An upgrade of a deployment by deploy/Upgrade.md, during posts and reads over both gateways. The services restart one
/// after the other, then the standby servers of PostgreSQL. Then a standby server gets the primary's role.
///
/// A request that fails is repeated, but it counts. No failure is expected, whatever its cause.
struct UpgradeRun: Sendable {
  private let trial: FailoverTrial
  private var deployment: FailoverDeployment { trial.deployment }

  /// The number of successive upgrades. After the first one, the other ingest leads, at the second address of its
  /// clients.
  private static let upgrades = Fault.isFull ? 2 : 1
  /// The number of posts after each step, so that one step ends before the next one begins.
  private static let postsBetweenSteps = Fault.isFull ? FailoverRun.rate : FailoverRun.rate / 4
  /// The number of connections that read.
  private static let readers = Fault.isFull ? 8 : 4
  /// The longest pause between two acknowledged posts. Tests of `make test` share the machine with others.
  private static let gapMax = Duration.seconds(Fault.isFull ? 10 : 60)

  private init(_ trial: FailoverTrial) { self.trial = trial }

  /// Runs the upgrades, and expects that no request fails and no acknowledged post is lost or doubled.
  static func run() async throws {
    try await FailoverTrial.with(FailoverDeployment(holdsSockets: true)) { trial in
      let run = UpgradeRun(trial)
      let reads = ReadLoad(beside: trial.load, connections: readers)
      defer { reads.end() }
      try await run.step("start") { _ in }
      for _ in 0..<upgrades {
        try await run.upgradeServices()
        try await run.upgradeDatabase()
      }
      try await reads.finish()
      try await trial.load.finish()
      try await run.expectWhole(reads)
    }
  }

  private func upgradeServices() async throws {
    for program in deployment.workers + deployment.feeds {
      try await step("\(program)") { try await $0.restart(program) }
    }
    let leader = try deployment.leader
    for (name, ingest) in [("standby ingest", 1 - leader), ("leading ingest", leader)] {
      try await step(name) { run in
        try await run.deployment.restart(ingest: ingest)
        try await run.waitForIngest()
      }
    }
    #expect(try deployment.leader == 1 - leader, "The leader must change.")
    for gateway in deployment.gateways {
      try await step("\(gateway)") { run in
        try await run.restart(gateway)
        try await run.waitForIngest()
      }
    }
  }

  private func upgradeDatabase() async throws {
    try await step("standby servers") { try await $0.deployment.restartStandbys() }
    let (former, repetitions) = (deployment.primary, deployment.repetitionCount)
    try await step("switchover of the database") { try await $0.deployment.switchOver() }
    #expect(deployment.primary !== former, "The primary must change.")
    #expect(deployment.repetitionCount > repetitions, "The switchover must interrupt a commit.")
  }

  /// Runs a step until posts go on, and prints its longest gap.
  private func step(_ name: String, _ body: (UpgradeRun) async throws -> Void) async throws {
    let begun = ContinuousClock.now
    try await body(self)
    try await trial.load.ledger.advance(by: Self.postsBetweenSteps)
    if Fault.isFull { Fault.printLine("upgrade: \(name): longest gap \(trial.load.longestGap(since: begun))") }
  }

  private func restart(_ program: Program) async throws {
    program.signal(SIGTERM)
    #expect(try await program.exit() == 0, "\(program) must end gracefully.")
    try await program.startAndWait()
    try await program.waitUntilReady()
  }

  /// Waits until each gateway reaches the leader. A gateway that restarts earlier would end its held requests with 503.
  ///
  /// The gateways' own readiness would not do, because they notice the end of a leader after 2 s.
  private func waitForIngest() async throws {
    for port in try deployment.gatewayPorts {
      let gateway = Client("http://127.0.0.1:\(port)")
      try await eventually("\(gateway.base) reaches ingest") { (try? await gateway.get("/livez"))?.status == 204 }
    }
  }

  private func expectWhole(_ reads: ReadLoad) async throws {
    let content = try await trial.expectWhole()
    #expect(trial.load.failures.isEmpty, "Posts failed: \(trial.load.failures)")
    #expect(reads.failures.isEmpty, "Reads failed: \(reads.failures)")
    for kind in ReadLoad.Kind.allCases { #expect(reads.counts[kind, default: 0] > 0, "No \(kind) was read.") }
    #expect(content.epoch == trial.epoch && trial.history.epochs == [trial.epoch] && deployment.lossCount == 0)
    #expect(trial.load.longestGap <= Self.gapMax, "Posts must continue.")
    let failures = [trial.load.failures, reads.failures].flatMap(\.values).reduce(0, +)
    Fault.printLine(
      "upgrades of all services with switchovers of the database: \(Self.upgrades): \(trial.summary), "
        + "\(reads.counts.values.reduce(0, +)) reads, \(failures) requests failed")
  }
}
