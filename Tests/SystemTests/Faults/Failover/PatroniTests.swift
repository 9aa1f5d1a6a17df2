import Foundation
import Glibc
import Testing

/// A run of the deployment on three hosts with Patroni, through the events of a cluster's life.
@Suite("Failover by Patroni", .fixture)
struct PatroniTests {
  private static let isEnabled = ProcessInfo.processInfo.environment["FAILOVER"] != nil
  /// Posts per second. Patroni and etcd need time on the same machine.
  private static let rate = 200
  /// The time without etcd. The primary's lease ends before.
  private static let absence = Duration.seconds(40)

  @Test(
    "No acknowledged post is lost or doubled when Patroni loses hosts and etcd, switches over and rebuilds a server",
    .enabled(if: isEnabled, "only in full runs: make failover"))
  func failover() async throws {
    try #require(PatroniCluster.isInstalled, "Patroni or etcd is missing: run deploy/setup.sh failover.")
    let cluster = try await PatroniCluster()
    SystemFixture.current.keep(cluster)
    let deployment = try await FailoverDeployment(ports: cluster.ports, database: cluster.database)
    try await FailoverTrial.with(deployment, rate: Self.rate) { trial in
      let run = Run(cluster: cluster, trial: trial)
      try await trial.load.ledger.advance(by: Self.rate)
      let lost = try await run.killHost()
      try await run.suspendEtcd()
      try await run.switchOver()
      try await run.rebuild(lost)
      try await run.replaceStandby(by: lost.node)
      try await trial.load.finish()
      let content = try await trial.expectWhole()
      #expect(content.epoch == trial.epoch && trial.deployment.lossCount == 0, "Patroni must lose no commit.")
      Fault.printLine("patroni: \(trial.summary), \(trial.deployment.repetitionCount) commits repeated")
    }
  }

  /// The host of a primary and of an ingest.
  private struct Host {
    let node: PatroniNode
    let ingest: Int
  }

  /// The phases of the run. Posts go on during all of them.
  private struct Run {
    let cluster: PatroniCluster
    let trial: FailoverTrial

    /// Kills the primary, its Patroni and the leading ingest. The host stays away.
    func killHost() async throws -> Host {
      let lost = Host(node: try await primary(), ingest: try trial.deployment.leader)
      try await phase("host killed", gapMax: .seconds(60)) {
        trial.deployment.hold(lost.ingest)
        trial.deployment.ingests[lost.ingest].signal(SIGKILL)
        try await lost.node.kill()
        _ = try await cluster.waitForPrimary(otherThan: lost.node)
      }
      return lost
    }

    /// Stops etcd. Patroni then demotes the primary, because it cannot know whether another one is promoted.
    func suspendEtcd() async throws {
      try await cluster.waitForStandby()
      try await phase("etcd away for \(PatroniTests.absence)", gapMax: PatroniTests.absence + .seconds(40)) {
        cluster.etcd.signal(SIGSTOP)
        try await Task.sleep(for: PatroniTests.absence)
        #expect(try await cluster.primary() == nil, "Without etcd, no server may accept writes.")
        cluster.etcd.signal(SIGCONT)
      }
    }

    /// Lets Patroni change the roles of the two remaining servers.
    func switchOver() async throws {
      let candidate = try await cluster.waitForStandby()
      let former = try await primary()
      try await phase("switchover", gapMax: .seconds(30)) {
        let result = try await cluster.control(
          "switchover", PatroniCluster.scope, "--candidate", candidate.name, "--force")
        #expect(result.output.contains("Successfully switched over to \"\(candidate.name)\""), "\(result)")
        _ = try await cluster.waitForPrimary(otherThan: former)
      }
    }

    /// Starts the lost host again, and replaces its data by a copy of the primary.
    func rebuild(_ lost: Host) async throws {
      try await phase("standby server rebuilt", gapMax: .seconds(10)) {
        trial.deployment.release(lost.ingest)
        try lost.node.start()
        try await eventually("\(lost.node.name) is a member of the cluster") {
          try await cluster.members().contains { $0.name == lost.node.name }
        }
        let result = try await cluster.control("reinit", PatroniCluster.scope, lost.node.name, "--force", "--wait")
        #expect(result.output.contains("Success: reinitialize for member \(lost.node.name)"), "\(result)")
        try await cluster.waitForStandbys(2)
        try await trial.deployment.waitForStandby()
      }
    }

    /// Kills the synchronous standby server. Commits wait until Patroni has given its role to the rebuilt one.
    func replaceStandby(by node: PatroniNode) async throws {
      let former = try await cluster.waitForStandby()
      try await phase("synchronous standby server killed", gapMax: .seconds(30)) {
        try await former.kill()
        try await cluster.waitForStandby(node)
      }
      try former.start()
      try await cluster.waitForStandbys(2)
    }

    private func primary() async throws -> PatroniNode {
      try await eventually("Patroni has a primary") { try await cluster.primary() }
    }

    /// Runs a phase until posts go on, and prints its longest gap.
    private func phase(_ name: String, gapMax: Duration, _ body: () async throws -> Void) async throws {
      let begun = ContinuousClock.now
      try await body()
      try await trial.load.ledger.advance(by: PatroniTests.rate)
      let gap = trial.load.longestGap(since: begun)
      Fault.printLine("patroni: \(name): longest gap \(gap), duration \(begun.duration(to: .now))")
      #expect(gap <= gapMax, "\(name)")
    }
  }
}
