import Domain
import Logging
import Messaging
import Synchronization

/// Who logged in, who did not, and what was done to accounts: a line of the log each, for those who look into it
/// afterwards. Accounts stand in it by their numbers, and nothing that was typed. Any thread.
final class AuditLog: Sendable {
  /// What has happened, as it stands in the log.
  enum Event: String {
    case accountCreated = "account_created"
    case loggedIn = "logged_in"
    /// No such account, or another password.
    case loginRefused = "login_refused"
    /// A provider does not vouch for whoever came.
    case identityRefused = "identity_refused"
    /// A provider's identity has become one of the account's.
    case identityLinked = "identity_linked"
    /// And is none any more.
    case identityUnlinked = "identity_unlinked"
    /// After too many wrong passwords; these lines are few, however many there are.
    case loginThrottled = "login_held_up"
    case loggedOut = "logged_out"
    /// One or more, from another one.
    case sessionsEnded = "sessions_ended"
    /// By somebody with a session, who did not know the password.
    case passwordRefused = "password_refused"
    case passwordChanged = "password_changed"
    case emailChanged = "email_changed"
    case accountDeleted = "account_deleted"
    /// By the operator, as those that follow.
    case accountCreatedByOperator = "account_created_by_operator"
    case accountDisabled = "account_disabled"
    case accountEnabled = "account_enabled"
    case passwordReset = "password_reset"
    case operatorPromoted = "operator_appointed"
    case operatorDemoted = "operator_dismissed"
  }

  private let logger: Logger
  private let logLimiter = Mutex(LogRateLimiter())

  init(logger: Logger) { self.logger = logger }

  /// - Parameters:
  ///   - account: the event's account; nil without one.
  ///   - source: nil for the operator.
  ///   - by: the operator who caused it; nil for the account's owner.
  func note(_ event: Event, account: AccountID?, _ source: LoginSource? = nil, by: Operator? = nil) {
    let address = source.map { $0.address?.description ?? "unknown" }
    if event == .loginThrottled {
      let subject = source?.address?.network.description ?? ""
      guard logLimiter.withLock({ $0.admit(subject, nowMs: WallClock.unixMs) }) != nil else { return }
    }
    var metadata: Logger.Metadata = ["event": "\(event.rawValue)"]
    if let account { metadata["account"] = "\(account.rawValue)" }
    if let address { metadata["address"] = "\(address)" }
    if let by { metadata["operator"] = "\(by)" }
    logger.notice("audit", metadata: metadata)
  }
}
