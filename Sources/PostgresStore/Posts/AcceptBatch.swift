import Domain
import Store

/// Posts that one statement stores, with their idempotency keys.
struct AcceptBatch {
  /// An account's idempotency key.
  struct Key: Hashable {
    let account: AccountID
    let key: String
  }

  /// The stored post of a key.
  struct Earlier {
    let id: PostID
    let requestHash: [UInt8]
    let createdMs: Int64
  }

  /// A post of a write.
  enum Entry {
    /// A row of the statement.
    case row(Int)
    /// A post with the same key as an earlier row of the statement.
    case repeats(row: Int, requestHash: [UInt8])
    /// A post whose key was used before.
    case earlier(Earlier, requestHash: [UInt8])
    case backlogFull
  }

  private struct Row {
    let id: PostID
    let account: AccountID
    let submission: Submission
    let idempotency: Idempotency?
    let unixMs: Int64
  }

  private(set) var entries: [Entry] = []
  private var rows: [Row] = []
  private var rowOfKey: [Key: Int] = [:]
  private let number: Int64

  /// - Parameter number: Number of the commit.
  init(number: Int64) { self.number = number }

  var rowCount: Int { rows.count }

  /// Adds the posts of a write.
  ///
  /// - Parameters:
  ///   - earlier: Stored posts of the keys, if they were read.
  ///   - capacity: Maximum number of rows to add.
  mutating func add(
    _ posts: [NewPost], _ account: AccountID, capacity: Int, earlier: [Key: Earlier], _ unixMs: Int64,
    _ numbers: inout Numbers
  ) {
    var freeSlots = capacity
    for post in posts {
      let key = post.idempotency.map { Key(account: account, key: $0.key) }
      let hash = post.idempotency?.requestHash ?? []
      if let key, let stored = earlier[key] {
        entries.append(.earlier(stored, requestHash: hash))
      } else if let key, let row = rowOfKey[key] {
        entries.append(.repeats(row: row, requestHash: hash))
      } else if freeSlots > 0 {
        freeSlots -= 1
        if let key { rowOfKey[key] = rows.count }
        entries.append(.row(rows.count))
        rows.append(
          Row(
            id: numbers.nextPost(unixMs: unixMs), account: account, submission: post.submission,
            idempotency: post.idempotency, unixMs: unixMs))
      } else {
        entries.append(.backlogFull)
      }
    }
  }

  /// The keys are inserted first, so that a post with a used key is not stored.
  private static let insert = Statement(
    "accept",
    """
    WITH k AS (
      INSERT INTO post_key (account, key, request_hash, post)
      SELECT account, key, hash, id
      FROM unnest($1::int8[], $2::int8[], $10::text[], $11::bytea[]) AS t (id, account, key, hash)
      WHERE key IS NOT NULL
      ON CONFLICT DO NOTHING RETURNING post)
    INSERT INTO post (id, account, place, link, link_text, lat_e7, lon_e7, created_ms, traceparent, commit_number)
    SELECT id, account, place, link, link_text, lat, lon, created, trace, $12::int8
    FROM unnest(
      $1::int8[], $2::int8[], $3::text[], $4::text[], $5::text[], $6::int4[], $7::int4[], $8::int8[], $9::text[],
      $10::text[]) AS t (id, account, place, link, link_text, lat, lon, created, trace, key)
    WHERE key IS NULL OR id IN (SELECT post FROM k)
    ON CONFLICT DO NOTHING RETURNING id
    """)

  /// Sends the statement, unless there are no rows.
  func send(_ connection: PostgresConnection) throws {
    guard !rows.isEmpty else { return }
    try connection.send(
      AcceptBatch.insert,
      [
        .int8s(rows.map { Int64($0.id.rawValue) }), .int8s(rows.map(\.account.rawValue)),
        .texts(rows.map(\.submission.place)), .texts(rows.map(\.submission.link)),
        .texts(rows.map(\.submission.linkText)), .int4s(rows.map(\.submission.coordinate?.latitudeE7)),
        .int4s(rows.map(\.submission.coordinate?.longitudeE7)), .int8s(rows.map(\.unixMs)),
        .texts(rows.map(\.submission.trace?.description)), .texts(rows.map(\.idempotency?.key)),
        .byteArrays(rows.map(\.idempotency?.requestHash)), .int8(number),
      ])
  }

  /// Returns the ids of the stored posts.
  func receive(_ connection: PostgresConnection) throws -> Set<PostID> {
    guard !rows.isEmpty else { return [] }
    let result = try connection.receive()
    return Set(result.compactMap { PostID($0.int(0)) })
  }

  /// The stored posts that the rows without a result of their own refer to.
  struct EarlierPosts {
    /// Posts by the index of their row.
    var byRow: [Int: Earlier] = [:]
    /// Rows that an earlier attempt of the same commit has stored.
    var stored: Set<PostID> = []
  }

  /// Reads the posts of rows that the statement has not stored. Call this within a transaction.
  func earlierPosts(stored: Set<PostID>, _ connection: PostgresConnection) throws -> EarlierPosts {
    var earlier = EarlierPosts()
    let missing = rows.indices.filter { !stored.contains(rows[$0].id) }
    guard !missing.isEmpty else { return earlier }
    let keyed = missing.filter { rows[$0].idempotency != nil }
    let byKey = try AcceptBatch.earlier(keyed.map { key(of: rows[$0]) }, connection)
    for index in keyed { earlier.byRow[index] = byKey[key(of: rows[index])] }
    let own = try connection.query(
      AcceptBatch.ownRows, .int8s(missing.map { Int64(rows[$0].id.rawValue) }), .int8(number))
    earlier.stored = Set(own.compactMap { PostID($0.int(0)) })
    return earlier
  }

  /// Returns the result of each entry, and the highest id that is stored.
  ///
  /// - Throws: `StoreError.unusable` if the database has another post with an id of this batch.
  func results(
    stored: Set<PostID>, _ earlier: EarlierPosts = EarlierPosts()
  ) throws -> (acceptances: [Acceptance], highestID: UInt64) {
    var highest: UInt64 = 0
    let results = try rows.indices.map { index -> Acceptance in
      let row = rows[index]
      if stored.contains(row.id) || earlier.stored.contains(row.id) {
        highest = max(highest, row.id.rawValue)
        return .accepted(accepted(row))
      }
      guard let idempotency = row.idempotency, let post = earlier.byRow[index], post.id != row.id else {
        throw StoreError.unusable(path: "post", reason: "the table has another post with the id \(row.id)")
      }
      return Acceptance(post, requestHash: idempotency.requestHash)
    }
    return (entries.map { acceptance($0, results, earlier) }, highest)
  }

  private func acceptance(
    _ entry: Entry, _ results: [Acceptance], _ earlier: EarlierPosts
  ) -> Acceptance {
    switch entry {
    case .row(let index): return results[index]
    case .earlier(let post, let hash): return Acceptance(post, requestHash: hash)
    case .backlogFull: return .backlogFull
    case .repeats(let index, let hash):
      let row = rows[index]
      if let post = earlier.byRow[index], post.id != row.id { return Acceptance(post, requestHash: hash) }
      guard row.idempotency?.requestHash == hash else { return .conflict }
      return .accepted(AcceptedPost(id: row.id, job: nil, createdMs: row.unixMs))
    }
  }

  private func accepted(_ row: Row) -> AcceptedPost {
    let submission = row.submission
    var job = Job(
      id: JobID(row.id), account: row.account, query: submission.place, clientCoordinate: submission.coordinate)
    job.trace = submission.trace
    job.content = Job.PostContent(link: submission.link, createdMs: row.unixMs)
    return AcceptedPost(id: row.id, job: job, createdMs: row.unixMs)
  }

  private func key(of row: Row) -> Key { Key(account: row.account, key: row.idempotency?.key ?? "") }
}

extension AcceptBatch {
  private static let select = Statement(
    "earlier_posts",
    """
    SELECT t.ord, post, request_hash, created_ms
    FROM unnest($1::int8[], $2::text[]) WITH ORDINALITY AS t (account, key, ord)
    JOIN post_key ON post_key.account = t.account AND post_key.key = t.key JOIN post ON post.id = post_key.post
    """)

  fileprivate static let ownRows = Statement(
    "own_posts", "SELECT id FROM post WHERE id = ANY($1::int8[]) AND commit_number = $2::int8")

  /// Returns the stored posts of keys. Call this within a transaction.
  static func earlier(_ keys: [Key], _ connection: PostgresConnection) throws -> [Key: Earlier] {
    guard !keys.isEmpty else { return [:] }
    let rows = try connection.query(select, .int8s(keys.map(\.account.rawValue)), .texts(keys.map(\.key)))
    var earlier: [Key: Earlier] = [:]
    for index in 0..<rows.count {
      let row = rows[index]
      guard let id = PostID(row.int(1)) else { continue }
      earlier[keys[Int(row.int(0)) - 1]] = Earlier(
        id: id, requestHash: row.blob(2) ?? [], createdMs: row.int(3))
    }
    return earlier
  }
}

extension Acceptance {
  /// Creates the result of a post whose key was used before.
  init(_ earlier: AcceptBatch.Earlier, requestHash: [UInt8]) {
    self =
      earlier.requestHash == requestHash
      ? .accepted(AcceptedPost(id: earlier.id, job: nil, createdMs: earlier.createdMs)) : .conflict
  }
}
