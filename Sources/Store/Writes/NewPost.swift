package import Domain

/// A post to accept.
package struct NewPost: Sendable {
  package let submission: Submission
  /// Nil if the client gave no key. Each request then creates another post.
  package let idempotency: Idempotency?

  package init(_ submission: Submission, _ idempotency: Idempotency?) {
    (self.submission, self.idempotency) = (submission, idempotency)
  }
}

/// Identity of a request, which is the same in each retry. A store keeps it for at least `Limits.idempotencyDays`.
package struct Idempotency: Sendable {
  package let key: String
  /// Hash of the request. The same key with another hash is refused.
  package let requestHash: [UInt8]

  package init(key: String, requestHash: [UInt8]) {
    self.key = key
    self.requestHash = requestHash
  }
}
