package import Domain

/// A post to accept.
package struct NewPost: Sendable {
  package let submission: Submission
  /// Idempotency key of the request. Nil if the client gave none: each request then creates another post.
  package let idempotency: Idempotency?

  package init(_ submission: Submission, _ idempotency: Idempotency?) {
    (self.submission, self.idempotency) = (submission, idempotency)
  }
}

/// Idempotency key of a request, with the request's hash. A store keeps both for at least `Limits.idempotencyDays`.
package struct Idempotency: Sendable {
  package let key: String
  /// Hash of the request. The store refuses the same key with another hash.
  package let requestHash: [UInt8]

  package init(key: String, requestHash: [UInt8]) {
    self.key = key
    self.requestHash = requestHash
  }
}
