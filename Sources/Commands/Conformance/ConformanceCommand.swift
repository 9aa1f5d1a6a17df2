import ArgumentParser
import Conformance
import Domain
import Messaging

struct ConformanceCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "conformance", abstract: "Test a program against the protocol, rule by rule.",
    discussion: """
      Acts as the other end of a link. Reports pass, fail or inconclusive for each
      rule of proto/README.md that it can observe. Exit status 0 if every rule
      passes, otherwise 1.

      Examples:
        onthemap conformance worker
        onthemap conformance feed --json
      """,
    subcommands: [
      ConformanceWorkerCommand.self, ConformanceSubscriberCommand.self, ConformanceProducerCommand.self,
      ConformanceFeedCommand.self,
    ])
}

struct ConformanceWorkerCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "worker", abstract: "Test a geocoding worker.",
    usage: "onthemap conformance worker [<options>] -- [<program> ...]",
    discussion: """
      Acts as ingest on the job link for 20 to 40 seconds. Sends refusals, repeated
      jobs and malformed frames, opens a new session, falls silent, and leaves
      results unacknowledged.

      A job may take up to \(Limits.conformanceJobMsMax / 1_000) seconds. A slow first job extends the
      later deadlines, so the test takes longer. Only a job longer than the
      heartbeat interval (\(Limits.conformanceHeartbeatMs / 1_000) s) tests that heartbeats list held jobs.

      Not tested: a Welcome with a lower session number, the leases of Release at
      shutdown, and more than 64 held leases.

      Start the worker yourself, or pass its command after --, with {jobs} in place
      of the address. With a command, the run also tests shutdown, and the worker's
      output goes to standard error. The worker must find the place given by
      --query.

      Examples:
        onthemap conformance worker
        onthemap conformance worker --query Avalon -- \\
          python worker.py places.tsv {jobs}
        onthemap conformance worker --jobs tcp://127.0.0.1:0 --json -- \\
          onthemap worker --operations none --ingest {jobs}
      """)

  @Option(.jobs, "Address to bind for the worker. Port 0 selects a free port.")
  var jobs: String?
  @Option(help: "Place name that the worker finds, 1 to \(Limits.placeBytesMax) bytes.")
  var query = "Seattle, WA"
  @OptionGroup var options: ConformanceOptions

  func validate() throws {
    guard (1...Limits.placeBytesMax).contains(query.utf8.count) else {
      throw ValidationError("--query must be 1 to \(Limits.placeBytesMax) bytes, not \(query.utf8.count).")
    }
  }

  func run() async throws {
    let settings = try await Settings(options.common)
    let endpoint = try settings.endpoint(.jobs, flag: jobs)
    try await options.run(.worker(query: query), bind: endpoint, settings: settings)
  }
}

struct ConformanceSubscriberCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "subscriber", abstract: "Test a level 1 subscriber of the feed.",
    usage: "onthemap conformance subscriber [<options>] -- [<program> ...]",
    discussion: """
      Acts as a feed for about 40 seconds, and as a second feed on a free port.
      Sends duplicate and overlapping deltas, gaps, wrong hashes, a new epoch,
      malformed frames and Bye. Falls silent, and leaves joins unanswered. After a
      Bye it closes its port for a second.

      Start the subscriber yourself, or pass its command after --, with {feed} in
      place of the address. With a command, the run also checks the subscriber's
      standard output, which must be one JSON object per line:
        kind       snapshot, delta, resync or stale
        epoch      32 hexadecimal digits
        seq        a number
        stateHash  16 hexadecimal digits
        live       false while the list may be wrong
      Other output goes to standard error.

      Examples:
        onthemap conformance subscriber
        onthemap conformance subscriber --publish tcp://127.0.0.1:0 -- \\
          python subscriber.py --json {feed}
      """)

  @Option(.publish, "Address to bind for the subscriber. Port 0 selects a free port.")
  var publish: String?
  @OptionGroup var options: ConformanceOptions

  func run() async throws {
    let settings = try await Settings(options.common)
    let endpoint = try settings.endpoint(.publish, flag: publish)
    try await options.run(.subscriber, bind: endpoint, settings: settings)
  }
}

struct ConformanceFeedCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "feed", abstract: "Test a feed.",
    usage: "onthemap conformance feed [<options>] -- [<program> ...]",
    discussion: """
      Acts as ingest on the change log and as clients of the feed, for about a
      minute. Sends bursts of changes, deletions, malformed replies, wrong and
      outdated lists and a new epoch, and falls silent. Subscribers join in between,
      some with invalid topics.

      Start the feed yourself, or pass its command after --, with {changes} in place
      of ingest's address. With a command, the run also tests shutdown, and the
      feed's output goes to standard error. The feed must start without a saved
      snapshot (--data none).

      Examples:
        onthemap conformance feed
        onthemap conformance feed --changes tcp://127.0.0.1:0 -- onthemap feed \\
          --data none --operations none --ingest {changes}
      """)

  @Option(.changes, "Address to bind for the feed. Port 0 selects a free port.")
  var changes: String?
  @Option(.feed, "Address at which the feed publishes.")
  var feed: String?
  @Option(.query, "Address of the feed's query API, or none.", default: .value(Setting.query.exampleValue))
  var query: String?
  @OptionGroup var options: ConformanceOptions

  func run() async throws {
    let settings = try await Settings(options.common)
    let endpoint = try settings.endpoint(.changes, flag: changes)
    let feed = try settings.endpoint(.feed, flag: feed)
    let queryEndpoint =
      try query == "none" ? nil : settings.endpoint(.query, flag: query, default: Setting.query.exampleValue)
    try await options.run(.feed(publish: feed, query: queryEndpoint), bind: endpoint, settings: settings)
  }
}
