/// Post from a producer over ZeroMQ, before its validation. Its texts and coordinates may be invalid.
package struct SubmittedPost: Sendable, Equatable {
  /// Idempotency key, which is the same in every resend of the post.
  package let idempotencyKey: String
  package let place: String
  package let link: String
  /// Latitude in degrees. A valid post has both coordinates or none.
  package let latitude: Double?
  /// Longitude in degrees.
  package let longitude: Double?
  /// Trace of the post. Nil if it is absent or invalid.
  package let trace: TraceContext?

  package init(
    idempotencyKey: String, place: String, link: String, latitude: Double? = nil, longitude: Double? = nil,
    trace: TraceContext? = nil
  ) {
    self.idempotencyKey = idempotencyKey
    self.place = place
    self.link = link
    self.latitude = latitude
    self.longitude = longitude
    self.trace = trace
  }
}

/// Receipt for one post of a producer's batch.
package enum SubmitReceipt: Sendable, Equatable {
  /// The post is durable, with its job.
  case accepted(PostID)
  /// The post was already durable under its idempotency key.
  case replayed(PostID)
  /// The post is refused. Do not retry.
  case refused(SubmitRefusal)
  /// The post is refused for now, and nothing was stored. The producer may resend the post after a pause in
  /// milliseconds.
  case busy(SubmitRefusal, retryAfterMs: Int64)

  /// Id of the durable post. Nil if the post was not accepted.
  package var post: PostID? {
    switch self {
    case .accepted(let id), .replayed(let id): id
    case .refused, .busy: nil
    }
  }
}

/// Refusal of a post, or of a whole request. The codes are those of the HTTP API.
package struct SubmitRefusal: Sendable, Equatable {
  /// Code for machines, which never changes.
  package let code: String
  /// Explanation for people: the error and its remedy.
  package let detail: String
  /// Name of the invalid field. Empty if no single field is invalid.
  package let field: String

  package init(code: String, detail: String, field: String = "") {
    self.code = code
    self.detail = detail
    self.field = field
  }
}
