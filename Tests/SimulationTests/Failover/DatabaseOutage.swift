import Fuzzing

@testable import Domain
@testable import PostgresStore

/// Failovers of the database, with and without a loss of its latest commits.
extension Simulation {
  /// Copies the data to the server that will be promoted. Later commits are lost with an asynchronous database.
  func copyDatabase() throws {
    guard let failover, store.database != nil else { return }
    failover.copy = Failover.Copy(data: failover.data, ledger: ledger, folder: try store.copy())
  }

  func stopDatabase() {
    guard let failover, !failover.isDatabaseDown else { return }
    if failover.isAsynchronous {
      guard !isCalm, failover.copy != nil else { return }
      let standby = failover.processes.firstIndex { $0.watch != nil }
      guard let standby, ingest != nil, nowMs >= suspendedUntilMs else {
        // A loss of numbers that no running process has seen needs an operator. It is not simulated.
        return eventQueue.schedule(.failover(.databaseStops), inMs: 300)
      }
      readLeader(standby)
    }
    trace("the database stops")
    failover.databaseStops += 1
    (failover.isDatabaseDown, failover.databaseStoppedMs) = (true, nowMs)
    failover.server += 1
    eventQueue.schedule(.failover(.databaseStarts), inMs: failover.random.between(200, 4_000))
    if failover.isAsynchronous, failover.random.happens(50) { endIngest("its machine is lost") }
  }

  func startDatabase() async throws {
    guard let failover else { return }
    trace("the database starts")
    failover.isDatabaseDown = false
    if nowMs - failover.databaseStoppedMs > Limits.leaderGapMs { failover.resumedMs = nowMs }
    if let copy = failover.copy, failover.data.hasConfirmed(after: copy.data) { try await loseCommits(after: copy) }
    failover.copy = nil
    (failover.leader.mustReconnect, failover.leader.cutUntilMs) = (ingest != nil, 0)
    // The leader learns of a loss before it does anything else.
    if nowMs >= suspendedUntilMs { _ = checkConnection() }
  }

  /// Replaces the data with an earlier copy.
  private func loseCommits(after copy: Failover.Copy) async throws {
    guard let failover else { return }
    let before = failover.data.highest
    trace("the database loses \(failover.data.commits.count - copy.data.commits.count) commits")
    failover.losses += 1
    failover.data = copy.data
    failover.hasLostNumbers = before.exceeds(post: copy.data.highest.post, seq: copy.data.highest.seq)
    ledger.rollBack(to: copy.ledger)
    try await store.replace(with: copy.folder)
    // The loss may have restored a pause that the operator has ended before.
    if isCalm { eventQueue.schedule(.operatorResumes, inMs: 1_000) }
  }
}
