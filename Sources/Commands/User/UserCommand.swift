import ArgumentParser
import Domain
import Foundation

struct UserCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "user", abstract: "See accounts, make them, and close them to logins.",
    discussion: """
      Talks to ingest over a socket in the folder of its data, which only the user
      that runs ingest may open. With ingest --sign-up closed nobody else makes
      accounts.

      Examples:
        onthemap user create ada@example.org --first-name Ada --last-name Lovelace
        onthemap user ls
        onthemap user disable eve@example.org
        onthemap user promote ada@example.org
      """,
    subcommands: [
      UserListCommand.self, UserCreateCommand.self, UserDisableCommand.self, UserEnableCommand.self,
      UserResetPasswordCommand.self, UserPromoteCommand.self, UserDemoteCommand.self,
    ])
}

struct UserListCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "ls", abstract: "List accounts, oldest first.",
    discussion: """
      Examples:
        onthemap user ls
        onthemap user ls --email ada@example.org --json
      """)

  @Option(help: "Only the one with this address.")
  var email: String?
  @OptionGroup var list: ListOptions
  @Option(help: "Only those behind the account with this number.")
  var after: Int64?
  @Flag(help: "One JSON object, with next where there may be more.")
  var json = false
  @OptionGroup var options: AdminOptions

  func validate() throws {
    guard after ?? 1 > 0 else { throw ValidationError("--after must be the number of an account.") }
  }

  func run() async throws {
    let request = AdminRequest.users(email: email, after: after.map(AccountID.init), limit: list.limit)
    try await options.connected { connection in
      guard case .users(let users, let next) = try await connection.send(request) else {
        throw SettingError.unexpectedReply
      }
      if json { return printLine(UserText.json(users, next: next)) }
      guard !users.isEmpty else { return printError("There is no such account.") }
      for line in UserText.list(users, unixMs: now()) { printLine(line) }
      if let next { printError("There may be more: --after \(next.rawValue)") }
    }
  }
}

struct UserCreateCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "create", abstract: "Make an account.",
    discussion: """
      Its password is made up, and said once, unless --password-file has one.

      Example:
        onthemap user create ada@example.org --first-name Ada --last-name Lovelace
      """)

  @Argument(help: "The e-mail address to log in with.")
  var email: String
  @Option(help: "As everybody sees it.")
  var firstName: String
  @Option(help: "As everybody sees it.")
  var lastName = ""
  @OptionGroup var password: PasswordOptions
  @Flag(help: "One JSON object.")
  var json = false
  @OptionGroup var options: AdminOptions

  func run() async throws {
    let user = NewUser(email: email, firstName: firstName, lastName: lastName, password: try password.given())
    try await options.change(.addUser(user), json: json) {
      "\($0.account.email) has an account, \($0.account.id.rawValue)."
    }
  }
}

struct UserDisableCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "disable", abstract: "End an account's sessions, and let nobody log in to it.",
    discussion: """
      Its posts stay.

      Example:
        onthemap user disable eve@example.org
      """)

  @OptionGroup var account: AccountOptions

  func run() async throws {
    try await account.change(.disable) {
      "Nobody logs in to \($0.account.email) any more, and its sessions are over."
    }
  }
}

struct UserEnableCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "enable", abstract: "Take back what disable did; the password is as before.",
    discussion: """
      Example:
        onthemap user enable eve@example.org
      """)

  @OptionGroup var account: AccountOptions

  func run() async throws {
    try await account.change(.enable) { "\($0.account.email) may log in again." }
  }
}

struct UserResetPasswordCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "reset-password", abstract: "Give an account another password, and end all else that opens it.",
    discussion: """
      Its sessions end, and its logins with providers are taken away; their owner
      can add them again. The password is made up, and said once, unless
      --password-file has one.

      Example:
        onthemap user reset-password ada@example.org
      """)

  @OptionGroup var account: AccountOptions
  @OptionGroup var password: PasswordOptions

  func run() async throws {
    try await account.change(.password(try password.given())) {
      "\($0.account.email) has another password; its sessions and logins with providers are gone."
    }
  }
}

struct UserPromoteCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "promote", abstract: "Make an account an operator's: it sees the queue and steers it, at /admin.",
    discussion: """
      At once, also where it is logged in.

      Example:
        onthemap user promote ada@example.org
      """)

  @OptionGroup var account: AccountOptions

  func run() async throws {
    try await account.change(.promote) {
      "\($0.account.email) is an operator: /admin is open to it."
    }
  }
}

struct UserDemoteCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "demote", abstract: "Take back what promote did.",
    discussion: """
      Example:
        onthemap user demote ada@example.org
      """)

  @OptionGroup var account: AccountOptions

  func run() async throws {
    try await account.change(.demote) {
      "\($0.account.email) is no operator any more."
    }
  }
}

/// Options of a command that changes one account.
struct AccountOptions: ParsableArguments {
  @Argument(help: "The account's e-mail address.")
  var email: String
  @Flag(help: "One JSON object.")
  var json = false
  @OptionGroup var options: AdminOptions

  /// Changes the account, and prints a sentence about it.
  fileprivate func change(_ change: UserChange, _ sentence: (User) -> String) async throws {
    try await options.change(.setUser(email: email, change), json: json, sentence)
  }
}

/// Where an account's password comes from: never from the command line, which others can see.
struct PasswordOptions: ParsableArguments {
  @Option(help: "A file whose first line is the password; - for standard input.")
  var passwordFile: String?

  /// Nil: one is to be made up. Throws `SettingError`.
  fileprivate func given() throws -> String? {
    guard let passwordFile else { return nil }
    let path = passwordFile == "-" ? "/dev/stdin" : passwordFile
    // Read to its end: standard input has no length.
    guard let data = FileHandle(forReadingAtPath: path)?.readDataToEndOfFile(),
      let line = String(decoding: data, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false).first,
      !line.isEmpty
    else {
      throw SettingError("--password-file must be a file with a password in its first line, not \"\(passwordFile)\".")
    }
    return String(line)
  }
}

extension AdminOptions {
  /// Changes an account, and says what has become of it.
  fileprivate func change(
    _ request: AdminRequest, json: Bool, _ sentence: (User) -> String
  ) async throws {
    try await connected { connection in
      guard case .user(let user) = try await connection.send(request) else { throw SettingError.unexpectedReply }
      if json { return printLine(UserText.json(user)) }
      printLine(sentence(user))
      if let password = user.password { printLine("Password: \(password)") }
    }
  }
}
