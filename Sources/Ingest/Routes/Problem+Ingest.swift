import Domain
import HTTPTypes
import Store
import Web

extension Problem {
  static let unauthorized = Problem(
    .unauthorized, "session_required", "log in first: send the session's cookie, or Authorization: Bearer and its token"
  )
  static let busy = Problem(
    .serviceUnavailable, "busy", "too much is waiting; nothing was stored, send it again later",
    retryAfterSeconds: Limits.retrySoonSeconds)
  static let maxWaitExceeded = Problem(
    .serviceUnavailable, "busy", "posts wait too long for a geocoder; nothing was stored, send it again later",
    retryAfterSeconds: Limits.retryOperatorSeconds)

  static func tooManyPosts(pauseMs: Int64) -> Problem {
    let seconds = Int(secondsOf: pauseMs)
    return Problem(
      .tooManyRequests, "too_many_posts",
      "the account has made as many posts and edits as it may in a minute; nothing was stored, go on in \(seconds) s",
      retryAfterSeconds: seconds)
  }

  static let emailTaken = Problem(
    .conflict, "email_taken", "there is an account with this e-mail address; log in", field: "email")

  static let idempotencyKeyReused = Problem(
    .conflict, "idempotency_key_reused", "this Idempotency-Key came with another request before; take a new one")

  /// The same for a post that is not there, one that is deleted, and one that is not to be seen.
  static let postNotFound = Problem(.notFound, "post_not_found", "there is no post with this id")
  static let postQueued = Problem(
    .conflict, "post_queued", "the place that the post came with is still being looked up; edit it once that is over")
  static let postDeleted = Problem(
    .gone, "post_deleted", "the post that was made of this request is deleted; take a new Idempotency-Key for another")

  /// What ingest's own errors mean; nil for others.
  static func of(_ error: any Error) -> Problem? {
    switch error {
    case let refusal as Submission.Refusal: Problem(refusal)
    case let error as StoreError: Problem(error)
    default: nil
    }
  }

  /// A field that is not right.
  init(_ refusal: Submission.Refusal) {
    self.init(
      .unprocessableContent, "invalid_\(refusal.field)", "\(refusal.field) \(refusal.reason)", field: refusal.field)
  }

  /// What the store could not do.
  init(_ error: StoreError) {
    switch error {
    case .noAccount: self = .unauthorized
    case .full:
      self.init(
        .insufficientStorage, "disk_full",
        "the server's disk is full; nothing was stored", retryAfterSeconds: Limits.retryFaultSeconds)
    case .unknownOutcome:
      self.init(
        .serviceUnavailable, "outcome_unknown",
        "the server's disk failed, and whether it was stored is not known; a post may be sent again with the same "
          + "Idempotency-Key", retryAfterSeconds: Limits.retryRestartSeconds)
    case .stopped:
      self.init(
        .serviceUnavailable, "store_unusable",
        "the server stores nothing until it starts again, for its disk has failed or it is ending; send it again later",
        retryAfterSeconds: Limits.retryRestartSeconds)
    case .tooManyScans:
      self.init(
        .serviceUnavailable, "too_many_searches", "too many searches wait for their turn; try again in a moment",
        retryAfterSeconds: Limits.retrySoonSeconds)
    case .scanEnded:
      self.init(
        .serviceUnavailable, "search_timeout",
        "the search took longer than \(Limits.scanMs / 1_000) s; ask for less, or try again in a moment",
        retryAfterSeconds: Limits.retrySoonSeconds)
    case .locked, .unusable:
      self.init(
        .internalServerError, "store_unusable",
        "the server cannot read its database; nothing was stored, and its operator finds the reason in the log")
    }
  }
}

extension Int {
  /// The seconds of a pause in milliseconds, rounded up: ingest refuses a client again that comes a second early.
  init(secondsOf pauseMs: Int64) { self.init((pauseMs + 999) / 1_000) }
}
