import Domain
import HTTPTypes
import Logging
import Mail
import Messaging
import Store
import Synchronization
import Web

/// Mails with links that prove the ownership of an email address. Any thread.
///
/// The lookup of the account, the token and the delivery follow after the response. Neither the response nor its time
/// therefore shows if an address has an account.
final class AccountMail: Sendable {
  private struct Rates: Sendable {
    /// Limiter of addresses, by their fingerprints.
    var addresses = KeyedRateLimiter<[UInt8]>(
      TokenBucket(tokens: 1, periodMs: Limits.mailOfAddressIntervalMs, capacity: Limits.mailsOfAddressMax),
      keysMax: Limits.mailKeysMax)
    /// Limiter of networks: IPv4 addresses, IPv6 /64, or nil for an unknown address.
    var networks = KeyedRateLimiter<IPAddress?>(
      TokenBucket(tokens: 1, periodMs: Limits.mailOfNetworkIntervalMs, capacity: Limits.mailsOfNetworkMax),
      keysMax: Limits.mailKeysMax)

    /// Limiter of accounts. Otherwise an account could send mails to many strangers, with one address after another.
    var accounts = KeyedRateLimiter<AccountID>(
      TokenBucket(tokens: 1, periodMs: Limits.mailOfAddressIntervalMs, capacity: Limits.mailsOfAddressMax),
      keysMax: Limits.mailKeysMax)

    /// Counts a mail. Returns 0, or the milliseconds to wait. A refused mail does not count.
    ///
    /// - Parameter account: The account that sets the address. Nil if anybody may request the mail.
    mutating func consume(_ address: [UInt8], of account: AccountID?, nowMs: Int64) -> Int64 {
      let pauseMs = addresses.consume(address, nowMs: nowMs)
      guard pauseMs == 0, let account else { return pauseMs }
      let accountPauseMs = accounts.consume(account, nowMs: nowMs)
      if accountPauseMs > 0 { addresses.refund(address) }
      return accountPauseMs
    }

    /// Counts a mail that a client of a network requests, for the network too. Returns 0, or the milliseconds to wait.
    /// A refused mail does not count.
    ///
    /// - Parameter account: The account that sets the address. Nil if anybody may request the mail.
    mutating func consume(
      _ address: [UInt8], of account: AccountID?, from network: IPAddress?, nowMs: Int64
    ) -> Int64 {
      let pauseMs = networks.consume(network, nowMs: nowMs)
      guard pauseMs == 0 else { return pauseMs }
      let addressPauseMs = consume(address, of: account, nowMs: nowMs)
      if addressPauseMs > 0 { networks.refund(network) }
      return addressPauseMs
    }
  }

  private let database: any MailTokenStore
  private let sender: MailMessage.Mailbox
  /// Origin of the links, such as "https://example.org".
  private let origin: String
  private let audit: AuditLog
  private let queue: MailQueue
  private let rates = Mutex(Rates())

  /// Returns nil if the configuration has no mail server.
  init?(_ configuration: IngestConfiguration, database: any MailTokenStore, audit: AuditLog, logger: Logger) {
    guard let mail = configuration.mail else { return nil }
    self.database = database
    self.audit = audit
    origin = configuration.origin
    sender = mail.sender
    queue = MailQueue(mail, logger: logger)
  }

  /// Drops the mails that wait.
  func end() { queue.end() }

  /// Queues a mail that a client has requested. Its account gets it if there is one. Returns immediately.
  ///
  /// - Parameters:
  ///   - email: The address in lower case.
  ///   - account: The account that requests the mail. Nil for a client without a session.
  /// - Throws: A problem if the form of the address is invalid, if the address, the account or the network requested
  ///   too many mails, or if too many mails wait. Without a session, each is the same for every address.
  func request(
    _ purpose: MailToken.Purpose, to email: String, of account: AccountID? = nil, in language: MailLanguage,
    from source: LoginSource
  ) throws(Problem) {
    guard MailAddress(email) != nil else {
      throw Problem(
        .unprocessableContent, "invalid_email", "email is not an email address such as ada@example.org", field: "email")
    }
    let pauseMs = rates.withLock {
      $0.consume(Secrets.fingerprint(email), of: account, from: source.address?.network, nowMs: Reactor.nowMs)
    }
    guard pauseMs == 0 else { throw .tooManyMails(pauseMs: pauseMs) }
    guard submit(purpose, to: email, in: language, from: source) else { throw .busy }
  }

  /// Queues the mail that confirms the address of a new account, or a new address. Returns immediately. Queues none if
  /// too many mails wait, or if the address or the account got too many: an account that changes its address again and
  /// again must not flood strangers. The user then requests the mail again.
  func confirm(_ account: Account, in language: MailLanguage, from source: LoginSource) {
    guard !account.isEmailConfirmed, MailAddress(account.email) != nil else { return }
    // The network does not count, because sign-ups have their own limit.
    let pauseMs = rates.withLock {
      $0.consume(Secrets.fingerprint(account.email), of: account.id, nowMs: Reactor.nowMs)
    }
    guard pauseMs == 0 else { return }
    _ = submit(.confirmation, to: account.email, in: language, from: source)
  }

  private func submit(
    _ purpose: MailToken.Purpose, to email: String, in language: MailLanguage, from source: LoginSource
  ) -> Bool {
    let expiresMs = WallClock.unixMs + purpose.lifetimeMs
    return queue.submit(
      MailQueue.Order(purpose: purpose, expiresMs: expiresMs) { [self] in
        try await message(purpose, to: email, in: language, from: source)
      })
  }

  /// Stores a token, and returns the mail with its link. Nil if there is no account to send it to.
  private func message(
    _ purpose: MailToken.Purpose, to email: String, in language: MailLanguage, from source: LoginSource
  ) async throws -> MailMessage? {
    let (token, unixMs) = (Secrets.token(), WallClock.unixMs)
    let stored = MailToken(hash: Secrets.hash(token), purpose: purpose, unixMs: unixMs)
    let account = try await database.addMailToken(stored, email: email, unixMs: unixMs)
    if purpose == .recovery { audit.note(.recoveryRequested, account: account?.id, source) }
    guard let account, let address = MailAddress(account.email) else { return nil }
    let text = MailText(purpose, link: "\(origin)\(purpose.page)#\(token)", origin: origin, in: language)
    // Without the account's name: a stranger may have chosen it at sign-up, as a text for the recipient.
    let recipient = MailMessage.Mailbox(name: HeaderText(""), address: address)
    return MailMessage(
      from: sender, to: recipient, subject: HeaderText(text.subject), language: language, body: text.body,
      unixMs: unixMs)
  }
}

extension MailToken.Purpose {
  /// Path of the page that uses the token. The token follows as fragment, which browsers send to no server. Neither
  /// logs nor `Referer` therefore show it.
  fileprivate var page: String {
    switch self {
    case .recovery: "/reset"
    case .confirmation: "/confirm"
    }
  }
}

extension Problem {
  /// Creates the problem of a refused mail. The problem is the same whether or not the account exists.
  fileprivate static func tooManyMails(pauseMs: Int64) -> Problem {
    let seconds = Int(secondsOf: pauseMs)
    return Problem(
      .tooManyRequests, "too_many_mails",
      "too many mails to this address, for your account, or on requests from your network; look into your mailbox, or "
        + "try again in \(seconds) s", retryAfterSeconds: seconds)
  }
}
