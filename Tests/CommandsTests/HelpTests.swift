import ArgumentParser
import Foundation
import Testing

@testable import Commands

@Suite("Help")
struct HelpTests {
  /// Width of a terminal, in columns.
  private static let columns = 80

  /// Returns a command with its subcommands, at all depths.
  private static func tree(_ command: any ParsableCommand.Type) -> [any ParsableCommand.Type] {
    [command] + command.configuration.subcommands.flatMap(tree)
  }

  private static let helps = tree(OnTheMapCommand.self).map { command in
    (name: command._commandName, text: OnTheMapCommand.helpMessage(for: command, columns: columns))
  }

  @Test("Every command has help with an example, and no line is wider than a terminal")
  func helps() {
    #expect(Self.helps.count > 30)
    for (name, text) in Self.helps {
      let wide = text.split(separator: "\n").filter { $0.count > Self.columns }
      #expect(wide.isEmpty, "\(name): \(wide)")
      #expect(text.contains("Example"), "\(name) has no example.")
      // A wider example wraps, and cannot be pasted.
      let examples = text.components(separatedBy: "USAGE")[0].components(separatedBy: "Example").last ?? ""
      for line in examples.split(separator: "\n").dropFirst() {
        #expect(line.hasPrefix("  "), "An example of \(name) is broken: \(line)")
      }
    }
  }
}
