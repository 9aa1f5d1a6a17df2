import Domain
import Messaging
import Store
import Web

/// Management of accounts for operators. Any thread.
struct UserAdministration: Sendable {
  let database: any AccountStore
  let logins: PasswordLogin

  func list(email: String?, after: AccountID?, limit: Int) async throws -> AdminReply {
    let users = try await database.users(
      email: email.map(UserAdministration.normalized), after: after, limit: limit, unixMs: WallClock.unixMs)
    return .users(users, next: users.count == limit ? users.last?.account.id : nil)
  }

  func add(_ user: NewUser, by: Operator) async throws -> User {
    let generated = user.password == nil ? UserAdministration.randomPassword() : nil
    var registration: Registration
    do {
      registration = try Registration(
        email: user.email, password: user.password ?? generated ?? "", firstName: user.firstName,
        lastName: user.lastName)
    } catch { throw AdminRefusal(error) }
    registration.isEmailConfirmed = true
    let hash = try await self.hash(registration.password)
    do {
      let account = try await database.addAccount(registration, passwordHash: hash, unixMs: WallClock.unixMs)
      logins.audit.note(.accountCreated, account: account.id, by: by)
    } catch is EmailTaken {
      throw AdminRefusal(.invalid, "there is an account with this email address")
    }
    return try await self.user(registration.email, password: generated)
  }

  func set(_ email: String, _ change: UserChange, by: Operator) async throws -> User {
    let id = try await user(email).account.id
    var generated: String?
    switch change {
    case .disable:
      try await database.set(id, .disabled(sinceMs: WallClock.unixMs))
      logins.audit.note(.accountDisabled, account: id, by: by)
    case .enable:
      try await database.set(id, .enabled)
      logins.audit.note(.accountEnabled, account: id, by: by)
    case .password(let given):
      if given == nil { generated = UserAdministration.randomPassword() }
      let password = given ?? generated ?? ""
      do { try Registration.check(password: password) } catch { throw AdminRefusal(error) }
      let hash = try await hash(password)
      _ = try await database.setPassword(of: id, hash, from: nil, ending: .sessionsAndIdentities)
      logins.audit.note(.passwordReset, account: id, by: by)
    case .promote:
      try await database.set(id, .isOperator(true))
      logins.audit.note(.accountPromoted, account: id, by: by)
    case .demote:
      try await database.set(id, .isOperator(false))
      logins.audit.note(.accountDemoted, account: id, by: by)
    }
    return try await user(email, password: generated)
  }

  private func user(_ email: String, password: String? = nil) async throws -> User {
    let found = try await database.users(
      email: UserAdministration.normalized(email), after: nil, limit: 1, unixMs: WallClock.unixMs)
    guard var user = found.first else { throw AdminRefusal(.notFound, "no account has this email address") }
    user.password = password
    return user
  }

  private func hash(_ password: String) async throws -> String {
    let request = PasswordQueue.HashRequest(.known, from: nil)
    do { return try await logins.passwords.hash(password, for: request) } catch is Problem {
      throw AdminRefusal(.busy, "too many logins at the same time; try again later")
    }
  }

  private static func normalized(_ email: String) -> String { email.trimmedLine.lowercased() }

  /// Creates a random password, which the operator passes on to the user.
  private static func randomPassword() -> String { String(Secrets.token().prefix(Limits.generatedPasswordBytes)) }
}

extension AdminRefusal {
  fileprivate init(_ refusal: Submission.Refusal) { self.init(.invalid, "\(refusal.field) \(refusal.reason)") }
}
