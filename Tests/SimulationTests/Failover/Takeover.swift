import Fuzzing
import Store

@testable import Domain
@testable import PostgresStore
@testable import SQLiteStore

/// The beat of the leader, and the standbys that watch it.
extension Simulation {
  func startStandby(_ process: Int) {
    guard let failover else { return }
    trace("process \(process) starts as a standby")
    let incarnation = failover.processes[process].incarnation + 1
    failover.processes[process] = Failover.Process(incarnation: incarnation, watch: LeaderWatch())
    eventQueue.schedule(.failover(.standbyReads(process, incarnation: incarnation)), inMs: 0)
  }

  func beat(_ generation: UInt32) {
    guard let failover, ingest?.generation == generation else { return }
    if !failover.isDatabaseDown, nowMs >= failover.leader.cutUntilMs, failover.data.term == Int64(generation) {
      failover.data.raiseBeat(nowMs: nowMs)
    }
    eventQueue.schedule(.failover(.leaderBeats(generation: generation)), inMs: Limits.leaderBeatMs)
  }

  func standbyReads(_ process: Int, _ incarnation: Int) async throws {
    guard let failover, failover.processes[process].incarnation == incarnation else { return }
    if !failover.isDatabaseDown, let term = readLeader(process), term == failover.data.term {
      return try await takeOver(process)
    }
    let read = Failover.Event.standbyReads(process, incarnation: incarnation)
    eventQueue.schedule(.failover(read), inMs: Failover.readMs)
  }

  /// Lets a standby read the leader's row. Returns the term to end. Nil to wait.
  @discardableResult
  func readLeader(_ process: Int) -> Int64? {
    guard let failover else { return nil }
    let data = failover.data
    let numbers = HistoryCheck.Mark(post: data.highest.post, seq: data.highest.seq, term: data.term)
    let seen = LeaderWatch.Observation(term: data.term, beat: data.beat, isHeld: data.isHeld, numbers: numbers)
    let decision = failover.processes[process].watch?.observe(seen, nowMs: nowMs)
    let isSameBeat = failover.processes[process].lastBeat == data.beat
    failover.processes[process].lastBeat = data.beat
    if case .takeOver(let term)? = decision { return term }
    return failover.bug == .takesOverEarly && isSameBeat ? data.term : nil
  }

  /// Begins the next term in a process, from the durable data.
  private func takeOver(_ process: Int) async throws {
    guard let failover, let highest = failover.processes[process].watch?.highest else { return }
    let stillMs = nowMs - max(failover.data.beatMs, failover.resumedMs)
    ledger.expect(
      !failover.data.isHeld || stillMs >= Limits.leaderSilenceMs,
      "a standby takes over although the beat has risen \(stillMs) ms ago")
    depose()
    failover.takeovers += 1
    failover.processes[process].watch = nil
    let term = max(failover.data.term, highest.term) + 1
    failover.data.begin(term, nowMs: nowMs)
    failover.leader = Failover.Leader(lastCommit: term << Numbers.counterBits)
    if highest.exceeds(post: failover.data.highest.post, seq: failover.data.highest.seq),
      failover.bug != .skipsHistoryCheck
    {
      store.beginEpoch()
    }
    store.crash()
    ingestAddress = process
    let start = try await store.open().start()
    checkEpoch(start.list.epoch)
    beginIngest(start, generation: UInt32(term))
    eventQueue.schedule(.failover(.leaderBeats(generation: UInt32(term))), inMs: Limits.leaderBeatMs)
  }

  /// Checks that a loss of numbers leads to a new epoch, and that nothing else does.
  private func checkEpoch(_ epoch: Epoch) {
    guard let failover else { return }
    if failover.hasLostNumbers {
      ledger.expect(epoch != failover.epoch, "the database has lost numbers, and the list has the same epoch")
    }
    let mayDiffer = failover.epoch == nil || failover.losses > 0
    ledger.expect(mayDiffer || epoch == failover.epoch, "the list has a new epoch without a loss")
    (failover.epoch, failover.hasLostNumbers) = (epoch, false)
  }

  /// Removes a leader that still runs at a takeover. Its open commit reaches the database when the leader can act.
  private func depose() {
    guard let failover, ingest != nil else { return }
    let awayMs = max(suspendedUntilMs, failover.leader.cutUntilMs, nowMs) - nowMs
    if var late = failover.leader.attempt ?? (store.waiting.isEmpty ? nil : failover.next(store.take())) {
      late.server = failover.server
      let attempt = Failover.Event.attemptArrives(late)
      eventQueue.schedule(.failover(attempt), inMs: awayMs + failover.random.between(1, 500))
    }
    failover.leader.awayMs = awayMs
    endIngest("another process takes over")
  }

  /// Ends the leader's term after a graceful shutdown.
  func releaseTerm() {
    guard let failover, failover.leader.isReleasing, !failover.isDatabaseDown, nowMs >= suspendedUntilMs,
      nowMs >= failover.leader.cutUntilMs, ingest?.generation == UInt32(failover.data.term)
    else { return }
    trace("the leader releases its term")
    failover.releases += 1
    failover.data.isHeld = false
  }

  /// Forgets the leader's memory, and starts its process again as a standby.
  func endLeader() {
    guard let failover else { return }
    // A process that ends during a failover is lost with the machine of the database, and returns after the takeover.
    let machineMs: Int64 = failover.isDatabaseDown ? 15_000 : 0
    let restartMs = failover.leader.awayMs + machineMs + failover.random.between(20, 3_000)
    failover.leader = Failover.Leader()
    suspendedUntilMs = nowMs
    eventQueue.schedule(.failover(.standbyStarts(ingestAddress)), inMs: restartMs)
  }
}
