import Domain

/// The lines of a file of keys that say something: neither empty nor comments, which begin with `#`. No key does: that
/// is the greatest digit of Z85, and would make the first five characters more than four bytes hold.
package struct KeyLines: Sendable {
  /// One line.
  package struct Line: Sendable, Equatable {
    /// From 1.
    package let number: Int
    package let key: String
    /// What stands behind the key; empty where nothing does.
    package let rest: String
  }

  /// In the file's order.
  package let lines: [Line]

  /// Line ends may be those of Unix or of Windows.
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
