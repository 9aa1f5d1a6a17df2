extension StringProtocol {
  /// True if the text has the form of an ISO 3166-1 alpha-2 code: two upper-case ASCII letters.
  package var isCountryCode: Bool { utf8.count == 2 && utf8.allSatisfy { (65...90).contains($0) } }
}

extension String {
  /// True if the text is safe in a line that other people read: ``VisibleText`` finds no flaw in it.
  package var isSafeLine: Bool { VisibleText(self).isSafe }

  /// Returns at most `bytesMax` bytes of the text as one safe line, with U+FFFD for each hidden character. Use this
  /// function to show a text from other people.
  package func safeLine(bytesMax: Int) -> String {
    let safe = VisibleText(self).replacingHidden { _ in "\u{FFFD}" }
    guard safe.utf8.count > bytesMax else { return safe }
    var line = ""
    for scalar in safe.unicodeScalars {
      guard line.utf8.count + UTF8.width(scalar) <= bytesMax else { break }
      line.unicodeScalars.append(scalar)
    }
    return VisibleText(line).withoutHiddenEnd
  }

  /// The text without white space at both ends. A combining mark is not white space, even on a space.
  package var trimmedLine: String {
    // Most texts begin and end with visible ASCII. Checking that needs no Unicode properties.
    if let first = utf8.first, let last = utf8.last, (0x21...0x7E).contains(first), (0x21...0x7E).contains(last) {
      return self
    }
    let scalars = unicodeScalars
    guard let first = scalars.firstIndex(where: { !$0.properties.isWhitespace }),
      let last = scalars.lastIndex(where: { !$0.properties.isWhitespace })
    else { return "" }
    return String(scalars[first...last])
  }
}
