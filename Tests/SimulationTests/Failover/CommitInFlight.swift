import Fuzzing

@testable import Domain
@testable import PostgresStore

/// A group of writes on its way to the database. Each repetition has the same number.
struct CommitInFlight {
  var number: Int64
  /// Term of the leader.
  let term: Int64
  let writes: [SimulatedStore.Submitted]
  /// The server of the connection.
  var server: Int
  var isRepetition = false
}

/// The leader's commits, which it repeats until it knows their outcome.
extension Simulation {
  func beginCommit(_ writes: [SimulatedStore.Submitted]) async throws {
    guard let failover, let generation = ingest?.generation else { return }
    store.isCommitting = true
    failover.leader.attempt = failover.next(writes)
    guard !isCalm, failover.random.below(1_000) < 15 else { return try await sendCommit(generation) }
    // Another process may take over before the leader commits.
    failover.suspendedCommits += 1
    suspendIngest(untilMs: nowMs + failover.random.between(3_000, 12_000))
    eventQueue.schedule(.failover(.leaderCommits(generation: generation)), inMs: 0)
  }

  /// Sends the leader's open group to the database, and repeats it later if no response arrives.
  func sendCommit(_ generation: UInt32) async throws {
    guard let failover, ingest?.generation == generation, var attempt = failover.leader.attempt else { return }
    if !failover.isDatabaseDown, nowMs >= failover.leader.cutUntilMs {
      // A repetition uses another connection.
      if attempt.isRepetition, !checkHistory() { return }
      attempt.server = failover.server
      if attempt.isRepetition, failover.bug == .repeatsUnderNewNumber { attempt.number = failover.nextNumber() }
      failover.leader.attempt = attempt
      switch isCalm ? 0 : failover.random.below(100) {
      case ..<88:
        if let commit = try await databaseReceives(attempt) {
          confirm(commit, attempt.number, generation: generation)
        } else {
          endIngest("another process leads")
        }
        return
      case ..<92: _ = try await databaseReceives(attempt)  // The response is lost.
      case ..<96: eventQueue.schedule(.failover(.attemptArrives(attempt)), inMs: failover.random.between(50, 8_000))
      default: break
      }
      failover.unknownOutcomes += 1
    }
    failover.leader.attempt?.isRepetition = true
    let (least, most) = (Limits.postgresRetryMs.lowerBound, Limits.postgresRetryMs.upperBound)
    let pauseMs = failover.random.happens(70) ? failover.random.between(least, most) : Limits.postgresCommitMs
    eventQueue.schedule(.failover(.leaderCommits(generation: generation)), inMs: pauseMs)
  }

  /// Executes a group at the database, completely or not at all. Returns nil if nothing is stored.
  func databaseReceives(_ attempt: CommitInFlight) async throws -> ReplicatedData.Commit? {
    guard let failover, attempt.server == failover.server, !failover.isDatabaseDown else { return nil }
    guard attempt.term == failover.data.term || failover.bug == .ignoresFence else {
      trace("the database refuses a commit of term \(attempt.term)")
      failover.refusedCommits += 1
      return nil
    }
    if let earlier = failover.data.commits[attempt.number] {
      failover.replays += 1
      return earlier
    }
    let completed = try await execute(attempt.writes)
    let mark = HistoryCheck.Mark(completed, number: attempt.number)
    let commit = ReplicatedData.Commit(completed: completed, mark: mark)
    failover.data.commits[attempt.number] = commit
    failover.data.highest.raise(to: mark)
    return commit
  }

  /// Continues with the results of a durable group.
  private func confirm(_ commit: ReplicatedData.Commit, _ number: Int64, generation: UInt32) {
    guard let failover else { return }
    failover.data.commits[number]?.isConfirmed = true
    failover.leader.durable.raise(to: commit.mark)
    failover.leader.attempt = nil
    store.isCommitting = false
    finishCommit(commit.completed, generation: generation)
    guard ingest?.generation == generation, !store.waiting.isEmpty else { return }
    store.isCommitting = true
    eventQueue.schedule(.storeCommits(generation: generation), inMs: failover.random.between(1, 5))
  }

  /// Checks the history of a database that was away. Returns false if the check has ended the leader.
  func checkConnection() -> Bool {
    guard let failover, failover.leader.mustReconnect, ingest != nil, !failover.isDatabaseDown else { return true }
    failover.leader.mustReconnect = false
    return checkHistory()
  }

  /// Checks that the database has all that the leader knows as durable. Otherwise begins a new epoch, and ends the
  /// leader. Returns true if nothing is lost.
  private func checkHistory() -> Bool {
    guard let failover, let generation = ingest?.generation, failover.bug != .skipsHistoryCheck else { return true }
    guard failover.data.lacks(failover.leader.durable, of: Int64(generation)) else { return true }
    failover.data.term = max(failover.data.term, Int64(generation))
    store.beginEpoch()
    endIngest("the database has lost commits")
    return false
  }
}
