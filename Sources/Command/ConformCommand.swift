import ArgumentParser
import Link
import OnTheMap

struct ConformCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "conform", abstract: "Examine a program that speaks our protocol, rule by rule.",
    discussion: """
      Plays the other end of a link, and says of each rule of proto/README.md that can
      be seen from there whether it holds, does not hold, or was not shown. Exits with 0
      when all hold, else with 1.
      """,
    subcommands: [ConformWorkerCommand.self])
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

  @Option(
    help: "The address for the worker; port 0 takes a free one. [ONTHEMAP_JOBS, default: tcp://127.0.0.1:7701]")
  var jobs: String?
  @Option(help: "A text that the worker finds, 1 to 256 bytes.")
  var query = "Seattle, WA"
  @Option(help: "How many seconds to wait for the worker, 1 to 600.")
  var wait = 30
  @Flag(help: "One JSON object for each rule.")
  var json = false
  @OptionGroup var common: CommonOptions
  @Argument(parsing: .postTerminator, help: "The program that is the worker, with its arguments.")
  var program: [String] = []

  func validate() throws {
    let range = Limits.examWaitSecondsRange
    guard range.contains(wait) else {
      throw ValidationError(
        "--wait must be a number of seconds from \(range.lowerBound) to \(range.upperBound), not \(wait).")
    }
    guard (1...Limits.placeBytesMax).contains(query.utf8.count) else {
      throw ValidationError("--query must be 1 to \(Limits.placeBytesMax) bytes, not \(query.utf8.count).")
    }
  }

  func run() async throws {
    let settings = try await Settings(common)
    let endpoint = try settings.endpoint(.jobs, flag: jobs, default: "tcp://127.0.0.1:7701")
    let logger = makeLogger("conform", level: settings.logLevel)
    let service = ConformService(
      bind: endpoint, program: program, query: query, waitMs: Int64(wait) * 1_000, logger: logger)
    try await serve([service], settings: settings, logger: logger)
    guard let conformance = service.conformance else {
      complain("Ended before the exam was over.")
      throw ExitCode(1)
    }
    let text = ConformText(conformance)
    for line in json ? text.json : text.lines { say(line) }
    if !conformance.isWhole { throw ExitCode(1) }
  }
}
