/// An account as its operator sees it.
package struct User: Sendable, Equatable {
  package let account: Account
  /// Time at which logins were disabled, in milliseconds since 1970, UTC. Nil if logins are enabled.
  package let disabledMs: Int64?
  /// Number of sessions that have not expired.
  package let sessions: Int
  /// Number of the account's posts in every state except deleted.
  package let posts: Int
  /// Generated password. Nil except in the reply to the request that generated it, because the store keeps only a hash.
  package var password: String?

  package init(account: Account, disabledMs: Int64?, sessions: Int, posts: Int, password: String? = nil) {
    self.account = account
    self.disabledMs = disabledMs
    self.sessions = sessions
    self.posts = posts
    self.password = password
  }
}

/// An operator's data for a new account, not yet validated.
package struct NewUser: Sendable, Equatable {
  package let email: String
  package let firstName: String
  package let lastName: String
  /// Password for the account. If it is nil, ingest generates one.
  package let password: String?

  package init(email: String, firstName: String, lastName: String, password: String?) {
    self.email = email
    self.firstName = firstName
    self.lastName = lastName
    self.password = password
  }
}

/// An operator's change of an account. A change of logins or password ends the account's sessions. A change of rights
/// does not end any session.
package enum UserChange: Sendable, Equatable {
  /// Disables logins. The account's posts stay.
  case disable
  case enable
  /// Sets this password. If it is nil, ingest generates one.
  case password(String?)
  /// Grants the right to inspect and control the queue.
  case promote
  /// Revokes the right to inspect and control the queue.
  case demote
}
