import ArgumentParser
import Domain

struct QueueListCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "ls", abstract: "List queued or dead posts, oldest first.",
    usage: "onthemap queue ls [<options>]",
    discussion: """
      A post is queued until it is published, rejected or dead. An operator can
      retry or discard dead posts.

      Examples:
        onthemap queue ls
        onthemap queue ls --state dead
        onthemap queue ls --reason workers_lost --limit 1000 --json
        onthemap queue ls --state delayed --after 4D5ox566Xg
      """)

  @Option(
    help: "State filter: ready, leased, committing, delayed, waiting_remote or dead. (default: all but dead)")
  var state: String?
  @Option(help: "Reason code of dead posts. Implies --state dead.")
  var reason: String?
  @OptionGroup var list: ListOptions
  @Option(help: "Post id. Lists posts after it.")
  var after: String?
  @Flag(help: "Print one JSON object. It has `next` if more posts may follow.")
  var json = false
  @OptionGroup var options: AdminOptions

  func validate() throws {
    if let state, !QueueState.listed.contains(where: { $0.name == state }) {
      let names = QueueState.listed.map(\.name).joined(separator: ", ")
      throw ValidationError("--state must be one of \(names), not \"\(state)\".")
    }
    guard reason == nil || state == nil || state == QueueState.dead.name else {
      throw ValidationError("--reason requires --state dead.")
    }
    if let after { _ = try PostID(argument: after) }
  }

  func run() async throws {
    let stateName = reason == nil ? state : QueueState.dead.name
    let state = QueueState.listed.first { $0.name == stateName }
    let after = try after.map { try PostID(argument: $0) }
    let request = AdminRequest.list(state: state, reason: reason, after: after, limit: list.limit)
    try await options.connected { connection in
      guard case .list(let entries, let next) = try await connection.send(request) else {
        throw SettingError.unexpectedReply
      }
      if json { return printLine(QueueJSON.list(entries, next: next)) }
      guard !entries.isEmpty else {
        if let state { return printError("No \(state.name) posts.") }
        return printError("No queued posts\(try await deadRemark(connection)).")
      }
      for line in QueueEntryText.list(entries, unixMs: now()) { printLine(line) }
      if let next { printError("More posts: --after \(next)") }
    }
  }

  /// Returns a remark that points to the dead posts. Empty if there are none.
  private func deadRemark(_ connection: AdminConnection) async throws -> String {
    guard case .status(let status) = try await connection.send(.status), status.dead > 0 else { return "" }
    return "; \(counted(status.dead, "dead post")): --state dead"
  }
}

struct QueueShowCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show", abstract: "Show a post and its history.",
    usage: "onthemap queue show [<options>] <id>",
    discussion: """
      Example:
        onthemap queue show 4D5ox566Xg
      """)

  @Argument(help: "Post id.")
  var id: String
  @Flag(help: "Print one JSON object.")
  var json = false
  @OptionGroup var options: AdminOptions

  func validate() throws { _ = try PostID(argument: id) }

  func run() async throws {
    let id = try PostID(argument: id)
    try await options.connected { connection in
      guard case .report(let entry, let history) = try await connection.send(.show(id)) else {
        throw SettingError.unexpectedReply
      }
      if json { return printLine(QueueJSON.report(entry, history)) }
      for line in QueueEntryText.report(entry, history, unixMs: now()) { printLine(line) }
    }
  }
}

extension PostID {
  /// Parses an argument.
  ///
  /// - Throws: `ValidationError` if the text is not an id.
  init(argument: String) throws {
    guard let id = PostID(argument) else {
      throw ValidationError("\"\(argument)\" is not a post id. An id has 10 characters of 0-9, A-Z and a-z.")
    }
    self = id
  }
}
