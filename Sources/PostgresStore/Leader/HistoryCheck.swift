import Domain
import Foundation
import Logging
import Store

/// Check that a database still has the leader's latest durable commit.
///
/// A promoted standby may lack commits that the former primary has confirmed, for example if the former primary did not
/// wait for a standby. The same ids and sequence numbers would then be used twice. The list therefore needs a new
/// epoch.
struct HistoryCheck {
  /// The highest numbers that durable commits of this term have stored. 0 for none.
  struct Mark: Sendable {
    var post: UInt64 = 0
    var seq: UInt64 = 0
    /// Number of the latest commit with a marker.
    var marker: Int64 = 0
    /// Highest term.
    var term: Int64 = 0
    /// A post with a verdict, and the number of the commit that stored the verdict.
    var verdict: (post: Int64, commit: Int64) = (0, 0)

    /// Adds the numbers of a later commit.
    mutating func raise(to later: Mark) {
      (post, seq, marker) = (max(post, later.post), max(seq, later.seq), max(marker, later.marker))
      term = max(term, later.term)
      if later.verdict.commit > verdict.commit { verdict = later.verdict }
    }

    /// Returns true if a database whose highest numbers are these lacks commits of this mark.
    func exceeds(post: UInt64, seq: UInt64) -> Bool { post < self.post || seq < self.seq }
  }

  let term: Int64
  let mark: Mark

  private static let select = Statement(
    "history",
    """
    SELECT coalesce((SELECT max(id) FROM post), 0), coalesce((\(Numbers.lastSeq)), 0),
      $1::int8 = 0 OR EXISTS (SELECT FROM commit_marker WHERE number = $1::int8),
      $2::int8 = 0 OR EXISTS (SELECT FROM outcome WHERE id = $2::int8 AND commit_number = $3::int8)
    """)

  /// Checks the database. If commits are lost, begins a new epoch and ends the term.
  ///
  /// - Throws: `WriterStop` after a loss, `PostgresError` if another process leads, or the connection fails.
  func run(on connection: PostgresConnection, logger: Logger) throws {
    let lost = try connection.transaction(within: .milliseconds(Limits.postgresCommitMs)) { connection in
      // The lock waits for an earlier transaction of this term, and for a standby. What follows is then final.
      let found = try connection.query(LeaderRow.lock).first?.int(0) ?? 0
      if found < term {
        // The database has lost the takeover itself. Otherwise the next term would have a number that was used.
        _ = try connection.query(LeaderRow.restore, .int8(term))
        try HistoryCheck.beginEpoch(connection)
        return true
      }
      _ = try connection.query(LeaderRow.fence, .int8(term))
      let row = try connection.query(
        HistoryCheck.select, .int8(mark.marker), .int8(mark.verdict.post), .int8(mark.verdict.commit)
      ).first
      guard let row else { return true }
      let isLost =
        mark.exceeds(post: UInt64(row.int(0)), seq: UInt64(row.int(1))) || !row.bool(2) || !row.bool(3)
      if isLost { try HistoryCheck.beginEpoch(connection) }
      return isLost
    }
    guard lost else { return }
    mark.logLoss(connection.server, logger)
    throw WriterStop(reason: "the database has lost commits that it had confirmed. The next start uses a new epoch")
  }
}

extension HistoryCheck {
  /// Begins a new epoch. Call this within a transaction.
  static func beginEpoch(_ connection: PostgresConnection) throws {
    _ = try connection.query(
      Statement(once: "UPDATE meta SET epoch = $1::bytea WHERE one = 1"), .bytes(Epoch.random().bytes))
  }
}

extension HistoryCheck.Mark {
  /// Logs that a database lacks these numbers.
  func logLoss(_ server: String, _ logger: Logger) {
    logger.critical(
      "database lost confirmed commits: new epoch",
      metadata: [
        "server": "\(server)", "post": "\(post)", "seq": "\(seq)",
        "advice": "compare the servers before the former primary is rebuilt (deploy/PostgreSQLAlarms.md)",
      ])
  }
}

extension Epoch {
  /// Creates an epoch that no other database has.
  static func random() -> Epoch {
    guard let epoch = Epoch((0..<16).map { _ in UInt8.random(in: .min ... .max) }) else {
      preconditionFailure("An epoch has 16 bytes.")
    }
    return epoch
  }
}
