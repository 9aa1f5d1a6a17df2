import Testing

/// Returns Markdown without its code blocks. Lines keep their numbers.
private func prose(of text: String) -> String {
  var isCode = false
  let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map { line -> Substring in
    let isFence = line.drop { $0 == " " }.hasPrefix("```")
    if isFence { isCode.toggle() }
    return isFence || isCode ? "" : line
  }
  return lines.joined(separator: "\n")
}

/// Returns the anchors that GitHub gives the headings of a document.
private func anchors(in text: String) -> Set<String> {
  let heading = Pattern(#"^#{1,6} +(.+)$"#)
  let linkTarget = #/\]\([^)]*\)/#
  var anchors: Set<String> = []
  for found in heading.matches(in: prose(of: text)) {
    let title = found.text.replacing(linkTarget, with: "").lowercased()
    let anchor = title.filter { $0.isLetter || $0.isNumber || "-_ ".contains($0) }.replacing(" ", with: "-")
    var (unique, count) = (anchor, 0)
    while !anchors.insert(unique).inserted {
      count += 1
      unique = "\(anchor)-\(count)"
    }
  }
  return anchors
}

/// Returns the path of a link's file from the repository's root.
private func resolve(_ link: Substring, from path: String) -> String {
  var parts = link.hasPrefix("/") ? [] : path.split(separator: "/").dropLast().map(String.init)
  for part in link.split(separator: "/") where part != "." {
    if part == ".." { _ = parts.popLast() } else { parts.append(String(part)) }
  }
  return parts.joined(separator: "/")
}

@Suite("Documents")
struct DocumentTests {
  /// Articles that may be longer than the limit, each with the reason.
  private static let longArticles = [
    "proto/README.md": "It is the reference of every message, and its rules refer to each other.",
    "Sources/Telemetry/Telemetry.docc/Metrics.md": "It has a row for each metric.",
    "deploy/Settings.md": "It has a row for each setting.",
  ]
  private static let linesMax = 130

  private static func isArticle(_ file: SourceFile) -> Bool {
    file.path.hasSuffix(".md") && (file.path.contains(".docc/") || file.isUnder("deploy", "proto"))
  }

  @Test("Every relative link leads to a file, and its anchor to a heading")
  func links() {
    let link = Pattern(#"\]\(<?(?!\w+:)([^)\s<>]+)"#)
    let known = Dictionary(uniqueKeysWithValues: SourceTree.markdown.map { ($0.path, anchors(in: $0.text)) })
    func rule(_ file: SourceFile) -> [Violation] {
      link.matches(in: prose(of: file.text)).compactMap { found in
        let parts = found.text.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
        let path = parts[0].isEmpty ? file.path : resolve(parts[0], from: file.path)
        var advice: String?
        if !parts[0].isEmpty, !SourceTree.exists(path) {
          advice = "\(found.text) does not exist; fix the link or remove it."
        } else if parts.count == 2, path.hasSuffix(".md") {
          let headings = path == file.path ? anchors(in: file.text) : known[path] ?? []
          if !headings.contains(String(parts[1])) { advice = "\(path) has no heading for #\(parts[1])." }
        }
        return advice.map { Violation(path: file.path, line: found.line, advice: $0) }
      }
    }
    enforce(
      SourceTree.markdown, to: rule,
      bad: [
        SourceFile("Sources/a.md", "[b](../nowhere.md)"), SourceFile("Sources/a.md", "[b](../README.md#nowhere)"),
        SourceFile("a.md", "# A b\n[c](#a-c)"), SourceFile("a.md", "```\n# A\n```\n[b](#a)"),
      ],
      good: [
        SourceFile("Sources/a.md", "[b](../Package.swift#c), [d](https://example.org/e#f), ![](Messaging)"),
        SourceFile("a.md", "```\n[b](nowhere.md)\n```"), SourceFile("a.md", "[b](README.md#documentation)"),
        SourceFile("a.md", "# A `b` c's [d](e://f)\n## G\n## G\n[h](#a-b-cs-d), [i](#g), [j](#g-1)"),
      ])
  }

  @Test("README links every article")
  func index() throws {
    let readme = try #require(SourceTree.markdown.first { $0.path == "README.md" })
    let link = Pattern(#"\]\(([^)\s#]+)"#)
    let linked = Set(link.matches(in: readme.text).map { resolve(Substring($0.text), from: readme.path) })
    func rule(_ file: SourceFile) -> [Violation] {
      guard Self.isArticle(file), !linked.contains(file.path) else { return [] }
      return [Violation(path: file.path, line: 0, advice: "add it to the section Documentation of README.md.")]
    }
    #expect(SourceTree.markdown.filter(Self.isArticle).count > 20)
    enforce(
      SourceTree.markdown, to: rule,
      bad: [SourceFile("Sources/Feed/Feed.docc/Nowhere.md", ""), SourceFile("deploy/Nowhere.md", "")],
      good: [SourceFile("deploy/README.md", ""), SourceFile("Sources/Gazetteer/Data/Nowhere.md", "")])
  }

  @Test("An article has at most 130 lines")
  func length() {
    func rule(_ file: SourceFile) -> [Violation] {
      let count = file.lines.count - 1
      guard Self.isArticle(file), count > Self.linesMax, Self.longArticles[file.path] == nil else { return [] }
      let advice = "\(count) lines; give a part of it an article of its own, at most \(Self.linesMax) lines each."
      return [Violation(path: file.path, line: Self.linesMax + 1, advice: advice)]
    }
    let (short, long) = (String(repeating: "\n", count: 130), String(repeating: "\n", count: 131))
    enforce(
      SourceTree.markdown, to: rule,
      bad: [SourceFile("deploy/A.md", long), SourceFile("Sources/Feed/Feed.docc/A.md", long)],
      good: [
        SourceFile("deploy/A.md", short), SourceFile("proto/README.md", long), SourceFile("Sources/Feed/A.md", long),
      ])
  }

  @Test("Every make target that a document names exists")
  func targets() throws {
    let makefile = try #require(SourceTree.texts.first { $0.path == "Makefile" })
    let rules = Pattern(#"^([a-z][a-z -]*):(?!=)"#).matches(in: makefile.text)
    let known = Set(rules.flatMap { $0.text.split(separator: " ").map(String.init) })
    #expect(known.isSuperset(of: ["run", "test", "docs", "setup-bench"]))
    // The command stands in a code span, or at the start of a line of code.
    let named = Pattern(#"(?:`|^ {4,}|^\$ )make ([a-z][a-z-]*)"#)
    func rule(_ file: SourceFile) -> [Violation] {
      named.matches(in: file.text).filter { !known.contains($0.text) }.map {
        Violation(path: file.path, line: $0.line, advice: "the Makefile has no target \($0.text).")
      }
    }
    enforce(
      SourceTree.markdown, to: rule,
      bad: ["`make nothing`", "    make nothing", "$ make it"].map { SourceFile("a.md", $0) },
      good: [SourceFile("a.md", "Run `make run ARGS=\"a\"`. Clients make mistakes.")])
  }

  @Test("Every test that a document names exists")
  func tests() {
    let named = Pattern(#"`(\w+Tests\.\w+)`"#)
    func rule(_ file: SourceFile) -> [Violation] {
      named.matches(in: file.text).filter { found in
        let names = found.text.split(separator: ".")
        let type = Pattern(#"\b(?:struct|class|extension) \#(names[0])\b"#)
        let function = Pattern(#"\bfunc \#(names[1])\("#)
        return !SourceTree.everySwift.contains { file in
          file.isUnder("Tests") && file.text.contains(names[0]) && type.isFound(in: file.swift.code)
            && function.isFound(in: file.swift.code)
        }
      }.map { Violation(path: file.path, line: $0.line, advice: "there is no test \($0.text).") }
    }
    enforce(
      SourceTree.markdown, to: rule, bad: [SourceFile("a.md", "`DocumentTests.nothing`, `NoTests.links`")],
      good: [SourceFile("a.md", "`DocumentTests.links`, `Tests/TidyTests`, `.links`")])
  }
}
