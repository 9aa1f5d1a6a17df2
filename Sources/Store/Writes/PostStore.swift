package import Domain

/// Ordered writes of posts and of the queue.
///
/// A store commits writes in the order of submission, and may commit several together. A write that fails with
/// `StoreError.full`, `.noAccount` or `.unavailable` has stored nothing. After `.stopped` the store writes nothing
/// until the next start.
///
/// A write that fails with `.unknownOutcome` may be durable. The caller may repeat the write. An idempotency key then
/// prevents a second post. A repeated edit only gives the post another sequence number. Other repeated writes change
/// nothing that is already done.
package protocol PostStore: ObservableStore {
  /// Returns the store's current state. Blocks the calling thread for the disk.
  func start() throws -> StoreSnapshot

  /// Submits a write, which is durable on success. Returns immediately.
  func submit(_ write: PostWrite, completion: CommitCompletion<PostWriteResult>)
}

/// A typed method for each kind of write.
extension PostStore {
  /// Submits `PostWrite.accept`. Returns immediately.
  package func accept(
    _ posts: [NewPost], account: AccountID, capacity: Int, unixMs: Int64, completion: CommitCompletion<[Acceptance]>
  ) {
    submit(.accept(posts, account: account, capacity: capacity, unixMs: unixMs), completion) {
      if case .accept(let acceptances) = $0 { acceptances } else { nil }
    }
  }

  /// Submits `PostWrite.settle`. Returns immediately.
  package func settle(
    _ records: [SettlementRecord], unixMs: Int64, completion: CommitCompletion<SettlementResult>
  ) {
    submit(.settle(records, unixMs: unixMs), completion) {
      if case .settle(let result) = $0 { result } else { nil }
    }
  }

  /// Submits `PostWrite.retryDead`. Returns immediately.
  package func retryDead(
    _ selection: DeadSelection, limit: Int, unixMs: Int64, completion: CommitCompletion<PostWriteResult.RetriedPosts>
  ) {
    submit(.retryDead(selection, limit: limit, unixMs: unixMs), completion) {
      if case .retryDead(let retried) = $0 { retried } else { nil }
    }
  }

  /// Executes `PostWrite.discard`. Durable on return.
  package func discard(_ posts: [PostID], unixMs: Int64) async throws -> QueueChange {
    try await execute(.discard(posts, unixMs: unixMs)) { if case .discard(let change) = $0 { change } else { nil } }
  }

  /// Executes `PostWrite.delete`. Durable on return.
  package func delete(
    _ post: PostID, of account: AccountID, unixMs: Int64
  ) async throws -> PostWriteResult.Deletion {
    try await execute(.delete(post, account: account, unixMs: unixMs)) {
      if case .delete(let deletion) = $0 { deletion } else { nil }
    }
  }

  /// Executes `PostWrite.edit`. Durable on return.
  ///
  /// - Parameter published: Matched place of the submission.
  package func edit(
    _ post: PostID, of account: AccountID, _ submission: Submission, _ published: Verdict.Published, unixMs: Int64
  ) async throws -> PostWriteResult.Edit {
    try await execute(.edit(post, account: account, submission, published: published, unixMs: unixMs)) {
      if case .edit(let edit) = $0 { edit } else { nil }
    }
  }

  /// Executes `PostWrite.changeProfile`. Durable on return.
  package func change(
    _ account: AccountID, _ change: ProfileChange, unixMs: Int64
  ) async throws -> PostWriteResult.Profile {
    try await execute(.changeProfile(account, change, unixMs: unixMs)) {
      if case .changeProfile(let profile) = $0 { profile } else { nil }
    }
  }

  /// Executes `PostWrite.erasePosts`. Durable on return.
  ///
  /// - Parameter after: `next` of the previous erasure, or nil to begin.
  package func erasePosts(
    of account: AccountID, after: PostID?, unixMs: Int64
  ) async throws -> PostWriteResult.Erasure {
    try await execute(.erasePosts(account: account, after: after, unixMs: unixMs)) {
      if case .erasePosts(let erasure) = $0 { erasure } else { nil }
    }
  }

  /// Executes `PostWrite.pause`. Durable on return. Returns the start of the pause, in milliseconds since 1970, UTC.
  /// Nil without a pause.
  package func setPaused(sinceMs: Int64?) async throws -> Int64? {
    try await execute(.pause(sinceMs: sinceMs)) { if case .pause(let sinceMs) = $0 { .some(sinceMs) } else { nil } }
  }

  /// Executes a write. Durable on return.
  package func execute(_ write: PostWrite) async throws -> PostWriteResult {
    try await withCheckedThrowingContinuation { continuation in
      submit(write, completion: CommitCompletion { result in continuation.resume(with: result) })
    }
  }

  private func execute<Value: Sendable>(
    _ write: PostWrite, _ value: (PostWriteResult) -> Value?
  ) async throws -> Value {
    guard let value = value(try await execute(write)) else { preconditionFailure(mismatch) }
    return value
  }

  private func submit<Value: Sendable>(
    _ write: PostWrite, _ completion: CommitCompletion<Value>,
    _ value: @escaping @Sendable (PostWriteResult) -> Value?
  ) {
    submit(
      write,
      completion: CommitCompletion { result in
        completion(
          result.map { result in
            guard let value = value(result) else { preconditionFailure(mismatch) }
            return value
          })
      })
  }
}

private let mismatch = "The store completed a write with the result of another write."
