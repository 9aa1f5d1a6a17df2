import ArgumentParser
import Glibc

/// Prints the example settings file. A test compares `deploy/onthemap.env.example` with it.
struct SettingsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "settings", abstract: "Print an example settings file.",
    discussion: """
      Example:
        onthemap settings > deploy/onthemap.env.example
      """, shouldDisplay: false)

  func run() async throws { writeAll(SettingsFile.text, on: STDOUT_FILENO) }
}
