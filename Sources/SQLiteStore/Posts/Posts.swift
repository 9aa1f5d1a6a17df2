package import Domain
import GRDB
package import Store
import Synchronization

extension SQLiteDatabase: PostStore {
  package func submit(_ write: PostWrite, completion: CommitCompletion<PostWriteResult>) {
    committer.submit(
      .post(write),
      completion: CommitCompletion { [changes, diskFullState] result in
        switch result {
        case .success(.post(let result)):
          for change in result.changes(of: write) { changes.report(change) }
          completion(.success(result))
        case .success(.other): preconditionFailure("The engine completed a write with the result of another write.")
        case .failure(let error):
          diskFullState.recordFailure(error)
          completion(.failure(error))
        }
      })
  }

  package func start() throws -> StoreSnapshot {
    try pool.read { [generation, epoch] db in
      StoreSnapshot(
        generation: generation, jobs: try queuedJobs(db), list: try .stored(epoch, db), pausedMs: try pausedMs(db),
        closedAccounts: try closedAccounts(db))
    }
  }
}

extension SQLiteEngine {
  func accept(
    _ posts: [NewPost], _ account: AccountID, capacity: Int, _ unixMs: Int64, _ db: Database
  ) throws -> [Acceptance] {
    guard !closed.withLock({ $0.contains(account) }) else { throw StoreError.noAccount }
    var freeSlots = capacity
    try IdempotencyKeys.removeExpired(numbers, unixMs: unixMs, count: 2 * posts.count, db)
    let statements = try AcceptStatements(db)
    var acceptances: [Acceptance] = []
    acceptances.reserveCapacity(posts.count)
    var rest = posts[...]
    while let post = rest.first {
      if min(freeSlots, rest.count) >= Limits.postsPerInsert {
        let batch = rest.prefix(Limits.postsPerInsert)
        let stored = try insert(batch, account, unixMs, statements, db)
        freeSlots -= stored.count { $0.job != nil }
        acceptances += stored
        rest = rest.dropFirst(batch.count)
        continue
      }
      rest = rest.dropFirst()
      let result =
        freeSlots > 0
        ? try insert(post, account, unixMs, statements, db)
        : try post.idempotency.flatMap { try IdempotencyKeys.earlierPost($0, account, db) }
      acceptances.append(result.map(Acceptance.init) ?? .backlogFull)
      if acceptances.last?.job != nil { freeSlots -= 1 }
    }
    return acceptances
  }

  private func insert(
    _ post: NewPost, _ account: AccountID, _ unixMs: Int64, _ statements: AcceptStatements, _ db: Database
  ) throws -> Result<AcceptedPost, IdempotencyConflict> {
    let id = numbers.nextPost(unixMs: unixMs)
    guard try statements.insert(post.submission, id, account, post.idempotency, unixMs) else {
      guard let idempotency = post.idempotency, let earlier = try IdempotencyKeys.earlierPost(idempotency, account, db)
      else { throw missingPost }
      return earlier
    }
    numbers.markUsed(id)
    return .success(accepted(post.submission, id, account, unixMs))
  }

  /// Stores `Limits.postsPerInsert` posts.
  private func insert(
    _ posts: ArraySlice<NewPost>, _ account: AccountID, _ unixMs: Int64, _ statements: AcceptStatements,
    _ db: Database
  ) throws -> [Acceptance] {
    let ids = numbers.nextPosts(posts.count, unixMs: unixMs)
    let areAllNew = try statements.insert(posts, ids, account, unixMs)
    return try zip(posts, ids).map { post, id in
      if !areAllNew, let idempotency = post.idempotency {
        guard let stored = try IdempotencyKeys.earlierPost(idempotency, account, db) else { throw missingPost }
        if (try? stored.get().id) != id { return Acceptance(stored) }
      }
      // Mark only stored ids, because the next start compares the database with the highest marked id.
      numbers.markUsed(id)
      return .accepted(accepted(post.submission, id, account, unixMs))
    }
  }

  /// Returns the acceptance of a new post.
  private func accepted(
    _ submission: Submission, _ id: PostID, _ account: AccountID, _ unixMs: Int64
  ) -> AcceptedPost {
    var job = Job(id: JobID(id), account: account, query: submission.place, clientCoordinate: submission.coordinate)
    job.trace = submission.trace
    job.content = Job.PostContent(link: submission.link, createdMs: unixMs)
    return AcceptedPost(id: id, job: job, createdMs: unixMs)
  }

  private var missingPost: StoreError {
    .unusable(path: path, reason: "its index post_idempotency names a post that does not exist")
  }
}

extension Acceptance {
  fileprivate init(_ result: Result<AcceptedPost, IdempotencyConflict>) {
    switch result {
    case .success(let accepted): self = .accepted(accepted)
    case .failure: self = .conflict
    }
  }
}

/// Returns all queued jobs, oldest first, each with the end of its backoff.
private func queuedJobs(_ db: Database) throws -> [StoreSnapshot.QueuedJob] {
  try Row.fetchAll(
    db,
    sql: """
      SELECT id, account, place, lat_e7, lon_e7, attempts, lease_losses, due_ms, traceparent
      FROM post INDEXED BY post_queued WHERE state = 0 ORDER BY id
      """
  ).compactMap { row in
    guard let id = PostID(row[0] as Int64) else { return nil }
    var job = Job(
      id: JobID(id), account: AccountID(rawValue: row[1]), query: row[2], clientCoordinate: Coordinate(row[3], row[4]),
      attempts: row[5], leaseLosses: row[6])
    job.trace = TraceContext(column: row[8])
    return StoreSnapshot.QueuedJob(job: job, dueMs: row[7])
  }
}

extension SQLiteDatabase {
  package func accepted(
    _ idempotency: Idempotency, account: AccountID
  ) async throws -> Result<AcceptedPost, IdempotencyConflict>? {
    try await pool.read { db in try IdempotencyKeys.earlierPost(idempotency, account, db) }
  }

  package func posts(_ ids: [PostID]) async throws -> [Post] {
    try await pool.read { db in
      let statement = try db.cachedStatement(sql: onePost)
      return try Set(ids).compactMap { id in
        try Row.fetchOne(statement, arguments: [Int64(id.rawValue)]).map(Post.init)
      }
    }
  }

  package func latest() async throws -> FeedState {
    try await pool.read { [epoch] db in try .stored(epoch, db) }
  }
}

extension FeedState {
  /// Returns the stored list with its sequence number.
  fileprivate static func stored(_ epoch: Epoch, _ db: Database) throws -> FeedState {
    let entries = try Row.fetchAll(
      db.cachedStatement(
        sql: """
          \(FeedEntry.select) WHERE seq IS NOT NULL ORDER BY seq DESC LIMIT \(Limits.feedEntriesMax)
          """)
    ).compactMap(FeedEntry.init)
    return FeedState(epoch: epoch, seq: try SequenceAllocator.lastSeq(db), entries: entries)
  }
}

private let onePost = "SELECT * FROM post WHERE id = ? AND state <> 4"

extension PostID {
  init?(_ column: Int64) { self.init(rawValue: UInt64(bitPattern: column)) }
}

extension TraceContext {
  /// Decodes a column. Nil if the column is null.
  convenience init?(column: String?) {
    guard let column else { return nil }
    self.init(column)
  }
}

extension Coordinate {
  init?(_ latitudeE7: Int32?, _ longitudeE7: Int32?) {
    guard let latitudeE7, let longitudeE7 else { return nil }
    self.init(latitudeE7: latitudeE7, longitudeE7: longitudeE7)
  }
}

extension Post {
  init(_ row: Row) throws {
    guard let id = PostID(row["id"] as Int64), let state = UInt8(exactly: row["state"] as Int64).flatMap(State.init)
    else {
      throw StoreError.unusable(path: "post", reason: "a row of the table cannot be read: \(row["id"] as Int64)")
    }
    let coordinate = Coordinate(row["lat_e7"], row["lon_e7"])
    var outcome: Verdict.Published?
    if state == .published, let coordinate {
      outcome = Verdict.Published(
        coordinate: coordinate, label: row["label"] ?? "", countryCode: row["country"] ?? "",
        agreement: (row["agreement"] as Int64?).flatMap { UInt8(exactly: $0) }.flatMap(Verdict.Agreement.init)
          ?? .notGiven,
        match: (row["place_match"] as Int64?).flatMap { UInt8(exactly: $0) }.flatMap(Place.Match.init)
      )
    }
    let reason = (row["reason_code"] as String?).map { Verdict.Reason(code: $0, detail: row["reason"] ?? "") }
    self.init(
      id: id, account: AccountID(rawValue: row["account"]), place: row["place"], link: row["link"], state: state,
      coordinate: coordinate, outcome: outcome, reason: reason,
      seq: (row["seq"] as Int64?).flatMap { UInt64(exactly: $0) },
      createdMs: row["created_ms"], updatedMs: row["updated_ms"])
    linkText = row["link_text"]
  }
}

extension FeedEntry {
  /// Query for list entries, without a condition. The caller appends the condition.
  static let select = """
    SELECT post.*, first_name, last_name FROM post JOIN account ON account.id = post.account
    """

  convenience init?(_ row: Row) {
    guard let post = try? Post(row), let outcome = post.outcome, let seq = post.seq else { return nil }
    self.init(
      id: post.id, seq: seq, account: post.account, firstName: row["first_name"], lastName: row["last_name"],
      place: post.place, label: outcome.label, countryCode: outcome.countryCode, link: post.link,
      coordinate: outcome.coordinate, agreement: outcome.agreement, createdMs: post.createdMs,
      updatedMs: post.updatedMs)
  }
}
