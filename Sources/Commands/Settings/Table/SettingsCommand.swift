import ArgumentParser
import Glibc

/// Prints `deploy/onthemap.env.example`, which a test compares with it.
struct SettingsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "settings", abstract: "Print the example of a file of settings.",
    discussion: """
      Example:
        onthemap settings > deploy/onthemap.env.example
      """, shouldDisplay: false)

  func run() async throws { writeAll(SettingsFile.text, on: STDOUT_FILENO) }
}
