import Foundation
import PostgresServer
import Testing

/// Runs of two of each service in front of three PostgreSQL servers. A ledger records every answer, and the database is
/// compared with it at the end.
@Suite("Faults: failover", .fixture, .serialized)
struct FailoverFaultTests {
  @Test(
    "No acknowledged post is lost or doubled when the leader, the primary or a gateway fails under load",
    arguments: FailoverRun.all)
  func fault(run: FailoverRun) async throws { try await run.run() }

  @Test("An upgrade of all services and a switchover of the database under load fail no post and no read")
  func upgrade() async throws { try await UpgradeRun.run() }

  /// The history check finds the loss, so no reader sees two lists under one number.
  @Test(
    "Control: a primary that waits for no standby loses acknowledged posts, and the list gets a new epoch",
    .enabled(if: Fault.isFull, Fault.full))
  func asynchronous() async throws {
    let deployment = try await FailoverDeployment(synchronous: false)
    try await FailoverTrial.with(deployment) {
      try await expectReplicated(deployment)
      try await deployment.stopSenders()
    } _: { trial in
      try await trial.load.ledger.advance(by: FailoverRun.rate)
      try await eventually("readers have seen lists that will be lost") { trial.history.count > 5 }
      try await blocking { [primary = deployment.primary] in primary.kill() }
      try await deployment.failOver()
      for client in try deployment.feedClients {
        try await eventually("\(client.base) has a new epoch") { try await client.list().epoch != trial.epoch }
      }
      try await trial.load.finish()
      let content = try await trial.settledContent()
      let (counts, _) = trial.load.ledger.classify(content.posts)
      #expect(counts[.lost, default: 0] > 0, "The control must lose posts: \(counts)")
      #expect(counts[.duplicated] == nil && counts[.phantom] == nil, "\(counts)")
      #expect(deployment.lossCount > 0, "The history check must find the loss.")
      #expect(content.epoch != trial.epoch && trial.history.epochs == [trial.epoch, content.epoch])
      try await trial.expectEqualLists(content)
      var unmarked = content
      unmarked.epoch = trial.epoch
      #expect(try !trial.history.contradictions(to: unmarked).isEmpty, "The old epoch would contradict the lists.")
      Fault.printLine("without a synchronous standby: \(counts[.lost, default: 0]) posts lost, \(trial.summary)")
    }
  }

  /// Waits until both standbys have the log that the primary has now.
  private func expectReplicated(_ deployment: FailoverDeployment) async throws {
    let position = try await blocking { [primary = deployment.primary] in try primary.receivedPosition }
    for standby in deployment.standbys {
      try await eventually("\(standby.name) has the primary's log") {
        try await blocking { try standby.receivedPosition } >= position
      }
    }
  }
}
