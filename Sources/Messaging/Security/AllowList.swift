package import Domain

/// The public keys that may connect to a link, each with a name for people. The text has one key a line, followed by
/// its name. `#` begins a comment.
package struct AllowList: Sendable, Equatable {
  /// A fault of an allowlist, and its line. Do not retry before the file changes.
  package struct ParseError: Error, Sendable, Equatable, CustomStringConvertible {
    /// Line number, from 1.
    package let line: Int
    /// Description of the fault and of the expected text.
    package let reason: String

    package var description: String { "line \(line): \(reason)" }
  }

  private var names: [PublicKey: String] = [:]

  /// Creates an empty list.
  package init() {}

  /// Parses an allowlist's text, completely or not at all.
  ///
  /// - Throws: `ParseError` for the first bad line.
  package init(_ text: String) throws(ParseError) {
    var lineNumbers: [PublicKey: Int] = [:]
    for line in KeyLines(text).lines {
      guard let key = PublicKey(line.key) else {
        throw ParseError(
          line: line.number,
          reason:
            "\"\(line.key.safeLine(bytesMax: Limits.quotedTextBytesMax))\" is not a public key; write the "
            + "40 characters that `onthemap keys show` prints")
      }
      guard (1...Limits.keyNameBytesMax).contains(line.rest.utf8.count), line.rest.isSafeLine else {
        throw ParseError(
          line: line.number,
          reason:
            "the key has no valid name; write a name of 1 to \(Limits.keyNameBytesMax) bytes without control characters"
        )
      }
      if let earlier = lineNumbers[key] {
        throw ParseError(line: line.number, reason: "line \(earlier) already has this key")
      }
      guard names.count < Limits.allowedKeysMax else {
        throw ParseError(line: line.number, reason: "the allowlist has more than \(Limits.allowedKeysMax) keys")
      }
      lineNumbers[key] = line.number
      names[key] = line.rest
    }
  }

  /// Number of keys.
  package var count: Int { names.count }

  /// Returns the name of a key's owner. Nil if the key is not on the allowlist.
  package func name(of key: PublicKey) -> String? { names[key] }

  /// Returns true if `other` has every key of this list.
  package func isSubset(of other: AllowList) -> Bool { names.keys.allSatisfy { other.names[$0] != nil } }
}
