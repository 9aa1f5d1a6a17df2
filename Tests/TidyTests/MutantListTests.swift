import Foundation
import Testing

/// Tests that the list of `make mutants` fits the code, because that command takes long and runs seldom.
@Suite("The list of mutants")
struct MutantListTests {
  private struct Mutant {
    let name: String
    let file: String
    let old: String
    let new: String

    /// Parses a block of the list: name and file, then the old lines and the new lines. Nil for any other text.
    init?(_ block: String) {
      let lines = block.split(separator: "\n", omittingEmptySubsequences: false)
      let heading = lines[0].split(separator: " ")
      guard heading.count == 2 else { return nil }
      func text(_ sign: Character) -> String {
        lines.dropFirst().filter { $0.first == sign }.map { $0.dropFirst() }.joined(separator: "\n")
      }
      (name, file, old, new) = (String(heading[0]), String(heading[1]), text("-"), text("+"))
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

  @Test("The record of found mutants names a seed for each mutant")
  func found() throws {
    let rows = try Self.text("found.tsv").split(separator: "\n").dropFirst().map { $0.split(separator: "\t") }
    #expect(rows.map { String($0[0]) } == (try Self.mutants()).map(\.name), "Run make mutants.")
    #expect(rows.allSatisfy { $0.count == 3 && Int($0[1]) != nil })
  }
}
