import ArgumentParser
import Domain
import Foundation

struct QueueCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "queue", abstract: "Inspect and control ingest's queue.",
    discussion: """
      Connects to a socket in ingest's data folder. Only the user that runs ingest
      can open it.

      Examples:
        onthemap queue status
        onthemap queue ls
        onthemap queue retry --reason workers_lost
      """,
    subcommands: [
      QueueStatusCommand.self, QueueListCommand.self, QueueShowCommand.self, QueueRetryCommand.self,
      QueueDiscardCommand.self, QueuePauseCommand.self, QueueResumeCommand.self,
    ])
}

struct QueueStatusCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "status", abstract: "Show the state of the queue, its workers and feeds.",
    usage: "onthemap queue status [<options>]",
    discussion: """
      Rates cover the last \(Limits.rateWindowSeconds) seconds. Commit times cover the
      latest \(Limits.commitTimesKept) commits.

      Examples:
        onthemap queue status
        onthemap queue status --data /var/lib/onthemap --json | jq .dead
      """)

  @Flag(help: "Print one JSON object.")
  var json = false
  @OptionGroup var options: AdminOptions

  func run() async throws {
    try await options.connected { connection in
      guard case .status(let status) = try await connection.send(.status) else { throw SettingError.unexpectedReply }
      if json { return printLine(QueueJSON.status(status)) }
      for line in QueueText(status, unixMs: now()).lines() { printLine(line) }
    }
  }
}

struct QueuePauseCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "pause", abstract: "Stop dispatching jobs until `queue resume`.",
    usage: "onthemap queue pause [<options>]",
    discussion: """
      Ingest still accepts posts and queues them. Workers finish the jobs that they
      hold. Ingest refuses lookups over HTTP. The pause survives a restart.

      Example:
        onthemap queue pause
      """)

  @Flag(help: "Print one JSON object.")
  var json = false
  @OptionGroup var options: AdminOptions

  func run() async throws { try await options.setPaused(.pause, json: json) }
}

struct QueueResumeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "resume", abstract: "Resume dispatching after a pause.",
    usage: "onthemap queue resume [<options>]",
    discussion: """
      Example:
        onthemap queue resume
      """)

  @Flag(help: "Print one JSON object.")
  var json = false
  @OptionGroup var options: AdminOptions

  func run() async throws { try await options.setPaused(.resume, json: json) }
}

extension AdminOptions {
  fileprivate func setPaused(_ request: AdminRequest, json: Bool) async throws {
    try await connected { connection in
      guard case .paused(let sinceMs) = try await connection.send(request) else { throw SettingError.unexpectedReply }
      if json { return printLine(QueueJSON.paused(sinceMs)) }
      printLine(sinceMs.map { "Queue paused since \(timestamp(unixMs: $0))." } ?? "Queue resumed.")
    }
  }
}

/// Returns the time in milliseconds since 1970, UTC.
func now() -> Int64 { Int64(Date().timeIntervalSince1970 * 1_000) }
