/// An account as its operator sees it.
package struct User: Sendable, Equatable {
  package let account: Account
  /// Time at which logins were disabled, in milliseconds since 1970, UTC. Nil if they are enabled.
  package let disabledMs: Int64?
  /// Number of sessions that have not expired.
  package let sessions: Int
  /// Number of its posts in every state except deleted.
  package let posts: Int
  /// Generated password, only in the reply that creates it. The store has only its hash.
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
  /// Password for the account. With nil, ingest generates one.
  package let password: String?

  package init(email: String, firstName: String, lastName: String, password: String?) {
    self.email = email
    self.firstName = firstName
    self.lastName = lastName
    self.password = password
  }
}

/// An operator's change of an account. Changes to its logins or password end its sessions; changes of its rights do
/// not.
package enum UserChange: Sendable, Equatable {
  /// Disables logins. The account's posts stay.
  case disable
  case enable
  /// Sets this password. With nil, ingest generates one.
  case password(String?)
  /// Grants the right to inspect and control the queue.
  case promote
  /// Revokes the right to inspect and control the queue.
  case demote
}
