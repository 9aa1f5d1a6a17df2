import Foundation
import Testing

/// Swift source in three views of equal length and equal lines. Each view shows one part and blanks the rest, so that a
/// word in a comment does not count as code. Quotation marks count as code. Handles nested comments, raw and multi-line
/// strings, and interpolation. Does not handle regex literals.
struct SwiftText: Sendable {
  let code: String
  let comments: String
  /// The contents of string literals, without interpolations.
  let strings: String

  private enum Part { case code, comment, string }
  private enum Context {
    /// The depth of open parentheses in an interpolation. At the top level, a closing parenthesis ends nothing.
    case code(parentheses: Int)
    case string(hashes: Int, quotes: Int)
  }

  init(_ text: String) {
    let bytes = Array(text.utf8)
    let parts = Self.classify(bytes)
    func view(_ part: Part) -> String {
      String(decoding: zip(bytes, parts).map { $0 == 10 || $1 == part ? $0 : 32 }, as: UTF8.self)
    }
    code = view(.code)
    comments = view(.comment)
    strings = view(.string)
  }

  private static func classify(_ bytes: [UInt8]) -> [Part] {
    var parts: [Part] = []
    var stack: [Context] = [.code(parentheses: 0)]
    var commentDepth = 0
    func starts(_ word: String) -> Bool { bytes[parts.count...].starts(with: word.utf8) }
    func take(_ part: Part, _ count: Int = 1) { parts += repeatElement(part, count: count) }

    while parts.count < bytes.count {
      if commentDepth > 0 || starts("/*"), case .code = stack[stack.count - 1] {
        let opens = starts("/*")
        let closes = starts("*/")
        commentDepth += opens ? 1 : closes ? -1 : 0
        take(.comment, opens || closes ? 2 : 1)
        continue
      }
      switch stack[stack.count - 1] {
      case .code(let parentheses):
        if starts("//") {
          take(.comment, bytes[parts.count...].prefix { $0 != 10 }.count)
        } else if let opening = opening(bytes[parts.count...]) {
          stack.append(.string(hashes: opening.hashes, quotes: opening.quotes))
          take(.code, opening.hashes + opening.quotes)
        } else {
          let depth = parentheses + (starts("(") ? 1 : starts(")") ? -1 : 0)
          stack[stack.count - 1] = .code(parentheses: depth)
          take(.code)
          if depth == 0, stack.count > 1 { stack.removeLast() }
        }
      case .string(let hashes, let quotes):
        let mark = String(repeating: "#", count: hashes)
        if starts(String(repeating: "\"", count: quotes) + mark) {
          stack.removeLast()
          take(.code, quotes + hashes)
        } else if starts("\\" + mark + "(") {
          stack.append(.code(parentheses: 0))
          take(.string, hashes + 1)
        } else if starts("\\" + mark) {
          take(.string, min(hashes + 2, bytes.count - parts.count))
        } else {
          // A one-line string ends at the end of its line at the latest, so a stray quotation mark spoils one line
          // only.
          if starts("\n"), quotes == 1 { stack.removeLast() }
          take(.string)
        }
      }
    }
    return parts
  }

  private static func opening(_ rest: ArraySlice<UInt8>) -> (hashes: Int, quotes: Int)? {
    let hashes = rest.prefix { $0 == 35 }.count
    let quotes = rest.dropFirst(hashes).prefix(3).prefix { $0 == 34 }.count
    return quotes == 0 ? nil : (hashes, quotes == 3 ? 3 : 1)
  }
}

/// Parts of patterns that find declarations.
enum Grammar {
  /// The indentation and attributes before a declaration.
  static let lineStart = #"^[ \t]*(?:@\w+(?:\([^)\n]*\))?[ \t]+)*"#
  /// The modifiers of a declaration: `package`, `private(set)`, `static` …
  static let modifiers = #"(?:[a-z]+(?:\([a-z]+\))?[ \t]+)*"#
  static let type = #"(?:struct|class|enum|actor|protocol|typealias)[ \t]+"#
}

/// A regular expression whose `^` and `$` match at line ends.
struct Pattern: Sendable {
  private let expression: NSRegularExpression

  init(_ pattern: String) {
    do {
      expression = try NSRegularExpression(pattern: pattern, options: [.anchorsMatchLines])
    } catch {
      preconditionFailure("\(pattern) is not a regular expression: \(error)")
    }
  }

  /// Returns each match's line, counted from 1, with its first group, or the whole match if the pattern has no group.
  func matches(in text: String) -> [(line: Int, text: String)] {
    let whole = text as NSString
    var line = 1
    var counted = 0
    return expression.matches(in: text, range: NSRange(location: 0, length: whole.length)).map { match in
      while counted < match.range.location {
        if whole.character(at: counted) == 10 { line += 1 }
        counted += 1
      }
      let group = match.numberOfRanges > 1 ? match.range(at: 1) : match.range
      return (line, group.location == NSNotFound ? "" : whole.substring(with: group))
    }
  }

  func isFound(in text: String) -> Bool { !matches(in: text).isEmpty }
}

@Suite("Views of Swift source")
struct SwiftTextTests {
  @Test("SwiftText separates code, comments and strings")
  func views() {
    let text = SwiftText(
      ##"""
      let a = "one \(f("two")) three" // four
      /* five /* six */ "seven" */ let b = #"eight "nine" \(ten)"#
      let c = """
        eleven "twelve"
        """ + g("\\") + h
      """##)
    func words(_ view: String) -> [String] { view.split { !$0.isLetter }.map(String.init) }
    #expect(words(text.code) == ["let", "a", "f", "let", "b", "let", "c", "g", "h"])
    #expect(words(text.comments) == ["four", "five", "six", "seven"])
    #expect(words(text.strings) == ["one", "two", "three", "eight", "nine", "ten", "eleven", "twelve"])
  }

  @Test("A pattern reports the line of each match")
  func lines() {
    #expect(
      Pattern("^b(.)").matches(in: "a\nbx\nby").map { "\($0)" } == ["(line: 2, text: \"x\")", "(line: 3, text: \"y\")"])
  }
}
