package import Domain
import Foundation
import GRDB
import Synchronization

/// Posts, and the queue that they are until they are settled: one method a transaction.
extension IngestDatabase {
  /// What a post's acceptance made.
  package struct Accepted: Sendable {
    package let id: PostID
    /// Nil when the idempotency key has been used: the post is the earlier one, and its job is known.
    package let job: Job?
    /// Milliseconds since 1970, UTC.
    package let createdMs: Int64
  }

  /// A retried request is recognised by this.
  package struct Idempotency: Sendable {
    package let key: String
    /// Of the request: the same key with another request is refused.
    package let requestHash: [UInt8]

    package init(key: String, requestHash: [UInt8]) {
      self.key = key
      self.requestHash = requestHash
    }
  }

  /// The same idempotency key came with another request. Final.
  package struct IdempotencyConflict: Error {}

  /// Stores a post, which is a job from then on. On disk when `then` is called, on the commits' queue, with a success.
  package func accept(
    _ submission: Submission, account: AccountID, idempotency: Idempotency?, unixMs: Int64,
    then: @escaping @Sendable (Result<Result<Accepted, IdempotencyConflict>, StoreError>) -> Void
  ) {
    writer.submit(
      { [self] db in
        guard !closed.withLock({ $0.contains(account) }) else { throw StoreError.noAccount }
        try AcceptStatements.forgetKeys(numbers, unixMs: unixMs, count: 2, db)
        return try insert(submission, account, idempotency, unixMs, AcceptStatements(db), db)
      }, then: then)
  }

  /// What became of one post of several.
  package enum Acceptance: Sendable {
    case accepted(Accepted)
    /// The same idempotency key came with another request.
    case conflict
    /// There was no room for one more; nothing is stored.
    case noRoom

    fileprivate init(_ result: Result<Accepted, IdempotencyConflict>) {
      switch result {
      case .success(let accepted): self = .accepted(accepted)
      case .failure: self = .conflict
      }
    }

    fileprivate var isNew: Bool { if case .accepted(let accepted) = self { accepted.job != nil } else { false } }
  }

  /// Stores posts of one account, all in one transaction; each is a job from then on. On disk when `then` is called, on
  /// the commits' queue, with a success: what became of each, in their order. Of two with the same key the second is
  /// the first.
  ///
  /// - Parameter room: so many new ones may be stored; those that are stored already need none.
  package func accept(
    _ posts: [(submission: Submission, idempotency: Idempotency?)], account: AccountID, room: Int, unixMs: Int64,
    then: @escaping @Sendable (Result<[Acceptance], StoreError>) -> Void
  ) {
    writer.submit(
      { [self] db in
        guard !closed.withLock({ $0.contains(account) }) else { throw StoreError.noAccount }
        var room = room
        try AcceptStatements.forgetKeys(numbers, unixMs: unixMs, count: 2 * posts.count, db)
        let statements = try AcceptStatements(db)
        var acceptances: [Acceptance] = []
        acceptances.reserveCapacity(posts.count)
        var rest = posts[...]
        while let (submission, idempotency) = rest.first {
          if min(room, rest.count) >= Limits.postsPerInsert {
            let together = rest.prefix(Limits.postsPerInsert)
            let stored = try insert(together, account, unixMs, statements, db)
            room -= stored.count { $0.isNew }
            acceptances += stored
            rest = rest.dropFirst(together.count)
            continue
          }
          rest = rest.dropFirst()
          let result =
            room > 0
            ? try insert(submission, account, idempotency, unixMs, statements, db)
            : try idempotency.flatMap { try AcceptStatements.earlier($0, account, db) }
          acceptances.append(result.map(Acceptance.init) ?? .noRoom)
          if acceptances.last?.isNew == true { room -= 1 }
        }
        return acceptances
      }, then: then)
  }

  private func insert(
    _ submission: Submission, _ account: AccountID, _ idempotency: Idempotency?, _ unixMs: Int64,
    _ statements: AcceptStatements, _ db: Database
  ) throws -> Result<Accepted, IdempotencyConflict> {
    let id = numbers.nextPost(unixMs: unixMs)
    guard try statements.insert(submission, id, account, idempotency, unixMs) else {
      guard let idempotency, let earlier = try AcceptStatements.earlier(idempotency, account, db) else { throw missing }
      return earlier
    }
    numbers.take(id)
    return .success(accepted(submission, id, account, unixMs))
  }

  /// `Limits.postsPerInsert` posts.
  private func insert(
    _ posts: ArraySlice<(submission: Submission, idempotency: Idempotency?)>, _ account: AccountID, _ unixMs: Int64,
    _ statements: AcceptStatements, _ db: Database
  ) throws -> [Acceptance] {
    let ids = numbers.nextPosts(posts.count, unixMs: unixMs)
    let areAllNew = try statements.insert(posts, ids, account, unixMs)
    return try zip(posts, ids).map { post, id in
      if !areAllNew, let idempotency = post.idempotency {
        guard let stored = try AcceptStatements.earlier(idempotency, account, db) else { throw missing }
        if (try? stored.get().id) != id { return Acceptance(stored) }
      }
      // Only ids that are on disk: the next start holds the database against the last that was taken.
      numbers.take(id)
      return .accepted(accepted(post.submission, id, account, unixMs))
    }
  }

  /// A post that has just been stored.
  private func accepted(
    _ submission: Submission, _ id: PostID, _ account: AccountID, _ unixMs: Int64
  ) -> Accepted {
    var job = Job(id: JobID(id), account: account, query: submission.place, given: submission.coordinate)
    job.trace = submission.trace
    job.draft = Job.Draft(link: submission.link, createdMs: unixMs)
    return Accepted(id: id, job: job, createdMs: unixMs)
  }

  private var missing: StoreError {
    .unusable(path: path, reason: "its index post_idempotency names a post that is not there")
  }

  /// What `accept` would answer for a key that has been used; nil for a new one. Stores nothing.
  package func accepted(
    _ idempotency: Idempotency, account: AccountID
  ) async throws -> Result<Accepted, IdempotencyConflict>? {
    try await pool.read { db in try AcceptStatements.earlier(idempotency, account, db) }
  }

  /// A post by its id; nil when there is none, or none any more.
  package func post(_ id: PostID) async throws -> Post? {
    try await pool.read { db in
      try Row.fetchOne(db.cachedStatement(sql: onePost), arguments: [Int64(id.rawValue)]).map(Post.init)
    }
  }

  /// Posts by their ids, in no order; without those that are not there.
  package func posts(_ ids: [PostID]) async throws -> [Post] {
    try await pool.read { db in
      let statement = try db.cachedStatement(sql: onePost)
      return try Set(ids).compactMap { id in
        try Row.fetchOne(statement, arguments: [Int64(id.rawValue)]).map(Post.init)
      }
    }
  }

  /// Every job that is not settled, oldest first, with the time before which it is not to go out.
  package func unsettledJobs() throws -> [(job: Job, dueMs: Int64)] {
    try pool.read { db in
      try Row.fetchAll(
        db,
        sql: """
          SELECT id, account, place, lat_e7, lon_e7, attempts, lease_losses, due_ms, traceparent
          FROM post INDEXED BY post_queued WHERE state = 0 ORDER BY id
          """
      ).compactMap { row in
        guard let id = PostID(row[0] as Int64) else { return nil }
        var job = Job(
          id: JobID(id), account: AccountID(rawValue: row[1]), query: row[2], given: Coordinate(row[3], row[4]),
          attempts: row[5], leaseLosses: row[6])
        job.trace = TraceContext(column: row[8])
        return (job, row[7])
      }
    }
  }

  /// The list that everybody sees, as it is on disk, and the number that it stands at. Waits for the disk, on the
  /// calling thread.
  package func feed() throws -> FeedState { try pool.read(feed) }

  /// `feed`, for callers that must not hold up their thread.
  package func latest() async throws -> FeedState {
    try await pool.read { [self] db in try feed(db) }
  }

  private func feed(_ db: Database) throws -> FeedState {
    let entries = try Row.fetchAll(
      db.cachedStatement(
        sql: """
          \(FeedEntry.select) WHERE seq IS NOT NULL ORDER BY seq DESC LIMIT \(Limits.feedEntriesMax)
          """)
    ).compactMap(FeedEntry.init)
    return FeedState(epoch: epoch, seq: try Numbers.lastSeq(db), entries: entries)
  }
}

private let onePost = "SELECT * FROM post WHERE id = ? AND state <> 4"

extension PostID {
  init?(_ column: Int64) { self.init(rawValue: UInt64(bitPattern: column)) }
}

extension TraceContext {
  /// Nil where there is none.
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
          ?? .found,
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
  /// The columns of a line of the list, to be completed by which.
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
