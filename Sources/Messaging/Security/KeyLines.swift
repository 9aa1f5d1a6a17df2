import Domain

/// The lines of a key file, without empty lines and comments. A comment begins with `#`.
///
/// No key begins with `#`, the highest digit of Z85: its first five characters would exceed four bytes.
package struct KeyLines: Sendable {
  /// A line.
  package struct Line: Sendable, Equatable {
    /// Line number, from 1.
    package let number: Int
    package let key: String
    /// The text after the key. Empty if there is none.
    package let rest: String
  }

  /// The lines in the file's order.
  package let lines: [Line]

  /// Parses a file's text, with line ends of Unix or of Windows.
  package init(_ text: String) {
    var lines: [Line] = []
    let all = text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false)
    for (index, scalars) in all.enumerated() {
      let isBlank: (Unicode.Scalar) -> Bool = { $0 == " " || $0 == "\t" || $0 == "\r" }
      let words = scalars.split(maxSplits: 1, whereSeparator: isBlank).map { String(String.UnicodeScalarView($0)) }
      guard let key = words.first, !key.hasPrefix("#") else { continue }
      let rest = Substring(words.count > 1 ? words[1] : "").unicodeScalars.drop(while: isBlank)
      let end = rest.lastIndex { !isBlank($0) }.map { rest.index(after: $0) } ?? rest.startIndex
      lines.append(Line(number: index + 1, key: key, rest: String(Substring(rest[..<end]))))
    }
    self.lines = lines
  }
}
