import ArgumentParser
import Domain
import Foundation

struct QueueCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "queue", abstract: "See into ingest's queue, and steer it.",
    discussion: """
      Talks to ingest over a socket in the folder of its data, which only the user that
      runs ingest may open.

      Examples:
        onthemap queue status
        onthemap queue ls
        onthemap queue retry --reason workers_lost
      """,
    subcommands: [
      QueueStatusCommand.self, QueueListCommand.self, QueueShowCommand.self, QueueRetryCommand.self,
      QueueDropCommand.self, QueuePauseCommand.self, QueueResumeCommand.self,
    ])
}

struct QueueStatusCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "status", abstract: "Tell how the queue, its workers and its feeds are.",
    discussion: """
      Rates are of the last \(Limits.rateWindowSeconds) seconds, commit times of the latest \
      \(Limits.commitTimesKept) commits.

      Examples:
        onthemap queue status
        onthemap queue status --data /var/lib/onthemap --json | jq .dead
      """)

  @Flag(help: "One JSON object.")
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
    commandName: "pause", abstract: "Send nothing new to workers, until resume.",
    discussion: """
      Posts are accepted as before, and wait; what workers have already comes home.
      Look-ups over HTTP are refused meanwhile. Stays over a restart of ingest.

      Example:
        onthemap queue pause
      """)

  @Flag(help: "One JSON object.")
  var json = false
  @OptionGroup var options: AdminOptions

  func run() async throws { try await options.setPaused(.pause, json: json) }
}

struct QueueResumeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "resume", abstract: "Let the queue go on after pause.",
    discussion: """
      Example:
        onthemap queue resume
      """)

  @Flag(help: "One JSON object.")
  var json = false
  @OptionGroup var options: AdminOptions

  func run() async throws { try await options.setPaused(.resume, json: json) }
}

extension AdminOptions {
  fileprivate func setPaused(_ request: AdminRequest, json: Bool) async throws {
    try await connected { connection in
      guard case .paused(let sinceMs) = try await connection.send(request) else { throw SettingError.unexpectedReply }
      if json { return printLine(QueueJSON.paused(sinceMs)) }
      printLine(sinceMs.map { "The queue is paused since \(timestamp(unixMs: $0))." } ?? "The queue goes on.")
    }
  }
}

/// Milliseconds since 1970, UTC.
func now() -> Int64 { Int64(Date().timeIntervalSince1970 * 1_000) }
