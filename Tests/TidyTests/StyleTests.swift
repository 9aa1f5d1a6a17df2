import Testing

/// Returns one violation for each match of a pattern in one view of a file.
func violations(
  _ file: SourceFile, in view: KeyPath<SwiftText, String> = \.code, _ pattern: Pattern, _ advice: (String) -> String
) -> [Violation] {
  pattern.matches(in: file.swift[keyPath: view]).map {
    Violation(path: file.path, line: $0.line, advice: advice($0.text))
  }
}

@Suite("Style: size")
struct SizeTests {
  @Test("No line is longer than 120 columns")
  func columns() {
    func rule(_ file: SourceFile) -> [Violation] {
      file.lines.enumerated().filter { $0.element.count > 120 }.map { index, line in
        Violation(path: file.path, line: index + 1, advice: "\(line.count) columns; break the line before column 121.")
      }
    }
    enforce(
      SourceTree.swift, to: rule,
      bad: [SourceFile("A.swift", String(repeating: "a", count: 121))],
      good: [SourceFile("A.swift", String(repeating: "ü", count: 120) + "\n")])
  }

  @Test("No file is longer than 400 lines")
  func files() {
    func rule(_ file: SourceFile) -> [Violation] {
      let count = file.text.split(separator: "\n", omittingEmptySubsequences: false).count - 1
      let advice = "\(count) lines; a file has one subject: give the second one a file of its own."
      return count > 400 ? [Violation(path: file.path, line: 401, advice: advice)] : []
    }
    enforce(
      SourceTree.swift, to: rule,
      bad: [SourceFile("A.swift", String(repeating: "\n", count: 401))],
      good: [SourceFile("A.swift", String(repeating: "\n", count: 400))])
  }

  @Test("No folder has more than 16 Swift files directly in it")
  func folders() {
    func violations(_ paths: [String]) -> [Violation] {
      Dictionary(grouping: paths) { $0.split(separator: "/").dropLast().joined(separator: "/") }
        .filter { $0.value.count > 16 }.map { folder, files in
          Violation(path: folder, line: 0, advice: "\(files.count) files; sort them by what a reader looks for.")
        }
    }
    let found = violations(SourceTree.everySwift.map(\.path))
    #expect(found.isEmpty, "\(found)")
    #expect(violations((1...17).map { "Sources/A/\($0).swift" }).count == 1)
    #expect(violations((1...17).map { "Sources/A/\($0 % 2)/\($0).swift" }).isEmpty)
  }

  /// Relies on the formatter's indentation: a function's body is indented further than its signature.
  @Test("No function is longer than 70 lines")
  func functions() {
    let start = Pattern(
      Grammar.lineStart + Grammar.modifiers + #"(func[ \t]+[^\s(<]+|init\b|deinit\b|subscript\b)"#)
    let signatureGoesOn = Pattern(#"^(?:[)\]}>{#]|where\b|->|async\b|throws\b)"#)
    func rule(_ file: SourceFile) -> [Violation] {
      let lines = file.swift.code.split(separator: "\n", omittingEmptySubsequences: false)
      func indentation(_ line: Substring) -> Int { line.prefix { $0 == " " }.count }
      return start.matches(in: file.swift.code).compactMap { found in
        let margin = indentation(lines[found.line - 1])
        let end = lines[found.line...].firstIndex { line in
          let text = line.drop { $0 == " " }
          guard !text.isEmpty, indentation(line) <= margin else { return false }
          return indentation(line) < margin || text.hasPrefix("}") || !signatureGoesOn.isFound(in: String(text))
        }
        guard let end, lines[end].drop(while: { $0 == " " }).hasPrefix("}"), indentation(lines[end]) == margin,
          end - found.line + 2 > 70
        else { return nil }
        let advice = "\(found.text) has \(end - found.line + 2) lines; give its steps names, at most 70 lines each."
        return Violation(path: file.path, line: found.line, advice: advice)
      }
    }
    func function(_ first: String, lines: Int) -> SourceFile {
      SourceFile(
        "A.swift", "struct A {\n\(first)\n" + String(repeating: "    b()\n\n", count: lines / 2 - 1) + "  }\n}\n")
    }
    enforce(
      SourceTree.swift, to: rule,
      bad: [
        function("  func a() {", lines: 72), function("  @Test(\"a\") package static func a<B>(", lines: 72),
        function("  package init(\n    c: Int\n  ) {", lines: 70),
      ],
      good: [
        function("  func a() {", lines: 70), function("  var a: Int {", lines: 100),
        function("  func a() { b() }\n  struct C {", lines: 100), function("  func a()\n  var c: Int {", lines: 100),
      ])
  }
}

@Suite("Style: names")
struct NameTests {
  @Test("No type or file is named Manager, Helper, Util, Handler, Processor, Common, Base or Impl")
  func words() {
    let ending = "(?:Manager|Helpers?|Utils?|Utilities|Handler|Processor|Common|Base|Impl)"
    let type = Pattern(Grammar.lineStart + Grammar.modifiers + Grammar.type + "(\\w*\(ending))\\b")
    let stem = Pattern("(?:^|[a-z+])\(ending)$")
    func rule(_ file: SourceFile) -> [Violation] {
      let advice = "is too general: name the thing (OutboxRelay) or its one action (ResultCheck)."
      let name =
        stem.isFound(in: file.stem) ? [Violation(path: file.path, line: 0, advice: "\(file.stem) \(advice)")] : []
      return name + violations(file, type) { "\($0) \(advice)" }
    }
    enforce(
      SourceTree.swift, to: rule,
      bad: [
        SourceFile("A.swift", "package final class QueueManager {}"), SourceFile("A.swift", "  enum Utils {}"),
        SourceFile("Sources/Messaging/SocketHelper.swift", ""), SourceFile("Sources/Messaging/Socket+Util.swift", ""),
      ],
      good: [
        SourceFile("Database.swift", "struct Database: ChannelInboundHandler {}"),
        SourceFile("A.swift", "var a: Handler"),
      ])
  }

  @Test("No top-level type has the name of a module")
  func modules() {
    let topLevel = #"^(?=\S)"# + Grammar.lineStart + Grammar.modifiers + Grammar.type
    let type = Pattern(topLevel + "(\(ownModules.sorted().joined(separator: "|")))\\b")
    func rule(_ file: SourceFile) -> [Violation] {
      guard file.isUnder("Sources") else { return [] }
      return violations(file, type) {
        "\($0) hides the module \($0), so that \($0).Other is not found; use a longer name: \($0)…"
      }
    }
    enforce(
      SourceTree.swift, to: rule,
      bad: [
        SourceFile("Sources/Feed/A.swift", "package actor Feed {}"),
        SourceFile("Sources/Messaging/A.swift", "struct Store {"),
      ],
      good: [SourceFile("Sources/Feed/A.swift", "struct FeedService {\n  enum Link {}\n}\nextension Feed {}")])
  }

  /// The file "Limits+Feed" may extend Limits, and "Accounts" may extend Account. A search for the type finds the file.
  @Test("Every source file declares the type or function it is named after")
  func files() {
    let declared = Pattern("\\b(?:\(Grammar.type)|(?:extension|func)[ \\t]+)([\\w.]+)")
    func rule(_ file: SourceFile) -> [Violation] {
      guard file.isUnder("Sources") else { return [] }
      let stem = file.stem.split(separator: "+").first.map { $0.lowercased() } ?? ""
      let wanted = stem.hasSuffix("s") ? String(stem.dropLast()) : stem
      let names = declared.matches(in: file.swift.code).map { $0.text.lowercased() }
      let advice = "declares no \(file.stem); name the file after the type or function that it is about."
      return names.contains { $0.contains(wanted) } ? [] : [Violation(path: file.path, line: 0, advice: advice)]
    }
    enforce(
      SourceTree.swift, to: rule,
      bad: [SourceFile("Sources/Messaging/Socket.swift", "struct Endpoint {} // struct Socket")],
      good: [
        SourceFile("Sources/Messaging/Job+Wire.swift", "extension Domain.Job {}"),
        SourceFile("Sources/Messaging/Socket.swift", "private enum A {}\npackage final class Socket {}"),
        SourceFile("Sources/Messaging/Fold.swift", "func fold(_ a: Int) {}"),
      ])
  }
}

@Suite("Style: words")
struct WordTests {
  @Test("No comment contains TODO, FIXME, XXX or HACK")
  func leftovers() {
    let word = Pattern(#"\b(TODO|FIXME|XXX|HACK)\b"#)
    func rule(_ file: SourceFile) -> [Violation] {
      violations(file, in: \.comments, word) { "\($0): do it now, or open an issue and describe the state." }
    }
    enforce(
      SourceTree.swift, to: rule, bad: [SourceFile("A.swift", "a() // TODO: b"), SourceFile("A.swift", "/* HACK */")],
      good: [SourceFile("A.swift", "let a = \"TODO\"")])
  }

  @Test("Files below 150 lines have no MARK")
  func marks() {
    let mark = Pattern(#"(// ?MARK:)"#)
    func rule(_ file: SourceFile) -> [Violation] {
      file.lines.count > 150
        ? [] : violations(file, in: \.comments, mark) { "\($0) a file below 150 lines needs no section marks." }
    }
    enforce(
      SourceTree.swift, to: rule, bad: [SourceFile("A.swift", "// MARK: - B\n")],
      good: [SourceFile("A.swift", "// MARK: - B" + String(repeating: "\n", count: 151))])
  }

  @Test("Every package declaration has a doc comment")
  func documentation() {
    let declaration = Pattern(
      Grammar.lineStart + "(" + Grammar.modifiers + #"package[ \t]+"# + Grammar.modifiers
        + "(?:(?:func|var|let)\\b|\(Grammar.type)).*)$")
    // Declarations that need no comment: requirements of standard protocols and of `ReactorSocket`, and values whose
    // name and type say everything. Numbers always need a comment for their unit.
    let obvious = Pattern(
      #"\b(?:func[ \t]+(?:==|<|hash\b|makeAsyncIterator\b|makeIterator\b|receive\(|tick\(|shutDown\()"#
        + #"|(?:var|let)[ \t]+(?:\w*[dD]escription|rawValue)\b"#
        + #"|(?:var|let)[ \t]+\w+:[ \t]+(?!U?Int|Double|Float|Duration|Set<)[A-Z][\w.]*\??[ \t]*(?:=.*)?$)"#)
    func rule(_ file: SourceFile) -> [Violation] {
      // The protocols of Store document the declarations that a store offers to other targets.
      guard file.isUnder("Sources"), !["PostgresStore", "SQLiteStore"].contains(file.target) else { return [] }
      return declaration.matches(in: file.swift.code).compactMap { found in
        let above = file.lines[..<(found.line - 1)].reversed().lazy.map { $0.drop { $0 == " " } }
        let documented = above.first { !$0.hasPrefix("@") }.map { $0.hasPrefix("///") || $0.hasSuffix("*/") } ?? false
        guard !documented, !obvious.isFound(in: found.text) else { return nil }
        let advice = "\(found.text.prefix(60)) … lacks a `///` line: what it is, then unit, range, thread, errors."
        return Violation(path: file.path, line: found.line, advice: advice)
      }
    }
    enforce(
      SourceTree.swift, to: rule,
      bad: [
        "package struct A {}", "struct A {\n  @discardableResult package static func b() {}", "// b\npackage let a = 1",
        "/// A.\npackage var a: Int\npackage private(set) var b: Int", "package var limit: Int",
        "package var a: Bool { b }", "package let c: [UInt8]",
      ].map { SourceFile("Sources/Messaging/A.swift", $0) },
      good: [
        "/// A.\npackage struct A {}", "/// A.\n@frozen\npackage final class A {}", "package var level: Place.Level?",
        "package let isOpen: Bool = false",
        "package static func < (a: A, b: A) -> Bool", "package var description: String", "package import A",
        "struct A {}",
      ].map { SourceFile("Sources/Messaging/A.swift", $0) })
  }
}
