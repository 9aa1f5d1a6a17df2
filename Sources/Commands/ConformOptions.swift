import ArgumentParser
import Conformance
import Domain

/// What every exam can be told.
struct ConformOptions: ParsableArguments {
  @Option(help: "How many seconds to wait for the program to come, 1 to 600.")
  var wait = 30
  @Flag(help: "One JSON object for each rule.")
  var json = false
  @OptionGroup var common: CommonOptions
  @Argument(parsing: .postTerminator, help: "The program that is examined, with its arguments.")
  var program: [String] = []

  func validate() throws {
    let range = Limits.examWaitSecondsRange
    guard range.contains(wait) else {
      throw ValidationError(
        "--wait must be a number of seconds from \(range.lowerBound) to \(range.upperBound), not \(wait).")
    }
  }

  var waitMs: Int64 { Int64(wait) * 1_000 }

  /// Runs an exam, and says what came out of it; ends with 1 where not all rules hold.
  func report(_ service: ConformService, settings: Settings) async throws {
    try await serve([service], settings: settings, logger: makeLogger("conform", level: settings.logLevel))
    guard let conformance = service.conformance else {
      complain("Ended before the exam was over.")
      throw ExitCode(1)
    }
    let text = ConformText(conformance)
    for line in json ? text.json : text.lines { say(line) }
    if !conformance.isWhole { throw ExitCode(1) }
  }
}
