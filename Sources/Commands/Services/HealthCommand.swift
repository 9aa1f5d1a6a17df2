import ArgumentParser
import Domain
import Foundation
import HTTPClient

struct HealthCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "health", abstract: "Check that a service is healthy (exit status 0 or 1).",
    discussion: """
      For container health checks without curl. Prints nothing if the service is
      healthy, otherwise the reason.

      Examples:
        onthemap health http://127.0.0.1:8080/livez
        onthemap health http://127.0.0.1:9466
      """)

  @Argument(help: "URL of the health check. Without a path: /readyz.")
  var url: String

  func run() async throws {
    guard var address = URL(string: url), address.scheme == "http" || address.scheme == "https" else {
      throw ValidationError("URL must be an http or https URL such as http://127.0.0.1:8080/livez, not \"\(url)\".")
    }
    if ["", "/"].contains(address.path) { address = address.appending(path: "readyz") }
    let response: API.Response
    do { response = try await API(address).send("GET", path: nil) } catch {
      printError("\(url) is unhealthy: \(error).")
      throw ExitCode(1)
    }
    guard (200..<300).contains(response.status) else {
      printError("\(url) returned status \(response.status)\(HealthCommand.reason(of: response)).")
      throw ExitCode(1)
    }
  }

  /// Returns the problem's code and detail after a colon. Empty if the response has none.
  private static func reason(of response: API.Response) -> String {
    let members = response.members
    guard let code = members.code, let detail = members.detail else { return "" }
    return ": \(code.safeLine(bytesMax: ToolLimits.problemCodeBytesMax)): "
      + detail.safeLine(bytesMax: ToolLimits.problemDetailBytesMax)
  }
}
