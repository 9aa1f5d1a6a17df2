import ArgumentParser
import Conformance
import Domain
import Messaging

struct ConformCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "conform", abstract: "Examine a program that speaks our protocol, rule by rule.",
    discussion: """
      Plays the other end of a link, and says of each rule of proto/README.md that
      can be seen from there whether it holds, does not hold, or was not shown.
      Exits with 0 when all hold, else with 1.
      """,
    subcommands: [
      ConformWorkerCommand.self, ConformSubscriberCommand.self, ConformProducerCommand.self, ConformFeedCommand.self,
    ])
}

struct ConformWorkerCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "worker", abstract: "Examine a geocoding worker.",
    discussion: """
      Plays ingest on the job link, for about half a minute: refusals, repeated jobs,
      results that nobody acknowledges, a new session, frames that nobody can read,
      silence. The worker is started by hand, or behind --, with {jobs} where its
      address belongs; then it is also told to end, and what it prints goes to standard
      error. What is needed of its answers is one place that it finds (--query).

      Examples:
        onthemap conform worker
        onthemap conform worker --query Avalon -- python work.py places.tsv {jobs}
        onthemap conform worker --jobs tcp://127.0.0.1:0 --json -- \\
          onthemap geocoder --operations none --ingest {jobs}
      """)

  @Option(.jobs, "The address for the worker; port 0 takes a free one.")
  var jobs: String?
  @Option(help: "A text that the worker finds, 1 to \(Limits.placeBytesMax) bytes.")
  var query = "Seattle, WA"
  @OptionGroup var options: ConformOptions

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

struct ConformSubscriberCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "subscriber", abstract: "Examine a subscriber of the feed, of level 1.",
    discussion: """
      Plays a feed, for half a minute: joins that bring nothing, changes that come
      twice, overlap or are missing, lists with a wrong hash, another history, frames
      that nobody can read, silence, goodbyes, and another feed on a free port of the
      same host. The subscriber is started by hand, or behind --, with {feed} where its
      address belongs. Then its lists are seen too, if it prints them on standard output
      as JSON objects, one a line: "kind" (snapshot, delta, lost or stale; list is a
      snapshot), "epoch" (32 hexadecimal digits), "seq", "stateHash" (16 hexadecimal
      digits), and "live": false where the list may be wrong. Everything else that it
      prints goes to standard error.

      Examples:
        onthemap conform subscriber
        onthemap conform subscriber --publish tcp://127.0.0.1:0 -- \\
          python follow.py --json {feed}
      """)

  @Option(.publish, "The address for the subscriber; port 0 takes a free one.")
  var publish: String?
  @OptionGroup var options: ConformOptions

  func run() async throws {
    let settings = try await Settings(options.common)
    let endpoint = try settings.endpoint(.publish, flag: publish)
    try await options.run(.subscriber, bind: endpoint, settings: settings)
  }
}

struct ConformFeedCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "feed", abstract: "Examine a feed.",
    discussion: """
      Plays ingest on the change log, and subscribers and askers at the feed's own
      addresses, for about a minute: a fetch that nobody answers, many changes at once,
      a deletion, joins in the middle and joins that are none, answers that nobody can
      read, lists that are wrong or old, another history, silence. The feed is started by
      hand, or behind --, with {changes} where ingest's address belongs; then it is also
      told to end, and what it prints goes to standard error. It has to begin without a
      list that it has kept.

      Examples:
        onthemap conform feed
        onthemap conform feed --changes tcp://127.0.0.1:0 -- onthemap feed \\
          --data none --operations none --ingest {changes}
      """)

  @Option(.changes, "The address for the feed; port 0 takes a free one.")
  var changes: String?
  @Option(.feed, "Where the feed publishes.")
  var feed: String?
  @Option(.query, "Where the feed answers questions, or none.", default: .value(Setting.query.exampleValue))
  var query: String?
  @OptionGroup var options: ConformOptions

  func run() async throws {
    let settings = try await Settings(options.common)
    let endpoint = try settings.endpoint(.changes, flag: changes)
    let feed = try settings.endpoint(.feed, flag: feed)
    let asked = try query == "none" ? nil : settings.endpoint(.query, flag: query, default: Setting.query.exampleValue)
    try await options.run(.feed(publish: feed, query: asked), bind: endpoint, settings: settings)
  }
}
