import ArgumentParser
import Domain
import Foundation

struct UserCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "user", abstract: "Manage accounts.",
    discussion: """
      Connects to a socket in ingest's data folder. Only the user that runs ingest
      can open it. With ingest --sign-up closed, this is the only way to create
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
    usage: "onthemap user ls [<options>]",
    discussion: """
      Examples:
        onthemap user ls
        onthemap user ls --email ada@example.org --json
      """)

  @Option(help: "Email address filter.")
  var email: String?
  @OptionGroup var list: ListOptions
  @Option(help: "Account id, a number. Lists accounts after it.")
  var after: Int64?
  @Flag(help: "Print one JSON object. It has `next` if more accounts may follow.")
  var json = false
  @OptionGroup var options: AdminOptions

  func validate() throws {
    guard after ?? 1 > 0 else {
      throw ValidationError("--after must be an account id, a number above 0, not \(after ?? 0).")
    }
  }

  func run() async throws {
    let request = AdminRequest.users(email: email, after: after.map(AccountID.init), limit: list.limit)
    try await options.connected { connection in
      guard case .users(let users, let next) = try await connection.send(request) else {
        throw SettingError.unexpectedReply
      }
      if json { return printLine(UserText.json(users, next: next)) }
      guard !users.isEmpty else { return printError("No such account.") }
      for line in UserText.list(users, unixMs: now()) { printLine(line) }
      if let next { printError("More accounts: --after \(next.rawValue)") }
    }
  }
}

struct UserCreateCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "create", abstract: "Create an account.",
    usage: "onthemap user create [<options>] <email> --first-name <first-name>",
    discussion: """
      Generates a password and prints it once, unless --password-file is given.

      Example:
        onthemap user create ada@example.org --first-name Ada --last-name Lovelace
      """)

  @Argument(help: "Email address of the account.")
  var email: String
  @Option(help: "First name, visible to all.")
  var firstName: String
  @Option(help: "Last name, visible to all.")
  var lastName = ""
  @OptionGroup var password: PasswordOptions
  @Flag(help: "Print one JSON object.")
  var json = false
  @OptionGroup var options: AdminOptions

  func run() async throws {
    let user = NewUser(email: email, firstName: firstName, lastName: lastName, password: try password.read())
    try await options.change(.addUser(user), json: json) {
      "Created account \($0.account.id.rawValue) for \($0.account.email)."
    }
  }
}

struct UserDisableCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "disable", abstract: "Disable an account and end its sessions.",
    usage: "onthemap user disable [<options>] <email>",
    discussion: """
      The account's posts stay on the map.

      Example:
        onthemap user disable eve@example.org
      """)

  @OptionGroup var account: AccountOptions

  func run() async throws {
    try await account.change(.disable) {
      "\($0.account.email) is disabled. Its sessions have ended."
    }
  }
}

struct UserEnableCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "enable", abstract: "Enable a disabled account. Its password is unchanged.",
    usage: "onthemap user enable [<options>] <email>",
    discussion: """
      Example:
        onthemap user enable eve@example.org
      """)

  @OptionGroup var account: AccountOptions

  func run() async throws {
    try await account.change(.enable) { "\($0.account.email) is enabled." }
  }
}

struct UserResetPasswordCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "reset-password", abstract: "Set a new password, end all sessions and remove provider logins.",
    usage: "onthemap user reset-password [<options>] <email>",
    discussion: """
      Generates a password and prints it once, unless --password-file is given. The
      owner can add provider logins again.

      Example:
        onthemap user reset-password ada@example.org
      """)

  @OptionGroup var account: AccountOptions
  @OptionGroup var password: PasswordOptions

  func run() async throws {
    try await account.change(.password(try password.read())) {
      "Changed the password of \($0.account.email). Its sessions have ended; its provider logins are removed."
    }
  }
}

struct UserPromoteCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "promote", abstract: "Make an account an operator, with access to /admin.",
    usage: "onthemap user promote [<options>] <email>",
    discussion: """
      Takes effect immediately, also for open sessions.

      Example:
        onthemap user promote ada@example.org
      """)

  @OptionGroup var account: AccountOptions

  func run() async throws {
    try await account.change(.promote) {
      "\($0.account.email) is now an operator, with access to /admin."
    }
  }
}

struct UserDemoteCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "demote", abstract: "Remove an account's operator role.",
    usage: "onthemap user demote [<options>] <email>",
    discussion: """
      Example:
        onthemap user demote ada@example.org
      """)

  @OptionGroup var account: AccountOptions

  func run() async throws {
    try await account.change(.demote) {
      "\($0.account.email) is no longer an operator."
    }
  }
}

/// Options of a command that changes an account.
struct AccountOptions: ParsableArguments {
  @Argument(help: "Email address of the account.")
  var email: String
  @Flag(help: "Print one JSON object.")
  var json = false
  @OptionGroup var options: AdminOptions

  /// Changes the account, and prints a sentence about it.
  fileprivate func change(_ change: UserChange, _ sentence: (User) -> String) async throws {
    try await options.change(.setUser(email: email, change), json: json, sentence)
  }
}

/// The source of an account's password. It is never the command line, which other users can see.
struct PasswordOptions: ParsableArguments {
  @Option(help: "File whose first line is the password. - reads standard input.")
  var passwordFile: String?

  /// Returns the password. Nil to generate one.
  ///
  /// - Throws: `SettingError`.
  fileprivate func read() throws -> String? {
    guard let passwordFile else { return nil }
    let path = passwordFile == "-" ? "/dev/stdin" : passwordFile
    // Read to the end: standard input has no length.
    guard let data = FileHandle(forReadingAtPath: path)?.readDataToEndOfFile(),
      let line = String(decoding: data, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false).first,
      !line.isEmpty
    else {
      throw SettingError("--password-file must be a file whose first line is the password, not \"\(passwordFile)\".")
    }
    return String(line)
  }
}

extension AdminOptions {
  /// Changes an account, and prints the outcome.
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
