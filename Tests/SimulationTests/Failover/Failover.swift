import Fuzzing

@testable import Domain
@testable import PostgresStore

/// A replicated database and ingest's two processes, for runs whose store behaves like the PostgreSQL store. A process
/// leads, and the other watches its beat.
///
/// A leader that still runs at a takeover is suspended, or cannot reach the database. It leaves the simulation at the
/// takeover, except for its open commit, which reaches the database later. Nothing else of it can do harm, because it
/// publishes and acknowledges only what the database has confirmed.
final class Failover {
  enum Event {
    case standbyStarts(Int)
    case standbyReads(Int, incarnation: Int)
    case leaderBeats(generation: UInt32)
    case leaderCommits(generation: UInt32)
    case attemptArrives(CommitInFlight)
    case leaderIsCut
    case databaseIsCopied
    case databaseStops
    case databaseStarts
    /// An event of a suspended leader, at the end of the suspension.
    indirect case afterSuspension(Simulation.Event, generation: UInt32?)
  }

  /// A process of ingest, at an address of its own.
  struct Process {
    /// Number of starts.
    var incarnation = 0
    /// State machine of a standby. Nil while the process leads, or does not run.
    var watch: LeaderWatch?
    /// Beat of the last read.
    var lastBeat: Int64?
  }

  /// The leader's memory.
  struct Leader {
    /// The group whose outcome the leader does not know yet.
    var attempt: CommitInFlight?
    /// Number of the latest group.
    var lastCommit: Int64 = 0
    /// Numbers of the confirmed groups.
    var durable = HistoryCheck.Mark()
    /// True if the database was away since the last check of its history.
    var mustReconnect = false
    /// True after the start of a graceful shutdown.
    var isReleasing = false
    /// Time until which the leader cannot reach the database.
    var cutUntilMs: Int64 = 0
    /// Time that the process still needs before it can start again.
    var awayMs: Int64 = 0
  }

  /// The data that another server has at some moment.
  struct Copy {
    let data: ReplicatedData
    let ledger: Ledger
    let folder: String
  }

  /// Interval between two reads of a standby. A standby in production reads more often, which would take longer here.
  static let readMs: Int64 = 5 * Limits.leaderWatchMs

  let bug: FailoverBug?
  /// True if the database confirms commits before another server has them, so that a failover may lose some.
  let isAsynchronous: Bool
  var random: SeededRandom
  var data = ReplicatedData()
  var processes = [Process(), Process()]
  var leader = Leader()
  /// Data that survive the next failover of an asynchronous database.
  var copy: Copy?
  var isDatabaseDown = false
  var databaseStoppedMs: Int64 = 0
  /// Time of the last return of the database after an outage that a standby must notice.
  var resumedMs: Int64 = 0
  /// Number of failovers. A connection ends with its server.
  var server = 0
  /// Epoch of the latest term.
  var epoch: Epoch?
  /// True if posts or sequence numbers are lost since the last takeover.
  var hasLostNumbers = false

  var takeovers = 0
  var releases = 0
  var suspendedCommits = 0
  var unknownOutcomes = 0
  var replays = 0
  var refusedCommits = 0
  var databaseStops = 0
  var losses = 0

  init(seed: UInt64, bug: FailoverBug?) {
    self.bug = bug
    isAsynchronous = seed % 3 == 2
    random = SeededRandom(seed: seed ^ 0xFA11_04E5)
  }

  /// Returns the next group of the current leader.
  func next(_ writes: [SimulatedStore.Submitted]) -> CommitInFlight {
    CommitInFlight(number: nextNumber(), term: data.term, writes: writes, server: server)
  }

  /// Returns the number of the leader's next group.
  func nextNumber() -> Int64 {
    leader.lastCommit += 1
    return leader.lastCommit
  }
}

extension Simulation {
  /// Schedules the starts and the faults of a replicated run.
  func startFailover() {
    guard let failover else { return }
    eventQueue.schedule(.failover(.standbyStarts(0)), inMs: 0)
    eventQueue.schedule(.failover(.standbyStarts(1)), inMs: failover.random.between(10, 500))
    let faultsMs = Simulation.faultsMs
    if failover.random.happens(60) {
      eventQueue.schedule(.ingestEnds, inMs: failover.random.between(2_000, faultsMs))
    }
    if failover.random.happens(50) {
      eventQueue.schedule(.failover(.leaderIsCut), inMs: failover.random.between(2_000, faultsMs))
    }
    if failover.isAsynchronous {
      let copiedMs = failover.random.between(1_000, faultsMs / 2)
      eventQueue.schedule(.failover(.databaseIsCopied), inMs: copiedMs)
      eventQueue.schedule(.failover(.databaseStops), inMs: copiedMs + failover.random.between(100, 2_000))
    } else if failover.random.happens(60) {
      eventQueue.schedule(.failover(.databaseStops), inMs: failover.random.between(1_000, faultsMs))
    }
  }

  func performFailover(_ event: Failover.Event) async throws {
    switch event {
    case .standbyStarts(let process): startStandby(process)
    case .standbyReads(let process, let incarnation): try await standbyReads(process, incarnation)
    case .leaderBeats, .leaderCommits:
      if nowMs < suspendedUntilMs {
        eventQueue.schedule(.failover(event), inMs: suspendedUntilMs - nowMs)
      } else if checkConnection() {
        try await performAtLeader(event)
      }
    case .attemptArrives(let attempt): _ = try await databaseReceives(attempt)
    case .leaderIsCut:
      guard let failover, !failover.isDatabaseDown else { return }
      failover.leader.cutUntilMs = nowMs + failover.random.between(1_000, 9_000)
    case .databaseIsCopied: try copyDatabase()
    case .databaseStops: stopDatabase()
    case .databaseStarts: try await startDatabase()
    case .afterSuspension(let event, let generation):
      // The messages to a process end with it.
      if ingest?.generation == generation { try await perform(event) }
    }
  }

  private func performAtLeader(_ event: Failover.Event) async throws {
    switch event {
    case .leaderBeats(let generation): beat(generation)
    case .leaderCommits(let generation): try await sendCommit(generation)
    default: break
    }
  }
}
