import ArgumentParser
import OnTheMap

struct QueueListCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "ls", abstract: "List posts of the queue, or dead ones, oldest first.",
    discussion: """
      Examples:
        onthemap queue ls
        onthemap queue ls --reason workers_lost --limit 1000 --json
        onthemap queue ls --state delayed --after 4D5ox566Xg
      """)

  @Option(help: "ready, leased, settling, delayed, waiting or dead.")
  var state = "dead"
  @Option(help: "Only dead posts with this code.")
  var reason: String?
  @Option(help: "So many at most, 1 to 1000.")
  var limit = 100
  @Option(help: "Only those behind this post.")
  var after: String?
  @Flag(help: "One JSON object, with next where there may be more.")
  var json = false
  @OptionGroup var options: AdminOptions

  func validate() throws {
    guard QueueState.listed.contains(where: { $0.word == state }) else {
      let words = QueueState.listed.map(\.word).joined(separator: ", ")
      throw ValidationError("--state must be one of \(words), not \"\(state)\".")
    }
    guard (1...Limits.adminPostsMax).contains(limit) else {
      throw ValidationError("--limit must be a number from 1 to \(Limits.adminPostsMax), not \(limit).")
    }
    guard reason == nil || state == QueueState.dead.word else {
      throw ValidationError("--reason goes with --state dead only.")
    }
    if let after { _ = try PostID(argument: after) }
  }

  func run() async throws {
    let word = state
    let state = QueueState.listed.first { $0.word == word } ?? .dead
    let after = try after.map { try PostID(argument: $0) }
    let request = AdminRequest.list(state: state, reason: reason, after: after, limit: limit)
    try await options.connected { connection in
      guard case .list(let entries, let next) = try await connection.ask(request) else {
        throw SettingError.strangeAnswer
      }
      if json { return say(QueueJSON.list(entries, next: next)) }
      guard !entries.isEmpty else { return complain("No post is \(state.word).") }
      for line in QueueEntryText.list(entries, unixMs: now()) { say(line) }
      if let next { complain("There may be more: --after \(next)") }
    }
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
      guard case .report(let entry, let history) = try await connection.ask(.show(id)) else {
        throw SettingError.strangeAnswer
      }
      if json { return say(QueueJSON.report(entry, history)) }
      for line in QueueEntryText.report(entry, history, unixMs: now()) { say(line) }
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
