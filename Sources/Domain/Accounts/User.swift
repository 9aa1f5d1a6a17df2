/// An account as its operator sees it.
package struct User: Sendable, Equatable {
  package let account: Account
  /// Since when nobody logs in to it, ms since 1970, UTC; nil: not so.
  package let disabledMs: Int64?
  /// Sessions that are not over.
  package let sessions: Int
  /// Its posts, whatever became of them, but for deleted ones.
  package let posts: Int
  /// Only where it has just been made up: it is stored nowhere.
  package var password: String?

  package init(account: Account, disabledMs: Int64?, sessions: Int, posts: Int, password: String? = nil) {
    self.account = account
    self.disabledMs = disabledMs
    self.sessions = sessions
    self.posts = posts
    self.password = password
  }
}

/// What an operator gives to make an account; not looked at yet.
package struct NewUser: Sendable, Equatable {
  package let email: String
  package let firstName: String
  package let lastName: String
  /// Nil: one is to be made up.
  package let password: String?

  package init(email: String, firstName: String, lastName: String, password: String?) {
    self.email = email
    self.firstName = firstName
    self.lastName = lastName
    self.password = password
  }
}

/// What an operator does to an account. Its sessions are over, but where it is about what it may do.
package enum UserChange: Sendable, Equatable {
  /// Nobody logs in to it from now on; its posts stay.
  case disable
  case enable
  /// It has this password from now on; nil: one is to be made up.
  case password(String?)
  /// It sees the queue and steers it from now on.
  case promote
  /// It does so no more.
  case demote
}
