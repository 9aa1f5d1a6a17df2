/// A post as a producer sent it over ZeroMQ: not looked at yet, so any text and any point may be in it.
package struct SubmittedPost: Sendable, Equatable {
  /// The producer's own name for it, the same whenever it is sent again.
  package let idempotencyKey: String
  package let place: String
  package let link: String
  /// Degrees; both or neither in a post that is right.
  package let latitude: Double?
  /// Degrees.
  package let longitude: Double?
  /// Nil where none came, or one that is none.
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

/// What a producer is told about one post of its batch.
package enum SubmitReceipt: Sendable, Equatable {
  /// On disk, with its job.
  case accepted(PostID)
  /// On disk since before: the key has been used for the same post.
  case replayed(PostID)
  /// Never, as it is.
  case refused(SubmitRefusal)
  /// Not now; nothing was stored. The same post may be sent again after a pause in ms.
  case busy(SubmitRefusal, retryAfterMs: Int64)

  /// Its id, where it is on disk.
  package var post: PostID? {
    switch self {
    case .accepted(let id), .replayed(let id): id
    case .refused, .busy: nil
    }
  }
}

/// Why a post, or a whole request, was not taken: the HTTP API's words.
package struct SubmitRefusal: Sendable, Equatable {
  /// For machines; stays.
  package let code: String
  /// For people: what was wrong, and what to do.
  package let detail: String
  /// Which field it is about; empty where it is none.
  package let field: String

  package init(code: String, detail: String, field: String = "") {
    self.code = code
    self.detail = detail
    self.field = field
  }
}
