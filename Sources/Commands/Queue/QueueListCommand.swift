import ArgumentParser
import Domain

struct QueueListCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "ls", abstract: "List posts that wait, or dead ones, oldest first.",
    discussion: """
      A post waits until it is published, rejected or dead. Dead posts are out of the
      queue, for an operator to retry or drop.

      Examples:
        onthemap queue ls
        onthemap queue ls --state dead
        onthemap queue ls --reason workers_lost --limit 1000 --json
        onthemap queue ls --state delayed --after 4D5ox566Xg
      """)

  @Option(
    help: "Only posts in this state: ready, leased, settling, delayed, waiting or dead. [default: all but dead]")
  var state: String?
  @Option(help: "Only dead posts with this code; --state dead is understood.")
  var reason: String?
  @OptionGroup var list: ListOptions
  @Option(help: "Only those behind this post.")
  var after: String?
  @Flag(help: "One JSON object, with next where there may be more.")
  var json = false
  @OptionGroup var options: AdminOptions

  func validate() throws {
    if let state, !QueueState.listed.contains(where: { $0.word == state }) {
      let words = QueueState.listed.map(\.word).joined(separator: ", ")
      throw ValidationError("--state must be one of \(words), not \"\(state)\".")
    }
    guard reason == nil || state == nil || state == QueueState.dead.word else {
      throw ValidationError("--reason goes with --state dead only.")
    }
    if let after { _ = try PostID(argument: after) }
  }

  func run() async throws {
    let word = reason == nil ? state : QueueState.dead.word
    let state = QueueState.listed.first { $0.word == word }
    let after = try after.map { try PostID(argument: $0) }
    let request = AdminRequest.list(state: state, reason: reason, after: after, limit: list.limit)
    try await options.connected { connection in
      guard case .list(let entries, let next) = try await connection.send(request) else {
        throw SettingError.unexpectedReply
      }
      if json { return printLine(QueueJSON.list(entries, next: next)) }
      guard !entries.isEmpty else {
        if let state { return printError("No post is \(state.word).") }
        return printError("No post waits\(try await deadRemark(connection)).")
      }
      for line in QueueEntryText.list(entries, unixMs: now()) { printLine(line) }
      if let next { printError("There may be more: --after \(next)") }
    }
  }

  /// Returns a remark that points to the dead posts; empty without any.
  private func deadRemark(_ connection: AdminConnection) async throws -> String {
    guard case .status(let status) = try await connection.send(.status), status.dead > 0 else { return "" }
    return "; \(counted(status.dead, "post")) \(status.dead == 1 ? "is" : "are") dead: --state dead"
  }
}

struct QueueShowCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show", abstract: "Show one post, and what happened to it.",
    discussion: """
      Example:
        onthemap queue show 4D5ox566Xg
      """)

  @Argument(help: "The post's id.")
  var id: String
  @Flag(help: "One JSON object.")
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
  /// Throws `ValidationError` for a text that is no id.
  init(argument: String) throws {
    guard let id = PostID(argument) else {
      throw ValidationError("\"\(argument)\" is not the id of a post: 10 characters of 0-9, A-Z, a-z.")
    }
    self = id
  }
}
