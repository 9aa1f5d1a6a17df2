package import Domain

/// The result of accepting one post.
package enum Acceptance: Sendable {
  case accepted(AcceptedPost)
  /// The same idempotency key was used for another request. Retries are futile.
  case conflict
  /// The backlog is full. Nothing is stored.
  case backlogFull

  /// Job of a new post, else nil.
  package var job: Job? { if case .accepted(let accepted) = self { accepted.job } else { nil } }
}

/// A stored post, as its client sees it.
package struct AcceptedPost: Sendable {
  package let id: PostID
  /// The post's job. Nil if the idempotency key was used before: the post is the earlier one, and its job is known.
  package let job: Job?
  /// Time of acceptance, in milliseconds since 1970, UTC.
  package let createdMs: Int64

  package init(id: PostID, job: Job?, createdMs: Int64) {
    self.id = id
    self.job = job
    self.createdMs = createdMs
  }
}

/// Error for an idempotency key that was used for another request. Retries are futile.
package struct IdempotencyConflict: Error {
  package init() {}
}
