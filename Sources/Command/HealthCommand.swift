import ArgumentParser
import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

struct HealthCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "health", abstract: "Exit with 0 when a service answers, else with 1.",
    discussion: """
      For container health checks, where there is no curl.

      Example:
        onthemap health http://127.0.0.1:8080/livez
      """)

  @Argument(help: "The address to ask.")
  var url: String

  func run() async throws {
    guard let address = URL(string: url), address.scheme == "http" || address.scheme == "https" else {
      throw ValidationError("URL must be an address such as http://127.0.0.1:8080/livez, not \"\(url)\".")
    }
    let answer = try? await API(address).send("GET", path: nil)
    guard let answer, (200..<300).contains(answer.status) else {
      complain("\(url) does not answer.")
      throw ExitCode(1)
    }
  }
}
