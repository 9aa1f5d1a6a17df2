import Domain

/// The numbers that only rise. The writer assigns them, because a sequence of the database would leave gaps in the
/// order of commits. A number whose write is rolled back is skipped.
struct Numbers {
  /// Bits of the counter of commits. The term stands above them. A term has 2^39 commits, and fits 24 bits.
  static let counterBits: Int64 = 39

  var lastPost: PostID?
  var lastSeq: UInt64
  var lastAccount: Int64
  var lastEvent: Int64
  /// Number of the latest commit: term and counter.
  private(set) var commit: Int64

  static let select = Statement(
    "numbers",
    """
    SELECT (SELECT max(id) FROM post), (\(Numbers.lastSeq)), (SELECT max(id) FROM account),
      (SELECT max(id) FROM post_event), queued_from, epoch FROM meta
    """)

  /// Query for the sequence number of the latest change: the highest of a published post or of a deletion.
  static let lastSeq = """
    SELECT greatest((SELECT max(seq) FROM outcome WHERE seq IS NOT NULL), (SELECT deleted_seq FROM meta))
    """

  /// Decodes a row of `select`, at the start of a term.
  init(_ row: Row, term: Int64) {
    lastPost = row.integer(0, as: UInt64.self).flatMap { PostID(rawValue: $0) }
    lastSeq = row.integer(1, as: UInt64.self) ?? 0
    lastAccount = row.integer(2) ?? 0
    lastEvent = row.integer(3) ?? 0
    commit = term << Numbers.counterBits
  }

  mutating func nextPost(unixMs: Int64) -> PostID {
    let id = PostID.following(lastPost, unixMs: unixMs)
    lastPost = id
    return id
  }

  mutating func nextSeq() -> UInt64 {
    lastSeq += 1
    return lastSeq
  }

  /// Frees the sequence numbers above a number, which no row has.
  mutating func releaseSeqs(above seq: UInt64) { lastSeq = seq }

  mutating func nextAccount() -> Int64 {
    lastAccount += 1
    return lastAccount
  }

  mutating func nextEvent() -> Int64 {
    lastEvent += 1
    return lastEvent
  }

  mutating func nextCommit() -> Int64 {
    commit += 1
    return commit
  }
}
