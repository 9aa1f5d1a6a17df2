import ArgumentParser
import Conformance
import Domain
import Messaging

/// The options of every conformance run.
struct ConformanceOptions: ParsableArguments {
  @Option(
    help: """
      Timeout for the program's first message, in seconds (\(Limits.conformanceConnectTimeoutSecondsRange.words)).
      """)
  var connectTimeout = ToolLimits.conformanceConnectTimeoutSeconds
  @Flag(help: "Print one JSON object per rule.")
  var json = false
  @OptionGroup var common: CommonOptions
  @Argument(parsing: .postTerminator, help: "Command that starts the program under test, with its arguments.")
  var program: [String] = []

  func validate() throws {
    let range = Limits.conformanceConnectTimeoutSecondsRange
    guard range.contains(connectTimeout) else {
      throw ValidationError("--connect-timeout must be a number of seconds from \(range.words), not \(connectTimeout).")
    }
  }

  /// Runs the suite of a program, and prints the report.
  ///
  /// - Parameters:
  ///   - kind: The program under test.
  ///   - endpoint: Address to bind for the program.
  ///   - settings: Settings of the command.
  /// - Throws: `ExitCode` 1 unless every rule passes.
  func run(_ kind: ProgramUnderTest, bind endpoint: Endpoint, settings: Settings) async throws {
    let logger = makeLogger("conformance", level: settings.logLevel)
    let service = ConformanceService(
      kind, command: program, bind: endpoint, waitMs: Int64(connectTimeout) * 1_000, logger: logger)
    try await runServices([service], settings: settings, logger: logger)
    guard let report = service.report else {
      printError("interrupted before the test ended")
      throw ExitCode(1)
    }
    let text = ConformanceText(report)
    for line in json ? text.json : text.lines { printLine(line) }
    if !report.isComplete { throw ExitCode(1) }
  }
}
