import Domain

/// Text and JSON about accounts, for an operator and for programs.
enum UserText {
  static func list(_ users: [User], unixMs: Int64) -> [String] {
    let rows = users.map { user in
      [
        "\(user.account.id.rawValue)", user.account.email,
        [user.account.firstName, user.account.lastName].filter { !$0.isEmpty }.joined(separator: " "),
        shortAge(ms: unixMs - user.account.createdMs), "\(user.sessions)", "\(user.posts)",
        user.disabledMs == nil ? "active" : "disabled", user.account.isOperator ? "operator" : "",
      ]
    }
    return TextTable.lines(
      [["ID", "EMAIL", "NAME", "AGE", "SESSIONS", "POSTS", "STATE", "ROLE"]] + rows, right: [0, 3, 4, 5])
  }

  static func json(_ users: [User], next: AccountID?) -> String {
    line { json in
      json.array("users", users) { add($1, to: &$0) }
      if let next { json.add("next", "\(next.rawValue)") }
    }
  }

  static func json(_ user: User) -> String { line { add(user, to: &$0) } }

  private static func line(_ body: (inout JSONWriter) -> Void) -> String {
    WatchJSON.ascii(JSONWriter.object(body).bytes)
  }

  private static func add(_ user: User, to json: inout JSONWriter) {
    json.add("id", "\(user.account.id.rawValue)")
    json.add("email", user.account.email)
    json.add("firstName", user.account.firstName)
    json.add("lastName", user.account.lastName)
    json.add("createdAt", unixMs: user.account.createdMs)
    json.add("disabled", user.disabledMs != nil)
    if let since = user.disabledMs { json.add("disabledAt", unixMs: since) }
    json.add("operator", user.account.isOperator)
    json.add("sessions", user.sessions)
    json.add("posts", user.posts)
    if let password = user.password { json.add("password", password) }
  }
}
