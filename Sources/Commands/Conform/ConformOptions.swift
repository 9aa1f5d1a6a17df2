import ArgumentParser
import Conformance
import Domain
import Messaging

/// The options of every conformance run.
struct ConformOptions: ParsableArguments {
  @Option(help: "How many seconds to wait for the program to come, \(Limits.conformanceWaitSecondsRange.words).")
  var wait = ToolLimits.conformanceWaitSeconds
  @Flag(help: "One JSON object for each rule.")
  var json = false
  @OptionGroup var common: CommonOptions
  @Argument(parsing: .postTerminator, help: "The program that is examined, with its arguments.")
  var program: [String] = []

  func validate() throws {
    let range = Limits.conformanceWaitSecondsRange
    guard range.contains(wait) else {
      throw ValidationError("--wait must be a number of seconds from \(range.words), not \(wait).")
    }
  }

  /// Runs a program against its suite, and prints the report. Exits with 1 unless every rule holds.
  ///
  /// - Parameter endpoint: address to bind for the program.
  func run(_ kind: ProgramUnderTest, bind endpoint: Endpoint, settings: Settings) async throws {
    let logger = makeLogger("conform", level: settings.logLevel)
    let service = ConformService(kind, command: program, bind: endpoint, waitMs: Int64(wait) * 1_000, logger: logger)
    try await runServices([service], settings: settings, logger: logger)
    guard let report = service.report else {
      printError("Ended before the exam was over.")
      throw ExitCode(1)
    }
    let text = ConformText(report)
    for line in json ? text.json : text.lines { printLine(line) }
    if !report.isWhole { throw ExitCode(1) }
  }
}
