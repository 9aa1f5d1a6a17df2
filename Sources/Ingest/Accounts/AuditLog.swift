import Domain
import Logging
import Messaging
import Synchronization

/// Log of logins, failed logins and changes of accounts: one line each, for later investigation. The log names accounts
/// by their ids and contains no user input. Any thread.
final class AuditLog: Sendable {
  /// An event, with its name in the log as raw value.
  enum Event: String {
    /// The owner, or an operator (`by`), created the account.
    case accountCreated = "account_created"
    case loggedIn = "logged_in"
    /// The account does not exist, or the password is wrong.
    case loginFailed = "login_failed"
    /// A provider refused the login.
    case identityRefused = "identity_refused"
    /// An identity of a provider was linked to the account.
    case identityLinked = "identity_linked"
    /// An identity was unlinked from the account.
    case identityUnlinked = "identity_unlinked"
    /// A login was refused after too many wrong passwords. The log limits the number of these lines.
    case loginRateLimited = "login_rate_limited"
    case loggedOut = "logged_out"
    /// A user ended one or more sessions from another one.
    case sessionsEnded = "sessions_ended"
    /// A session's user entered a wrong current password.
    case passwordCheckFailed = "password_check_failed"
    case passwordChanged = "password_changed"
    case emailChanged = "email_changed"
    /// A client requested a mail to set a new password. Without an account id, no account has the address.
    case recoveryRequested = "recovery_requested"
    /// A link in a mail set a new password.
    case passwordRecovered = "password_recovered"
    /// A link in a mail confirmed the email address.
    case emailConfirmed = "email_confirmed"
    case accountDeleted = "account_deleted"
    /// An operator caused this event and the events below.
    case accountDisabled = "account_disabled"
    case accountEnabled = "account_enabled"
    case passwordReset = "password_reset"
    case accountPromoted = "account_promoted"
    case accountDemoted = "account_demoted"
  }

  private let logger: Logger
  private let logLimiter = Mutex(LogRateLimiter())

  init(logger: Logger) { self.logger = logger }

  /// Logs an event.
  ///
  /// - Parameters:
  ///   - account: The account that the event concerns. Nil if there is none.
  ///   - source: The network source of the request. Nil for the operator.
  ///   - by: The operator who caused the event. Nil for the account's owner.
  func note(_ event: Event, account: AccountID?, _ source: LoginSource? = nil, by: Operator? = nil) {
    let address = source.map { $0.address?.description ?? "unknown" }
    if event == .loginRateLimited {
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
