/// The leader row: lock, fence and order of all writes in one.
///
/// Each transaction first locks the row for its term. A process that takes over increments the term, which waits for
/// the transaction in progress. All later transactions of the former leader then fail, whatever they contain. The row
/// is updated only at a takeover, so it leaves no dead versions. The lock also makes every transaction wait for a
/// standby: a statement that finds nothing to change would not.
enum LeaderRow {
  /// Locks the row for a term. Fails with 22012 if the term is over.
  static let fence = Statement(
    "fence",
    """
    SELECT 1 / count(*) FROM (SELECT FROM leader WHERE one = 1 AND term = $1::int8 FOR UPDATE) AS held
    """)

  /// Begins a new term above a lower bound, unless another process was faster. Returns the term.
  static let takeOver = Statement(
    "take_over",
    "UPDATE leader SET term = greatest(term, $2::int8) + 1 WHERE one = 1 AND term = $1::int8 RETURNING term")

  /// Ends the sessions that hold the row's lock. The leader of a term may be frozen in a transaction.
  static let endHolders = Statement(
    "end_holders",
    """
    SELECT pg_terminate_backend(pid) FROM pg_locks
    WHERE relation = 'leader'::regclass AND mode = 'RowShareLock' AND granted AND pid <> pg_backend_pid()
      AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
    """)

  /// Locks the row, and returns its term.
  static let lock = Statement("lock_term", "SELECT term FROM leader WHERE one = 1 FOR UPDATE")

  /// Restores a term that a database has lost.
  static let restore = Statement("restore_term", "UPDATE leader SET term = $1::int8 WHERE one = 1")

  /// Makes the new term's beat.
  static let claim = Statement(
    "claim", "UPDATE leader_beat SET term = $1::int8, beat = beat + 1, is_held = true WHERE one = 1")

  /// Shows that the leader of a term lives. Changes no row if the term is over.
  static let beat = Statement("beat", "UPDATE leader_beat SET beat = beat + 1 WHERE one = 1 AND term = $1::int8")

  /// Ends a term without a wait for the next leader.
  static let release = Statement(
    "release", "UPDATE leader_beat SET is_held = false WHERE one = 1 AND term = $1::int8")

  /// Returns the term, the beat, true if a leader holds the term, and the highest numbers.
  static let state = Statement(
    "leader",
    """
    SELECT leader.term, beat, is_held, coalesce((SELECT max(id) FROM post), 0), coalesce((\(Numbers.lastSeq)), 0)
    FROM leader JOIN leader_beat ON leader_beat.one = leader.one
    """)
}
