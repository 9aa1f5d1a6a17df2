package import Domain

/// The result of accepting one post.
package enum Acceptance: Sendable {
  case accepted(AcceptedPost)
  /// The same idempotency key came with another request. Final.
  case conflict
  /// There was no room for one more; nothing is stored.
  case backlogFull

  /// The job of a post that is new.
  package var job: Job? { if case .accepted(let accepted) = self { accepted.job } else { nil } }
}

/// A stored post, as the client that posted it learns of it.
package struct AcceptedPost: Sendable {
  package let id: PostID
  /// Nil if the idempotency key has been used: the post is the earlier one, and its job is known.
  package let job: Job?
  /// Milliseconds since 1970, UTC.
  package let createdMs: Int64

  package init(id: PostID, job: Job?, createdMs: Int64) {
    self.id = id
    self.job = job
    self.createdMs = createdMs
  }
}

/// The same idempotency key came with another request. Final.
package struct IdempotencyConflict: Error {
  package init() {}
}
