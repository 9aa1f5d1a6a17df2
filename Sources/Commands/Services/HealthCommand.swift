import ArgumentParser
import Domain
import Foundation
import HTTPClient

struct HealthCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "health", abstract: "Check that a service is healthy (exit status 0 or 1).",
    discussion: """
      For container health checks, where there is no curl. The reason why a service is
      not ready is printed.

      Example:
        onthemap health http://127.0.0.1:8080/livez
        onthemap health http://127.0.0.1:9466/readyz
      """)

  @Argument(help: "The address to ask.")
  var url: String

  func run() async throws {
    guard let address = URL(string: url), address.scheme == "http" || address.scheme == "https" else {
      throw ValidationError("URL must be an address such as http://127.0.0.1:8080/livez, not \"\(url)\".")
    }
    let answer: API.Response
    do { answer = try await API(address).send("GET", path: nil) } catch {
      printError("\(url) is not healthy: \(error).")
      throw ExitCode(1)
    }
    guard (200..<300).contains(answer.status) else {
      printError("\(url) answers \(answer.status)\(HealthCommand.reason(of: answer)).")
      throw ExitCode(1)
    }
  }

  /// Returns the problem's code and detail after a colon; empty if the answer has none.
  private static func reason(of answer: API.Response) -> String {
    let members = answer.members
    guard let code = members.code, let detail = members.detail else { return "" }
    return ": \(code.safeLine(bytesMax: ToolLimits.problemCodeBytesMax)): "
      + detail.safeLine(bytesMax: ToolLimits.problemDetailBytesMax)
  }
}
