/// Id of an account. The store never reuses an id.
package struct AccountID: RawRepresentable, Sendable, Hashable {
  package let rawValue: Int64
  package init(rawValue: Int64) { self.rawValue = rawValue }

  /// Returns a fast hash. It is safe, because only the store assigns account ids, so no client can choose ids that
  /// collide.
  package func _rawHashValue(seed: Int) -> Int { UInt64(bitPattern: rawValue).hash(seed: seed) }
}

/// An account that may post. The email address is visible to its owner and to operators only.
package struct Account: Sendable, Equatable {
  package let id: AccountID
  package let email: String
  package let firstName: String
  package let lastName: String
  /// Time of registration, in milliseconds since 1970, UTC.
  package let createdMs: Int64
  /// True if the account has a password. False if its owner can log in only through an identity provider.
  package var hasPassword: Bool
  /// True if the account may inspect and control the queue, with the same rights as the admin socket.
  package var isOperator: Bool
  /// True if the account's owner has proven that the email address is theirs.
  package var isEmailConfirmed: Bool

  package init(
    id: AccountID, email: String, firstName: String, lastName: String, createdMs: Int64, hasPassword: Bool = true,
    isOperator: Bool = false, isEmailConfirmed: Bool = false
  ) {
    self.id = id
    self.email = email
    self.firstName = firstName
    self.lastName = lastName
    self.createdMs = createdMs
    self.hasPassword = hasPassword
    self.isOperator = isOperator
    self.isEmailConfirmed = isEmailConfirmed
  }
}

/// A validated change of an account by its owner. A nil field keeps its current value.
package struct ProfileChange: Sendable {
  /// New email address, in lower case.
  package let email: String?
  package let firstName: String?
  package let lastName: String?

  /// Validates every field that is not nil, by the rules of `Registration`.
  ///
  /// - Throws: `Submission.Refusal`, with the name of the field and the reason.
  package init(email: String?, firstName: String?, lastName: String?) throws(Submission.Refusal) {
    self.email = if let email { try Registration.checked(email: email) } else { nil }
    self.firstName = if let firstName { try Registration.checked(firstName: firstName) } else { nil }
    self.lastName = if let lastName { try Registration.checked(name: lastName, field: "lastName") } else { nil }
  }
}

/// Validated data for a new account.
package struct Registration: Sendable {
  /// Email address in lower case, so that one mailbox has one account.
  package let email: String
  package let password: String
  package let firstName: String
  package let lastName: String
  /// True if an operator vouches for the email address, so that it needs no confirmation.
  package var isEmailConfirmed = false

  /// Validates the fields, and trims whitespace around the address and the names.
  ///
  /// - Throws: `Submission.Refusal`, with the name of the invalid field and the reason. The address must have the form
  ///   of `EmailAddress`. The password must pass `check(password:)`. The first name must not be empty. Each name has at
  ///   most `Limits.nameBytesMax` bytes.
  package init(email: String, password: String, firstName: String, lastName: String) throws(Submission.Refusal) {
    self.email = try Registration.checked(email: email)
    try Registration.check(password: password)
    self.password = password
    self.firstName = try Registration.checked(firstName: firstName)
    self.lastName = try Registration.checked(name: lastName, field: "lastName")
  }

  static func checked(email: String) throws(Submission.Refusal) -> String {
    guard let address = EmailAddress(email) else {
      throw Submission.Refusal(field: "email", reason: "is not an email address such as ada@example.org")
    }
    return address.text
  }

  fileprivate static func checked(firstName: String) throws(Submission.Refusal) -> String {
    let name = try checked(name: firstName, field: "firstName")
    guard !name.isEmpty else { throw Submission.Refusal(field: "firstName", reason: "is empty") }
    return name
  }

  fileprivate static func checked(name: String, field: String) throws(Submission.Refusal) -> String {
    let name = name.trimmedLine
    guard name.utf8.count <= Limits.nameBytesMax else {
      throw Submission.Refusal(field: field, reason: "is longer than \(Limits.nameBytesMax) bytes")
    }
    if let reason = VisibleText(name).refusalReason { throw Submission.Refusal(field: field, reason: reason) }
    return name
  }

  /// Checks that a password has `Limits.passwordBytesMin` … `passwordBytesMax` bytes, and that it is not a common one.
  /// Every character is valid.
  ///
  /// - Throws: `Submission.Refusal`, with the field `password` and the reason.
  package static func check(password: String) throws(Submission.Refusal) {
    guard (Limits.passwordBytesMin...Limits.passwordBytesMax).contains(password.utf8.count) else {
      throw Submission.Refusal(
        field: "password",
        reason: "must have \(Limits.passwordBytesMin) to \(Limits.passwordBytesMax) bytes")
    }
    guard !CommonPasswords.contains(password) else {
      throw Submission.Refusal(
        field: "password", reason: "is too common; choose another one")
    }
  }
}
