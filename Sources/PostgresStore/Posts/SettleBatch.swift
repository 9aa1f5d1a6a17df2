import Domain
import Store

/// Content of a post, unchanged since its acceptance.
struct PostContent {
  let account: AccountID
  let place: String
  let link: String
  let createdMs: Int64
  let trace: TraceContext?

  /// Copies a job's content. Nil for a job that the store read at startup, without its content.
  init?(_ job: Job) {
    guard let content = job.content else { return nil }
    (account, place, trace) = (job.account, job.query, job.trace)
    (link, createdMs) = (content.link, content.createdMs)
  }

  private init(_ row: Row) {
    account = AccountID(rawValue: row.int(1))
    (place, link, createdMs) = (row.text(2), row.text(3), row.int(4))
    trace = row.optionalText(5).flatMap { TraceContext($0) }
  }

  private static let select = Statement(
    "post_contents",
    "SELECT id, account, place, link, created_ms, traceparent FROM post WHERE id = ANY($1::int8[])")

  /// Reads posts. Call this within a transaction.
  static func load(_ posts: [PostID], _ connection: PostgresConnection) throws -> [PostID: PostContent] {
    guard !posts.isEmpty else { return [:] }
    let rows = try connection.query(select, .int8s(posts.map { Int64($0.rawValue) }))
    var contents: [PostID: PostContent] = [:]
    for index in 0..<rows.count {
      if let id = PostID(rows[index].int(0)) { contents[id] = PostContent(rows[index]) }
    }
    return contents
  }
}

/// Verdicts that one statement stores. The first outcome of a post wins, so a verdict of a post that is not queued
/// changes nothing.
struct SettleBatch {
  private struct Row {
    let post: PostID
    let verdict: Verdict
    let content: PostContent?
    let seq: UInt64?
    let unixMs: Int64

    var published: Verdict.Published? { if case .published(let published) = verdict { published } else { nil } }
    var reason: Verdict.Reason? { if case .rejected(let reason) = verdict { reason } else { nil } }
  }

  /// Results of all records.
  struct Settled {
    fileprivate let entries: [FeedEntry?]
    fileprivate let notQueued: [PostID?]
    let highestSeq: UInt64
    /// A post whose verdict is stored. Nil if there is none.
    let verdict: PostID?

    /// Returns the result of the records of one write.
    func result(of records: Range<Int>) -> SettlementResult {
      var result = SettlementResult()
      result.entries = entries[records].compactMap(\.self)
      result.notQueued = Set(notQueued[records].compactMap(\.self))
      return result
    }
  }

  /// The row of each record. Nil for a record that changes nothing: its post does not exist, or has an earlier verdict
  /// in this batch.
  private(set) var records: [(post: PostID, row: Int?)] = []
  private var rows: [Row] = []
  private var posts: Set<PostID> = []
  private let number: Int64

  /// - Parameter number: Number of the commit.
  init(number: Int64) { self.number = number }

  var rowCount: Int { rows.count }

  /// Adds a verdict.
  ///
  /// - Parameter stored: Content of the post, if the record's job lacks it.
  mutating func add(
    _ record: SettlementRecord, _ stored: PostContent?, _ unixMs: Int64, _ numbers: inout Numbers
  ) {
    guard case .verdict(let verdict) = record.settlement else {
      preconditionFailure("Only verdicts are stored in batches.")
    }
    let content = record.job.flatMap { PostContent($0) } ?? stored
    guard content != nil, posts.insert(record.post).inserted else {
      return records.append((record.post, nil))
    }
    records.append((record.post, rows.count))
    rows.append(
      Row(
        post: record.post, verdict: verdict, content: content, seq: record.publishes ? numbers.nextSeq() : nil,
        unixMs: unixMs))
  }

  private static let insert = Statement(
    "settle",
    """
    INSERT INTO outcome (id, state, lat_e7, lon_e7, label, country, agreement, place_match, reason_code, reason, seq,
      updated_ms, commit_number)
    SELECT id, state, lat, lon, label, country, agreement, match, code, reason, seq, updated, $13::int8
    FROM unnest(
      $1::int8[], $2::int4[], $3::int4[], $4::int4[], $5::text[], $6::text[], $7::int4[], $8::int4[], $9::text[],
      $10::text[], $11::int8[], $12::int8[])
      AS t (id, state, lat, lon, label, country, agreement, match, code, reason, seq, updated)
    ON CONFLICT (id) DO NOTHING RETURNING id
    """)

  /// Sends the statement, unless there are no rows.
  func send(_ connection: PostgresConnection) throws {
    guard !rows.isEmpty else { return }
    let published = rows.map(\.published)
    let states = rows.map { Int32(($0.published == nil ? Post.State.rejected : .published).rawValue) }
    try connection.send(
      SettleBatch.insert,
      [
        .int8s(rows.map { Int64($0.post.rawValue) }), .int4s(states), .int4s(published.map(\.?.coordinate.latitudeE7)),
        .int4s(published.map(\.?.coordinate.longitudeE7)), .texts(published.map(\.?.label)),
        .texts(published.map(\.?.countryCode)), .int4s(published.map { $0.map { Int32($0.agreement.rawValue) } }),
        .int4s(published.map { $0?.match.map { Int32($0.rawValue) } }), .texts(rows.map(\.reason?.code)),
        .texts(rows.map(\.reason?.detail)), .int8s(rows.map { $0.seq.map { Int64($0) } }),
        .int8s(rows.map(\.unixMs)), .int8(number),
      ])
  }

  /// Returns the posts whose verdicts are stored.
  func receive(_ connection: PostgresConnection) throws -> Set<PostID> {
    guard !rows.isEmpty else { return [] }
    return Set(try connection.receive().compactMap { PostID($0.int(0)) })
  }

  private static let selectOwnRows = Statement(
    "own_outcomes", "SELECT id FROM outcome WHERE id = ANY($1::int8[]) AND commit_number = $2::int8")

  /// Reads the posts whose verdicts an attempt of this commit has stored. Call this within a transaction.
  func ownRows(_ connection: PostgresConnection) throws -> Set<PostID> {
    let ids = rows.map { Int64($0.post.rawValue) }
    return Set(
      try connection.query(SettleBatch.selectOwnRows, .int8s(ids), .int8(number)).compactMap { PostID($0.int(0)) })
  }

  /// Returns the results.
  func results(stored: Set<PostID>, _ accounts: AccountCache) -> Settled {
    var highest: UInt64 = 0
    let entries = records.map { record -> FeedEntry? in
      guard let index = record.row, stored.contains(record.post), let seq = rows[index].seq else { return nil }
      highest = max(highest, seq)
      return SettleBatch.entry(rows[index], seq, accounts)
    }
    let notQueued = records.map { record in
      record.row == nil || !stored.contains(record.post) ? record.post : nil
    }
    return Settled(entries: entries, notQueued: notQueued, highestSeq: highest, verdict: stored.first)
  }

  private static func entry(_ row: Row, _ seq: UInt64, _ accounts: AccountCache) -> FeedEntry? {
    guard let content = row.content, let published = row.published else { return nil }
    let name = accounts[content.account]
    return FeedEntry(
      id: row.post, seq: seq, account: content.account, firstName: name?.firstName ?? "",
      lastName: name?.lastName ?? "", place: content.place, label: published.label, countryCode: published.countryCode,
      link: content.link, coordinate: published.coordinate, agreement: published.agreement,
      createdMs: content.createdMs, updatedMs: row.unixMs, trace: content.trace)
  }
}
