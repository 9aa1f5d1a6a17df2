package import Domain

/// The result of accepting one post.
package enum Acceptance: Sendable {
  case accepted(AcceptedPost)
  /// The same idempotency key was used for another request. Do not retry.
  case conflict
  /// The backlog is full. Nothing is stored.
  case backlogFull

  /// Job of a new post. Nil for an earlier post, or if the post is not accepted.
  package var job: Job? { if case .accepted(let accepted) = self { accepted.job } else { nil } }
}

/// An accepted post: a new one, or the earlier one with the same idempotency key.
package struct AcceptedPost: Sendable {
  package let id: PostID
  /// Job of a new post. Nil for an earlier post, whose job ingest has already.
  package let job: Job?
  /// Time of acceptance, in milliseconds since 1970, UTC.
  package let createdMs: Int64

  package init(id: PostID, job: Job?, createdMs: Int64) {
    self.id = id
    self.job = job
    self.createdMs = createdMs
  }
}

/// Error for an idempotency key that was used for another request. Do not retry.
package struct IdempotencyConflict: Error {
  package init() {}
}
