import Domain
package import Logging
import Metrics
import Store
import Synchronization
import Telemetry

extension PostgresDatabase {
  /// Waits as a standby until this process may lead, and opens the database. A standby is connected, and has migrated
  /// the tables. While no server answers, it waits too.
  ///
  /// - Parameter onWait: Called if the latest leader has not ended its term, with the term.
  /// - Throws: `CancellationError`, and `StoreError.unusable`, which may not be retried.
  package static func lead(
    _ address: PostgresAddress, logger: Logger, onWait: @escaping @Sendable (Int64) -> Void = { _ in }
  ) async throws -> PostgresDatabase {
    let standby = Standby(address, logger: logger)
    var highest = HistoryCheck.Mark()
    while true {
      let former = try await standby.waitForTerm(onWait, highest)
      highest.raise(to: former.highest)
      if let database = try await standby.open(after: former) {
        standby.logTakeover(of: database.generation, after: former)
        return database
      }
    }
  }
}

/// A process that watches the leader.
private final class Standby: Sendable {
  private let meter = Metric.storeStandby.meter()
  private let address: PostgresAddress
  private let logger: Logger
  /// The order of the servers. It has no leader's server until this process leads.
  private let primary = PrimaryServer()
  private let reads: ReadPool
  private let clock = ContinuousClock()
  /// True if this process has waited for the end of a leader.
  private let hasWaited = Atomic(false)

  init(_ address: PostgresAddress, logger: Logger) {
    (self.address, self.logger) = (address, logger)
    reads = ReadPool(
      PostgresConnector(address: address, role: .reader, primary: primary), count: 1,
      timeout: .milliseconds(Limits.leaderGapMs))
  }

  deinit {
    meter.set(0)
    reads.close()
  }

  /// Returns the term to end.
  ///
  /// - Parameter highest: Highest numbers that this process has seen in the database.
  func waitForTerm(
    _ onWait: @Sendable (Int64) -> Void, _ highest: HistoryCheck.Mark
  ) async throws -> LeaderTerm.Former {
    var watch = LeaderWatch(highest: highest)
    var waits = false
    var isMigrated = false
    let start = clock.now
    var lastLog: ContinuousClock.Instant?
    while true {
      try Task.checkCancellation()
      do {
        if !isMigrated {
          try await reads.runDetached { [address, primary] in try Schema.prepare(address, primary: primary) }
          isMigrated = true
        }
        let (seen, server) = try await reads.run { try (LeaderWatch.Observation.read($0), $0.host) }
        if lastLog != nil {
          lastLog = nil
          logger.notice("database reachable again")
        }
        let nowMs = (clock.now - start).milliseconds
        if case .takeOver(let term) = watch.observe(seen, nowMs: nowMs) {
          return LeaderTerm.Former(term: term, server: server, highest: watch.highest, isHeld: seen.isHeld)
        }
        if !waits {
          waits = true
          hasWaited.store(true, ordering: .relaxed)
          meter.set(1)
          // The leader may have crashed. Only the silence of its beat shows that.
          let seconds = Limits.leaderSilenceMs / 1_000
          logger.notice(
            "standby: the leader has not ended its term: taking over after \(seconds) s of silence",
            metadata: ["generation": "\(seen.term)"])
          onWait(seen.term)
        }
        try await Task.sleep(for: .milliseconds(Limits.leaderWatchMs))
      } catch let error as StoreError {
        if case .unusable = error { throw error }
        if lastLog.map({ clock.now - $0 >= .seconds(10) }) ?? true {
          lastLog = clock.now
          logger.warning("cannot reach the database: retrying", metadata: ["error": "\(error)"])
        }
        try await Task.sleep(for: .milliseconds(Limits.postgresRetryMs.upperBound))
      }
    }
  }

  /// Takes over. Returns nil if another process was faster, or the database cannot be reached.
  ///
  /// A former primary that is cut off does not confirm the takeover. The next watch then begins with the other servers.
  func open(after former: LeaderTerm.Former) async throws -> PostgresDatabase? {
    do {
      return try await reads.runDetached { [address, logger, primary] in
        try PostgresDatabase(address, logger: logger, after: former, primary: primary)
      }
    } catch let error as StoreError {
      if case .unusable = error { throw error }
      logger.warning("takeover failed: waiting again", metadata: ["error": "\(error)"])
      reads.disconnect()
      return nil
    }
  }

  /// Logs the end of the wait. A start that has not waited logs nothing.
  func logTakeover(of generation: UInt32, after former: LeaderTerm.Former) {
    guard hasWaited.load(ordering: .relaxed) else { return }
    logger.notice(
      "took over",
      metadata: [
        "generation": "\(generation)", "from": "\(former.term)", "reason": former.isHeld ? "silent" : "ended",
      ])
  }
}

extension LeaderWatch.Observation {
  fileprivate static func read(_ connection: PostgresConnection) throws -> LeaderWatch.Observation {
    guard let row = try connection.query(LeaderRow.state).first else {
      throw StoreError.unusable(path: connection.server, reason: "its leader row is missing")
    }
    var seen = LeaderWatch.Observation(term: row.int(0), beat: row.int(1), isHeld: row.bool(2))
    seen.numbers.term = row.int(0)
    seen.numbers.post = row.integer(3, as: UInt64.self) ?? 0
    seen.numbers.seq = row.integer(4, as: UInt64.self) ?? 0
    return seen
  }
}

extension Duration {
  fileprivate var milliseconds: Int64 {
    components.seconds * 1_000 + components.attoseconds / 1_000_000_000_000_000
  }
}
