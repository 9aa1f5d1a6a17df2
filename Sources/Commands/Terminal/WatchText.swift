import Domain

/// Foreign text for a terminal: without characters that a terminal obeys, measured and cut by columns.
struct WatchText {
  /// A line without control characters.
  let text: String

  init(_ text: String) {
    self.text = VisibleText(text).replacingHidden { _ in "" }
  }

  /// Width in columns.
  var width: Int { text.unicodeScalars.reduce(0) { $0 + WatchText.width(of: $1) } }

  /// Returns the text in exactly this number of columns, cut with … or filled with spaces.
  func cell(_ columns: Int) -> String {
    let width = width
    guard width > columns else { return text + String(repeating: " ", count: columns - width) }
    guard columns > 0 else { return "" }
    var cut = String.UnicodeScalarView()
    var used = 0
    for character in text {
      let width = character.unicodeScalars.reduce(0) { $0 + WatchText.width(of: $1) }
      guard used + width < columns else { break }
      cut.append(contentsOf: character.unicodeScalars)
      used += width
    }
    return String(cut) + "…" + String(repeating: " ", count: columns - used - 1)
  }

  /// Returns the columns of a scalar as terminals count them (Unicode Standard Annex 11). East Asian wide characters
  /// and emoji take 2, marks on the previous character 0, all others 1.
  static func width(of scalar: Unicode.Scalar) -> Int {
    guard scalar.value >= 0x300 else { return 1 }
    if wide.contains(where: { $0.contains(scalar.value) }) { return 2 }
    switch scalar.properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format: return 0
    default: break
    }
    // Vowels and final consonants of Hangul join the previous syllable.
    if (0x1160...0x11FF).contains(scalar.value) { return 0 }
    // Two regional indicators form a flag of two columns.
    let isIndicator = (0x1F1E6...0x1F1FF).contains(scalar.value)
    return scalar.properties.isEmojiPresentation && !isIndicator ? 2 : 1
  }

  private static let wide: [ClosedRange<UInt32>] = [
    0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x4DBF, 0x4E00...0xA4CF, 0xA960...0xA97F, 0xAC00...0xD7A3,
    0xF900...0xFAFF, 0xFE10...0xFE19, 0xFE30...0xFE6F, 0xFF01...0xFF60, 0xFFE0...0xFFE6, 0x16FE0...0x18DFF,
    0x1B000...0x1B2FF, 0x20000...0x3FFFD,
  ]
}

extension FeedEntry {
  /// The author's full name.
  var shownName: WatchText { WatchText("\(firstName) \(lastName)".trimmedLine) }
  /// The label of the place found. Without one, the place as typed.
  var shownPlace: WatchText { WatchText(label.isEmpty ? place : label) }
  var shownLink: WatchText { WatchText(link) }
}
