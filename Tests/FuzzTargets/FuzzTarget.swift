import Foundation

/// What reads bytes from outside, with what must hold of all that it takes. The tests try it on the corpus and on what
/// seeds make of that; `make fuzz` besides on what its coverage leads to.
package enum FuzzTarget: String, CaseIterable, Sendable {
  /// Bodies of requests, in every form that a route reads.
  case body
  /// The value of `where`.
  case condition
  /// Headers, a line each: who calls, and from which site.
  case header
  /// The link of a post.
  case link

  /// Inputs that are worth trying: written by hand, and those by which coverage grew.
  package var corpus: [[UInt8]] {
    get throws {
      let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Corpus/\(rawValue)")
      return try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        .sorted { $0.path < $1.path }.map { [UInt8](try Data(contentsOf: $0)) }
    }
  }

  /// Whether the input was taken. Throws a `Finding` where what came of it is not as it must be.
  package func read(_ input: [UInt8]) throws -> Bool {
    switch self {
    case .body: try BodyTarget.read(input)
    case .condition: try ConditionTarget.read(input)
    case .header: try HeaderTarget.read(input)
    case .link: try LinkTarget.read(input)
    }
  }
}

/// What should not be.
struct Finding: Error, CustomStringConvertible {
  let description: String

  static func unless(_ holds: Bool, _ text: @autoclosure () -> String) throws(Finding) {
    guard holds else { throw Finding(description: text()) }
  }
}
