package import Domain

/// Who may connect to a link: public keys, each with a name for people. Written as one key a line with its name behind
/// it; `#` begins a comment.
package struct AllowList: Sendable, Equatable {
  /// What is wrong with a list, and where. Final until the file changes.
  package struct ParseError: Error, Sendable, Equatable, CustomStringConvertible {
    /// From 1.
    package let line: Int
    /// In words, with what is wanted.
    package let reason: String

    package var description: String { "line \(line): \(reason)" }
  }

  private var names: [PublicKey: String] = [:]

  /// Nobody.
  package init() {}

  /// Reads a list's text, whole or not at all.
  ///
  /// - Throws: `Mistake`, for the first bad line.
  package init(_ text: String) throws(ParseError) {
    var places: [PublicKey: Int] = [:]
    for line in KeyLines(text).lines {
      guard let key = PublicKey(line.key) else {
        throw ParseError(
          line: line.number,
          reason:
            "\"\(line.key.safeLine(bytesMax: Limits.complaintBytesMax))\" is no public key, which is 40 characters "
            + "as `onthemap keys show` prints them")
      }
      guard (1...Limits.keyNameBytesMax).contains(line.rest.utf8.count), line.rest.isSafeLine else {
        throw ParseError(
          line: line.number,
          reason: "behind the key a name is wanted, 1 to \(Limits.keyNameBytesMax) bytes without control characters")
      }
      if let earlier = places[key] {
        throw ParseError(line: line.number, reason: "this key is in line \(earlier) already")
      }
      guard names.count < Limits.allowedKeysMax else {
        throw ParseError(line: line.number, reason: "a list has at most \(Limits.allowedKeysMax) keys")
      }
      places[key] = line.number
      names[key] = line.rest
    }
  }

  /// How many keys it has.
  package var count: Int { names.count }

  /// The name of whoever has the key; nil where it is not on the list.
  package func name(of key: PublicKey) -> String? { names[key] }

  /// Whether every key of this list is on the other one too.
  package func isSubset(of other: AllowList) -> Bool { names.keys.allSatisfy { other.names[$0] != nil } }
}
