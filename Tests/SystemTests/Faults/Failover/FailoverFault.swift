import Foundation
import Glibc
import PostgresServer
import Testing

/// A fault of a deployment with a standby of ingest and of the database.
enum FailoverFault: String, CaseIterable, Sendable {
  case killedLeader, killedPrimary, stoppedLeader, stoppedPrimary, killedLeaderAndPrimary, killedGateway
  case cancelledWait, terminatedWait, terminatedWriter
  /// Former primaries that are alive: one without standby servers, and one that was frozen during the promotion.
  case isolatedPrimary, wokenPrimary

  /// The longest pause between two acknowledged posts.
  var gapMax: Duration {
    switch self {
    case .killedLeader, .stoppedLeader, .killedGateway, .terminatedWriter: .seconds(10)
    case .killedPrimary, .stoppedPrimary, .killedLeaderAndPrimary, .cancelledWait, .terminatedWait, .isolatedPrimary,
      .wokenPrimary:
      .seconds(20)
    }
  }

  /// True if the fault ends a commit's wait for a standby. A new epoch is then allowed, because readers may have seen a
  /// commit that the database had not confirmed.
  var endsWait: Bool { [.cancelledWait, .terminatedWait, .terminatedWriter].contains(self) }

  /// True if the fault leaves a commit of ingest without an answer in any case.
  var interruptsCommit: Bool { endsWait || self == .isolatedPrimary || self == .wokenPrimary }

  /// Injects the fault, and removes it as far as the services need that. `FailoverDeployment.repair` does the rest. The
  /// random pauses are durations of faults. No test waits for a state with them.
  func strike(_ deployment: FailoverDeployment, _ random: inout SeededRandom) async throws {
    let leader = try deployment.leader
    switch self {
    case .killedLeader: deployment.ingests[leader].signal(SIGKILL)
    case .stoppedLeader: try await stop(leader, deployment, pause: random.milliseconds(0...3_000))
    case .killedPrimary:
      try await blocking { [primary = deployment.primary] in primary.kill() }
      try await deployment.failOver()
    case .stoppedPrimary:
      try await blocking { [primary = deployment.primary] in primary.pause() }
      // The time until the failover manager notices.
      try await Task.sleep(for: random.milliseconds(500...4_000))
      try await blocking { [primary = deployment.primary] in primary.kill() }
      try await deployment.failOver()
    case .killedLeaderAndPrimary:
      deployment.ingests[leader].signal(SIGKILL)
      try await blocking { [primary = deployment.primary] in primary.kill() }
      try await deployment.failOver()
    case .killedGateway:
      let gateway = deployment.gateways[Int(random.next() % 2)]
      gateway.signal(SIGKILL)
      #expect(try await gateway.exit() == -SIGKILL, "The kill must end the gateway.")
      try await Task.sleep(for: random.milliseconds(0...1_000))
      try await gateway.startAndWait()
    case .cancelledWait: try await cutOff(deployment, "pg_cancel_backend", random.milliseconds(0...1_000))
    case .terminatedWait: try await cutOff(deployment, "pg_terminate_backend", random.milliseconds(0...1_000))
    case .terminatedWriter:
      for _ in 0..<3 {
        try await Task.sleep(for: random.milliseconds(0...500))
        try await endWait("pg_terminate_backend", deployment)
      }
    case .isolatedPrimary:
      try await deployment.stopSenders()
      try await deployment.failOver()
      // Time for the standby ingest, which reads the former primary, to miss the leader's beat there.
      try await Task.sleep(for: random.milliseconds(0...15_000))
    case .wokenPrimary:
      try await wake(
        deployment, noticed: random.milliseconds(500...4_000), pause: random.milliseconds(0...5_000))
    }
  }

  /// Freezes the primary, replaces it, and lets it continue. `FailoverDeployment.repair` kills it.
  ///
  /// - Parameters:
  ///   - noticed: The time until the failover manager notices.
  ///   - pause: The time between the promotion and the end of the freeze. Ingest may have left the server by then.
  private func wake(_ deployment: FailoverDeployment, noticed: Duration, pause: Duration) async throws {
    let former = deployment.primary
    try await blocking { former.pause() }
    try await Task.sleep(for: noticed)
    try await deployment.failOver()
    try await Task.sleep(for: pause)
    try await blocking { former.resume() }
  }

  /// Stops the leader until the standby leads. The former leader must then end.
  private func stop(_ leader: Int, _ deployment: FailoverDeployment, pause: Duration) async throws {
    let (former, standby) = (deployment.ingests[leader], deployment.ingests[1 - leader])
    deployment.hold(leader)
    former.signal(SIGSTOP)
    try await former.waitUntilStopped()
    try await eventually("the standby leads") { standby.pid != nil && !standby.ready.isEmpty }
    try await Task.sleep(for: pause)
    former.signal(SIGCONT)
    #expect(try await former.exit() > 0, "The former leader must end with an error.")
    deployment.release(leader)
  }

  /// Stops everything that leaves the primary, ends the writer's wait for a standby, and replaces the primary.
  private func cutOff(_ deployment: FailoverDeployment, _ function: String, _ pause: Duration) async throws {
    try await deployment.stopSenders()
    try await endWait(function, deployment)
    try await Task.sleep(for: pause)
    try await blocking { [primary = deployment.primary] in primary.kill() }
    try await deployment.failOver()
  }

  /// Waits until a session of ingest waits for a standby in its commit, and ends the wait.
  ///
  /// - Parameter function: The function of PostgreSQL that ends the wait.
  private func endWait(_ function: String, _ deployment: FailoverDeployment) async throws {
    let ended = try await deployment.query(
      """
      DO $$
      DECLARE
        deadline timestamptz := clock_timestamp() + interval '60 s';
      BEGIN
        LOOP
          PERFORM pg_stat_clear_snapshot();
          PERFORM \(function)(pid) FROM pg_stat_activity
            WHERE wait_event = 'SyncRep' AND application_name = 'onthemap' AND datname = current_database();
          EXIT WHEN FOUND;
          IF clock_timestamp() > deadline THEN RAISE EXCEPTION 'no session waits for a standby'; END IF;
          PERFORM pg_sleep(0.0005);
        END LOOP;
      END $$;
      SELECT 'ended';
      """)
    #expect(ended == "ended")
  }
}

extension SeededRandom {
  /// Returns a duration of whole milliseconds.
  mutating func milliseconds(_ range: ClosedRange<Int>) -> Duration {
    .milliseconds(Int.random(in: range, using: &self))
  }
}
