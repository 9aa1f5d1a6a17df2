package import Domain
package import Store

/// Async versions of the store's calls, for tests.
extension PostStore {
  /// Returns the queued jobs of a new snapshot.
  package func unsettledJobs() throws -> [StoreSnapshot.QueuedJob] { try start().jobs }

  package func feed() throws -> FeedState { try start().list }

  package func pausedMs() throws -> Int64? { try start().pausedMs }

  package func closing() throws -> [AccountID] { try start().closedAccounts }

  package func accept(
    _ posts: [NewPost], account: AccountID, capacity: Int, unixMs: Int64 = 1_700_000_000_000
  ) async throws -> [Acceptance] {
    try await withCheckedThrowingContinuation { continuation in
      accept(
        posts, account: account, capacity: capacity, unixMs: unixMs,
        completion: CommitCompletion { continuation.resume(with: $0) })
    }
  }

  /// Accepts one post.
  ///
  /// - Parameter then: completion, called like a `CommitCompletion`.
  package func accept(
    _ submission: Submission, account: AccountID, unixMs: Int64 = 1_700_000_000_000,
    then: @escaping @Sendable (Result<Acceptance, StoreError>) -> Void
  ) {
    accept(
      [NewPost(submission, nil)], account: account, capacity: 1, unixMs: unixMs,
      completion: CommitCompletion { result in then(result.map { $0.first ?? .backlogFull }) })
  }

  /// Accepts one post. Throws `IdempotencyConflict` if it is not accepted.
  package func accepted(
    _ submission: Submission, by account: AccountID, key: Idempotency? = nil, unixMs: Int64 = 1_700_000_000_000
  ) async throws -> AcceptedPost {
    let acceptances = try await accept([NewPost(submission, key)], account: account, capacity: 1, unixMs: unixMs)
    guard case .accepted(let accepted)? = acceptances.first else { throw IdempotencyConflict() }
    return accepted
  }

  package func accepted(
    _ place: String = "Oslo", by account: AccountID, key: Idempotency? = nil, unixMs: Int64 = 1_700_000_000_000
  ) async throws -> AcceptedPost {
    let submission = try Submission(place: place, link: "example.org", latitude: nil, longitude: nil)
    return try await accepted(submission, by: account, key: key, unixMs: unixMs)
  }

  package func settledAll(
    _ records: [SettlementRecord], unixMs: Int64 = 1_700_000_001_000
  ) async throws -> SettlementResult {
    try await withCheckedThrowingContinuation { continuation in
      settle(records, unixMs: unixMs, completion: CommitCompletion { continuation.resume(with: $0) })
    }
  }

  /// - Parameter then: completion, called like a `CommitCompletion`.
  package func settle(
    _ records: [SettlementRecord], unixMs: Int64,
    then: @escaping @Sendable (Result<SettlementResult, StoreError>) -> Void
  ) {
    settle(records, unixMs: unixMs, completion: CommitCompletion(then))
  }

  package func settledAll(
    _ settlements: [(post: PostID, settlement: Settlement)], unixMs: Int64 = 1_700_000_001_000
  ) async throws -> SettlementResult {
    try await settledAll(settlements.map { SettlementRecord($0.post, $0.settlement) }, unixMs: unixMs)
  }

  /// Settles posts. Returns the new entries of the list.
  @discardableResult
  package func settled(
    _ settlements: [(post: PostID, settlement: Settlement)], unixMs: Int64 = 1_700_000_001_000
  ) async throws -> [FeedEntry] {
    try await settledAll(settlements, unixMs: unixMs).entries
  }

  /// Publishes posts. Returns their ids, newest last.
  package func published(_ count: Int, by account: AccountID) async throws -> [PostID] {
    var ids: [PostID] = []
    for _ in 0..<count { ids.append(try await accepted(by: account).id) }
    try await settled(ids.map { ($0, .verdict(.at(1))) })
    return ids
  }

  package func deleted(_ post: PostID, of account: AccountID) async throws -> PostWriteResult.Deletion {
    try await delete(post, of: account, unixMs: 1_700_000_002_000)
  }

  /// Moves a post to Rome.
  package func edited(
    _ post: PostID, of account: AccountID, trace: TraceContext? = nil, unixMs: Int64 = 1_700_000_003_000
  ) async throws -> PostWriteResult.Edit {
    var submission = try Submission(place: "rome", link: "example.org/rome", latitude: nil, longitude: nil)
    submission.trace = trace
    return try await edit(post, of: account, submission, .rome, unixMs: unixMs)
  }

  package func retryDead(
    _ selection: DeadSelection, limit: Int, unixMs: Int64
  ) async throws -> PostWriteResult.RetriedPosts {
    try await withCheckedThrowingContinuation { continuation in
      retryDead(
        selection, limit: limit, unixMs: unixMs, completion: CommitCompletion { continuation.resume(with: $0) })
    }
  }
}

extension PostWriteResult.Deletion {
  package var change: FeedChange? { if case .listed(let change) = self { change } else { nil } }
}

extension PostWriteResult.Edit {
  package var entry: FeedEntry? { if case .published(let entry) = self { entry } else { nil } }
}

extension Acceptance {
  package var accepted: AcceptedPost? { if case .accepted(let accepted) = self { accepted } else { nil } }
}
