package import Domain

/// A post that a gateway submits, with the session token of its author.
package struct SessionPost: Sendable, Equatable {
  /// Session token of the post's author.
  package let token: String
  /// The post, which has an idempotency key.
  package let post: SubmittedPost

  package init(token: String, post: SubmittedPost) {
    self.token = token
    self.post = post
  }
}

/// Ingest's result for one post of a gateway.
package enum SessionPostResult: Sendable, Equatable {
  /// The post is durable. `isReplayed` is true if it was durable already, under the same idempotency key.
  case accepted(PostID, createdMs: Int64, isReplayed: Bool)
  case refused(Refusal)

  /// An error in the words of the HTTP API.
  package struct Refusal: Sendable, Equatable {
    /// HTTP status.
    package let status: Int
    /// Reason phrase of the status, such as "Not Found".
    package let title: String
    /// Code, text and field of the error.
    package let refusal: SubmitRefusal
    /// Seconds to wait before a retry. Nil if a retry is useless.
    package let retryAfterSeconds: Int?

    package init(status: Int, title: String, refusal: SubmitRefusal, retryAfterSeconds: Int?) {
      self.status = status
      self.title = title
      self.refusal = refusal
      self.retryAfterSeconds = retryAfterSeconds
    }
  }
}
