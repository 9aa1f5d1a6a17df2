extension Unicode.Scalar {
  /// Control characters, and the invisible ones that turn the order of what follows (Unicode's bidirectional controls)
  /// or hide in a name (default ignorable ones, but for those that emoji and scripts need within a word): they have no
  /// place in a line that other people read.
  package var isUnsafe: Bool {
    switch value {
    case 0x00...0x1F, 0x7F...0x9F, 0xAD, 0x034F, 0x061C, 0x115F...0x1160, 0x17B4...0x17B5, 0x180B...0x180F,
      0x200B...0x200F, 0x2028...0x202E, 0x2060...0x2069, 0x3164, 0xFEFF, 0xFFA0, 0xFFF9...0xFFFB, 0xE0000...0xE007F:
      true
    default: false
    }
  }
}

extension String {
  /// Whether all of it may stand in a line that other people read.
  package var isSafeLine: Bool {
    // Most texts are printable ASCII: bytes first, scalars only where one is not.
    utf8.allSatisfy { (0x20...0x7E).contains($0) } || unicodeScalars.allSatisfy { !$0.isUnsafe }
  }

  /// At most so many bytes of it, in one safe line: for texts of others that a person will read.
  package func safeLine(bytesMax: Int) -> String {
    var line = ""
    for scalar in unicodeScalars {
      let next = scalar.isUnsafe ? "\u{FFFD}" : String(scalar)
      guard line.utf8.count + next.utf8.count <= bytesMax else { break }
      line += next
    }
    return line
  }

  /// Without white space at both ends.
  package var trimmedLine: String {
    // Most texts begin and end with a letter or a digit: no need to ask Unicode what they are.
    if let first = utf8.first, let last = utf8.last, (0x21...0x7E).contains(first), (0x21...0x7E).contains(last) {
      return self
    }
    guard let first = firstIndex(where: { !$0.isWhitespace }) else { return "" }
    let last = lastIndex { !$0.isWhitespace } ?? first
    return String(self[first...last])
  }
}
