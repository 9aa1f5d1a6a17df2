import Foundation

/// A reader of untrusted bytes, with the properties of every accepted input. The tests run each target on its corpus
/// and on seeded mutations of the corpus. `make fuzz` also runs the target on inputs that raise coverage.
package enum FuzzTarget: String, CaseIterable, Sendable {
  /// Request bodies, in every form that a route reads.
  case body
  /// The value of `where`.
  case condition
  /// Headers, one per line: the session token, the calling site and the forwarded addresses.
  case header
  /// The link of a post.
  case link

  /// Seed inputs: some written by hand, others kept because they raised coverage.
  package var corpus: [[UInt8]] {
    get throws {
      let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Corpus/\(rawValue)")
      return try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        .sorted { $0.path < $1.path }.map { [UInt8](try Data(contentsOf: $0)) }
    }
  }

  /// Returns true if the target accepts the input. Throws a `Finding` if the result breaks a property.
  package func read(_ input: [UInt8]) throws -> Bool {
    switch self {
    case .body: try BodyTarget.read(input)
    case .condition: try ConditionTarget.read(input)
    case .header: try HeaderTarget.read(input)
    case .link: try LinkTarget.read(input)
    }
  }
}

/// A broken property.
struct Finding: Error, CustomStringConvertible {
  let description: String

  static func unless(_ holds: Bool, _ text: @autoclosure () -> String) throws(Finding) {
    guard holds else { throw Finding(description: text()) }
  }
}
