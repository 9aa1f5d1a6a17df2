/// Who posts: a row number, never reused.
package struct AccountID: RawRepresentable, Sendable, Hashable {
  package let rawValue: Int64
  package init(rawValue: Int64) { self.rawValue = rawValue }

  /// Accounts are numbered one after the other.
  package func _rawHashValue(seed: Int) -> Int { UInt64(bitPattern: rawValue).hash(seed: seed) }
}

/// Somebody who may post. The e-mail address is shown to nobody else.
package struct Account: Sendable, Equatable {
  package let id: AccountID
  package let email: String
  package let firstName: String
  package let lastName: String
  /// Milliseconds since 1970, UTC.
  package let createdMs: Int64
  /// Whether it can be logged in to with a password; otherwise only as somebody whom a provider knows.
  package var hasPassword: Bool
  /// Whether it may see the queue and steer it, as the admin socket may.
  package var isOperator: Bool

  package init(
    id: AccountID, email: String, firstName: String, lastName: String, createdMs: Int64, hasPassword: Bool = true,
    isOperator: Bool = false
  ) {
    self.id = id
    self.email = email
    self.firstName = firstName
    self.lastName = lastName
    self.createdMs = createdMs
    self.hasPassword = hasPassword
    self.isOperator = isOperator
  }
}

/// What becomes of an account's own data. One that exists is valid.
package struct ProfileChange: Sendable {
  /// Lower case; nil where it stays, as for the others.
  package let email: String?
  package let firstName: String?
  package let lastName: String?

  /// Throws `Submission.Refusal`, by the rules of `Registration`.
  package init(email: String?, firstName: String?, lastName: String?) throws(Submission.Refusal) {
    self.email = if let email { try Registration.checked(email: email) } else { nil }
    self.firstName = if let firstName { try Registration.checked(firstName: firstName) } else { nil }
    self.lastName = if let lastName { try Registration.checked(name: lastName, field: "lastName") } else { nil }
  }
}

/// What somebody gives to get an account. A registration that exists is a valid one.
package struct Registration: Sendable {
  /// Lower case: the same mailbox is one account.
  package let email: String
  package let password: String
  package let firstName: String
  package let lastName: String

  /// Throws `Submission.Refusal`, with the field, for an address without its parts or above `Limits.emailBytesMax`, a
  /// password outside `Limits.passwordBytesMin` … `passwordBytesMax`, an empty first name, or a name above
  /// `Limits.nameBytesMax`. Blanks around address and names are dropped.
  package init(email: String, password: String, firstName: String, lastName: String) throws(Submission.Refusal) {
    self.email = try Registration.checked(email: email)
    try Registration.check(password: password)
    self.password = password
    self.firstName = try Registration.checked(firstName: firstName)
    self.lastName = try Registration.checked(name: lastName, field: "lastName")
  }

  static func checked(email: String) throws(Submission.Refusal) -> String {
    let email = email.trimmedLine.lowercased()
    let parts = email.split(separator: "@", omittingEmptySubsequences: false)
    guard parts.count == 2, parts.allSatisfy({ !$0.isEmpty }), !email.contains(where: \.isWhitespace),
      email.utf8.count <= Limits.emailBytesMax, email.isSafeLine,
      // Two addresses that look alike must not be two accounts.
      !email.unicodeScalars.contains(where: \.properties.isDefaultIgnorableCodePoint)
    else {
      throw Submission.Refusal(field: "email", reason: "is not an e-mail address such as ada@example.org")
    }
    return email
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
    if let complaint = VisibleText(name).complaint { throw Submission.Refusal(field: field, reason: complaint) }
    return name
  }

  /// Throws what is wrong with a password: it may be anything, typed or pasted, of a length within its limits, but for
  /// what everybody tries first.
  package static func check(password: String) throws(Submission.Refusal) {
    guard (Limits.passwordBytesMin...Limits.passwordBytesMax).contains(password.utf8.count) else {
      throw Submission.Refusal(
        field: "password",
        reason: "must have \(Limits.passwordBytesMin) to \(Limits.passwordBytesMax) bytes")
    }
    guard !CommonPasswords.contains(password) else {
      throw Submission.Refusal(
        field: "password", reason: "is one of those that are tried first; take one that nobody else would think of")
    }
  }
}
