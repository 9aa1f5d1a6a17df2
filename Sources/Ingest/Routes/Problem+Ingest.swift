import Domain
import HTTPTypes
import Store
import Web

extension Problem {
  static let unauthorized = Problem(
    .unauthorized, "session_required", "log in first: send the session's cookie, or Authorization: Bearer and its token"
  )
  static let busy = Problem(
    .serviceUnavailable, "busy", "the server is busy; nothing was stored, try again later",
    retryAfterSeconds: Limits.retrySoonSeconds)
  static let maxWaitExceeded = Problem(
    .serviceUnavailable, "busy", "posts wait too long for a worker; nothing was stored, try again later",
    retryAfterSeconds: Limits.retryOperatorSeconds)

  static func tooManyPosts(pauseMs: Int64) -> Problem {
    let seconds = Int(secondsOf: pauseMs)
    return Problem(
      .tooManyRequests, "too_many_posts",
      "the account reached its limit of posts and edits per minute; nothing was stored, try again in \(seconds) s",
      retryAfterSeconds: seconds)
  }

  static let emailUnconfirmed = Problem(
    .forbidden, "email_unconfirmed",
    "confirm your email address before you post: open the link in the mail, or request another one with "
      + "POST /v2/account/confirmation")

  static let emailTaken = Problem(
    .conflict, "email_taken", "there is an account with this email address; log in", field: "email")

  static let idempotencyKeyReused = Problem(
    .conflict, "idempotency_key_reused", "this Idempotency-Key belongs to another request; use a new key")

  /// The problem of a post that is missing, deleted or not visible to the caller. The text does not say which.
  static let postNotFound = Problem(.notFound, "post_not_found", "there is no post with this id")
  static let postQueued = Problem(
    .conflict, "post_queued", "the post is still queued; edit it after it is published or rejected")
  static let postDeleted = Problem(
    .gone, "post_deleted", "the post of this Idempotency-Key was deleted; use a new key for a new post")

  /// Maps ingest's own errors. Returns nil for all other errors.
  static func of(_ error: any Error) -> Problem? {
    switch error {
    case let refusal as Submission.Refusal: Problem(refusal)
    case let error as StoreError: Problem(error)
    default: nil
    }
  }

  /// Creates the problem of an invalid field.
  init(_ refusal: Submission.Refusal) {
    self.init(
      .unprocessableContent, "invalid_\(refusal.field)", "\(refusal.field) \(refusal.reason)", field: refusal.field)
  }

  /// Creates the problem of a store error.
  init(_ error: StoreError) {
    switch error {
    case .noAccount: self = .unauthorized
    case .full:
      self.init(
        .insufficientStorage, "disk_full",
        "the server's disk is full; nothing was stored, try again later", retryAfterSeconds: Limits.retryFaultSeconds)
    case .unknownOutcome:
      self.init(
        .serviceUnavailable, "outcome_unknown",
        "the server's storage failed, and the request may or may not be stored; send a post again with the same "
          + "Idempotency-Key", retryAfterSeconds: Limits.retryRestartSeconds)
    case .unavailable:
      self.init(
        .serviceUnavailable, "store_unavailable",
        "the server cannot reach its database; nothing was stored, send the request again later",
        retryAfterSeconds: Limits.retryRestartSeconds)
    case .stopped:
      self.init(
        .serviceUnavailable, "store_unavailable",
        "the server cannot store anything until it restarts; send the request again later",
        retryAfterSeconds: Limits.retryRestartSeconds)
    case .tooManyScans:
      self.init(
        .serviceUnavailable, "too_many_searches", "too many searches are waiting; try again in a moment",
        retryAfterSeconds: Limits.retrySoonSeconds)
    case .scanEnded:
      self.init(
        .serviceUnavailable, "search_timeout",
        "the search took longer than \(Limits.scanMs / 1_000) s; ask for less, or try again in a moment",
        retryAfterSeconds: Limits.retrySoonSeconds)
    case .locked, .unusable:
      self.init(
        .internalServerError, "store_unavailable",
        "the server cannot read its database; nothing was stored, and the server's log has the reason")
    }
    isLoggedOnce = error.isLoggedOnce
  }
}

extension Int {
  /// Converts a pause in milliseconds into seconds, rounded up. Ingest would refuse a client that comes early.
  init(secondsOf pauseMs: Int64) { self.init((pauseMs + 999) / 1_000) }
}
