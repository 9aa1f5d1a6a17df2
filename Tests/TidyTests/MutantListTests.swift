import Foundation
import Testing

/// Tests that the list of `make mutants` fits the code, because that command takes long and runs seldom.
@Suite("The list of mutants")
struct MutantListTests {
  private struct Mutant {
    let name: String
    let file: String
    /// Target and suite of the tests that must find the mutant. Nil for the simulation.
    let tests: String?
    let old: String
    let new: String

    /// The name of the suite.
    var suite: String? { tests.map { String($0.split(separator: ".").last ?? "") } }

    /// Parses a block of the list: name, file and perhaps tests, then the old lines and the new lines. Nil for any
    /// other text.
    init?(_ block: String) {
      let lines = block.split(separator: "\n", omittingEmptySubsequences: false)
      let heading = lines[0].split(separator: " ")
      guard (2...3).contains(heading.count) else { return nil }
      func text(_ sign: Character) -> String {
        lines.dropFirst().filter { $0.first == sign }.map { $0.dropFirst() }.joined(separator: "\n")
      }
      (name, file, old, new) = (String(heading[0]), String(heading[1]), text("-"), text("+"))
      tests = heading.count == 3 ? String(heading[2]) : nil
    }
  }

  private static func text(_ name: String) throws -> String {
    try #require(SourceTree.texts.first { $0.path == "Tests/Mutants/\(name)" }).text
  }

  private static func mutants() throws -> [Mutant] {
    let blocks = try text("list.diff").components(separatedBy: "\n@ ").dropFirst()
    let mutants = blocks.compactMap(Mutant.init)
    #expect(mutants.count == blocks.count && mutants.count >= 25)
    return mutants
  }

  @Test("Each mutant's old text occurs exactly once, in one file of Sources")
  func fresh() throws {
    let mutants = try Self.mutants()
    #expect(Set(mutants.map(\.name)).count == mutants.count)
    for mutant in mutants {
      let files = SourceTree.everySwift.filter { $0.isUnder("Sources") && $0.name == mutant.file }
      let count = files.map { $0.text.components(separatedBy: mutant.old).count - 1 }.reduce(0, +)
      #expect(
        files.count == 1 && count == 1 && mutant.old != mutant.new,
        "\(mutant.name): its old text occurs \(count) times in \(mutant.file). Change the text in the list.")
    }
  }

  @Test("The suites that must find mutants exist in their targets")
  func suites() throws {
    for mutant in try Self.mutants() {
      guard let tests = mutant.tests, let suite = mutant.suite else { continue }
      let folder = "Tests/\(tests.dropLast(suite.count + 1))"
      let count = SourceTree.everySwift.count { $0.isUnder(folder) && $0.name == "\(suite).swift" }
      #expect(count == 1, "\(mutant.name): \(folder) has \(count) files \(suite).swift.")
    }
  }

  @Test("The record of found mutants names a seed or a suite for each mutant")
  func found() throws {
    let rows = try Self.text("found.tsv").split(separator: "\n").dropFirst().map { $0.split(separator: "\t") }
    let mutants = try Self.mutants()
    #expect(rows.map { String($0[0]) } == mutants.map(\.name), "Run make mutants.")
    for (row, mutant) in zip(rows, mutants) {
      #expect(row.count == 3 && (mutant.suite.map { row[1] == $0 } ?? (Int(row[1]) != nil)), "\(row)")
    }
  }
}
