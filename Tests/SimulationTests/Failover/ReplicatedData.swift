import Store

@testable import Domain
@testable import PostgresStore

/// The durable state of a PostgreSQL database that SQLite's tables lack: the leader's row, and the numbers of commits.
/// A server that is promoted too early has an earlier copy.
struct ReplicatedData {
  /// A durable group of writes.
  struct Commit {
    /// The results, which a repetition of the group finds again.
    let completed: [SimulatedStore.Completed]
    /// The numbers that the group has stored.
    let mark: HistoryCheck.Mark
    /// True if the leader knows the outcome.
    var isConfirmed = false

    /// True if the group has changed no row.
    var isEmpty: Bool { mark.post == 0 && mark.seq == 0 && mark.marker == 0 && mark.verdict.commit == 0 }
  }

  /// Term of the leader, and the fence: the database refuses the commits of any other term.
  var term: Int64 = 0
  /// False after a graceful end of the term.
  var isHeld = false
  var beat: Int64 = 0
  /// Time of the latest beat.
  var beatMs: Int64 = 0
  /// All durable groups, by number.
  var commits: [Int64: Commit] = [:]
  /// Highest post and sequence number of these groups.
  var highest = HistoryCheck.Mark()

  /// Begins a term. The first beat is part of the takeover.
  mutating func begin(_ term: Int64, nowMs: Int64) {
    (self.term, isHeld) = (term, true)
    raiseBeat(nowMs: nowMs)
  }

  mutating func raiseBeat(nowMs: Int64) {
    beat += 1
    beatMs = nowMs
  }

  /// Returns true if this data lacks a commit that a leader of the given term has confirmed, as `HistoryCheck` would
  /// find. 0 in a mark stands for none.
  func lacks(_ mark: HistoryCheck.Mark, of term: Int64) -> Bool {
    self.term < term || mark.exceeds(post: highest.post, seq: highest.seq)
      || [mark.marker, mark.verdict.commit].contains { $0 != 0 && commits[$0] == nil }
  }

  /// Returns true if an earlier copy lacks a row whose commit was confirmed.
  func hasConfirmed(after copy: ReplicatedData) -> Bool {
    commits.contains { $1.isConfirmed && !$1.isEmpty && copy.commits[$0] == nil }
  }
}

extension HistoryCheck.Mark {
  /// Creates the mark of a durable group, as the writer does.
  init(_ completed: [SimulatedStore.Completed], number: Int64) {
    self.init()
    for (write, result) in completed.map({ ($0.submitted.write, $0.result) }) {
      if !PostgresEngine.Write.post(write).isBulk { marker = number }
      for case .list(let changes) in result?.changes(of: write) ?? [] { seq = max(seq, changes.last?.seq ?? 0) }
      switch (write, result) {
      case (_, .accept(let acceptances)?):
        for case .accepted(let accepted) in acceptances where accepted.job != nil {
          post = max(post, accepted.id.rawValue)
        }
      case (.settle(let records, _), .settle(let stored)?):
        let verdicts = records.filter { $0.isVerdict && !stored.notQueued.contains($0.post) }
        if let last = verdicts.last { verdict = (Int64(last.post.rawValue), number) }
      default: break
      }
    }
  }
}
