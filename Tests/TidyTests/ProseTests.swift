import Testing

/// A violation that is allowed to stay.
private struct ProseException {
  let path: String
  /// Words of the violation's message.
  let text: String
  let reason: String

  func covers(_ violation: Violation) -> Bool { violation.path == path && violation.advice.contains(text) }
}

/// A piece of prose that breaks a rule, with advice.
private struct Flaw {
  let line: Int
  let text: String
  let advice: String
}

/// The findings of a rule in one file.
private struct Review {
  let checked: Int
  let violations: [Violation]

  /// Checks items one by one.
  init<Item>(_ prose: Prose, _ items: [Item], _ flaws: (Item) -> [Flaw]) {
    checked = items.count
    violations = items.flatMap(flaws).map { flaw in
      Violation(path: prose.path, line: flaw.line, advice: "\(flaw.text) → \(flaw.advice)")
    }
  }
}

/// Checks all prose of the repository against a rule, and the rule against its examples. `checked` is the minimum
/// number of items that the rule must find. At most 1 % of the items may be exceptions.
private func enforce(
  _ rule: (Prose) -> Review, checked: Int, exceptions: [ProseException] = [], bad: [SourceFile], good: [SourceFile],
  sourceLocation: SourceLocation = #_sourceLocation
) {
  TidyTests.enforce(
    [], to: { file in Prose(file).map { rule($0).violations } ?? [] }, bad: bad, good: good,
    sourceLocation: sourceLocation)
  let reviews = SourceTree.prose.map(rule)
  let count = reviews.map(\.checked).reduce(0, +)
  let violations = reviews.flatMap(\.violations)
  let unexpected = violations.filter { violation in !exceptions.contains { $0.covers(violation) } }
  #expect(count >= checked, "The scanner finds too little: \(count) items.", sourceLocation: sourceLocation)
  #expect(
    (violations.count - unexpected.count) * 100 <= count, "Too many exceptions for \(count) items.",
    sourceLocation: sourceLocation)
  for exception in exceptions where !violations.contains(where: exception.covers) {
    Issue.record(
      "\(exception.path): nothing breaks the rule with \"\(exception.text)\"; drop the exception.",
      sourceLocation: sourceLocation)
  }
  if !unexpected.isEmpty {
    Issue.record("\(unexpected.map(\.description).joined(separator: "\n"))", sourceLocation: sourceLocation)
  }
}

/// Returns a sentence with the given number of words.
private func sentence(_ words: Int) -> String { Array(repeating: "word", count: words).joined(separator: " ") + "." }

private let longestSentence = 25

private func tooLong(_ sentence: ArraySlice<Word>) -> [Flaw] {
  guard let first = sentence.first, sentence.count > longestSentence else { return [] }
  let advice = "\(sentence.count) words; write two sentences of at most \(longestSentence)."
  return [Flaw(line: first.line, text: "\(sentence.excerpt) …", advice: advice)]
}

@Suite("Prose")
struct ProseTests {
  @Test("A paragraph of a doc comment begins with a noun or a verb")
  func commentStarts() {
    func rule(_ prose: Prose) -> Review {
      let comments = prose.path.hasSuffix(".proto") ? prose.document : prose.docComments.flatMap { $0 }
      return Review(prose, comments) { paragraph in
        // A first word with a colon is the name of a parameter.
        guard let first = paragraph.words.first, !first.text.hasSuffix(":"),
          let advice = WordChoice.commentStarts[first.key]
        else { return [] }
        return [Flaw(line: first.line, text: paragraph.words.excerpt, advice: advice)]
      }
    }
    enforce(
      rule, checked: 5_000,
      bad: [
        "/// What stands between two quotation marks.\nlet a = 1", "  /// Whether it is due.",
        "let a = 1  /// One's own.", "let a = 1\n///\n/// How far\n/// it goes.",
        "/// The address.\n///\n/// It leads nowhere.",
      ].map { SourceFile("Sources/Feed/A.swift", $0) } + [SourceFile("proto/a.proto", "// Whether it is due.")],
      good: [
        "/// The address. What is in it?\n/// Where it leads.", "// What now?", "/// `what` it is.",
        "/// Returns that.", "/// Sends it.\n/// - Parameter by: sender.", "let a = \"/// What\"", "/* What */",
      ].map { SourceFile("Sources/Feed/A.swift", $0) })
  }

  @Test("The name of a test or a suite begins with its subject")
  func nameStarts() {
    func rule(_ prose: Prose) -> Review {
      Review(prose, prose.names) { name in
        let words = name.words
        // Check the first word, and the word after a label such as "R2:".
        let starts = words.indices.prefix(3).filter { $0 == 0 || words[$0 - 1].text.hasSuffix(":") }
        return starts.compactMap { start -> Flaw? in
          guard let advice = WordChoice.nameStarts[words[start].key] else { return nil }
          let isCounted = WordChoice.countedStarts.contains(words[start].key) && start + 1 < words.count
          guard !isCounted || WordChoice.afterPronouns.contains(words[start + 1].key) else { return nil }
          return Flaw(line: words[start].line, text: words.excerpt, advice: advice)
        }
      }
    }
    enforce(
      rule, checked: 1_500,
      bad: [
        "@Test(\"So is whatever becomes of them\") func a() {}", "@Suite(\"What an answer means\") struct A {}",
        "@Test(\n  \"All of a reason are retried\", arguments: [1])", "@Test(\"R2: Without a key it is refused\")",
        "@Test(\"One that is none\")", "@Test(\"All\")",
      ].map { SourceFile("Tests/FeedTests/A.swift", $0) },
      good: [
        "@Test(\"A late failure is refused\") func a() {}", "@Test(\"One byte above the limit is refused\")",
        "@Test(\"All posts of an account go\")", "@Test(.timeLimit(.minutes(1)))", "// @Test(\"What\")",
        "let a = \"@Test(\\\"What\\\")\"", "@Test(\"A client that knows what it wants gets it\")",
      ].map { SourceFile("Tests/FeedTests/A.swift", $0) })
  }

  @Test("Comments, names, messages and documents use the field's words")
  func words() {
    func rule(_ prose: Prose) -> Review {
      Review(prose, prose.everything) { passage in
        WordChoice.misuses(in: passage.words).map { index, phrase in
          let end = index + phrase.words.count
          let context = passage.words[max(0, index - 4)..<min(passage.words.count, end + 4)]
          let advice = "not \"\(phrase.words.joined(separator: " "))\"; write: \(phrase.advice ?? "")."
          return Flaw(line: passage.words[index].line, text: "… \(context.excerpt) …", advice: advice)
        }
      }
    }
    enforce(
      rule, checked: 10_000,
      exceptions: [
        ProseException(
          path: "Sources/SQLiteStore/Engine/Schema.swift", text: "of whom it counts",
          reason: "A migration that databases have run is never edited, comments included."),
        ProseException(
          path: "Sources/SQLiteStore/Engine/Schema.swift", text: "its name for somebody who logs in",
          reason: "A migration that databases have run is never edited, comments included."),
        ProseException(
          path: "Sources/Domain/Accounts/ProvidedIdentity.swift", text: "Somebody",
          reason: "The first name of a person whose provider sends none, as the map shows it."),
      ],
      bad: [
        SourceFile("Sources/Feed/A.swift", "/// A list that is told\n/// to a feed."),
        SourceFile("Sources/Feed/A.swift", "a() // The look-up ends."),
        SourceFile("Sources/Feed/A.swift", "log.info(\"too many ask at \"\n  + \"once\")"),
        SourceFile("Tests/FeedTests/A.swift", "@Test(\"A client is let in\")"),
        SourceFile("proto/a.proto", "// Whoever sends it.\nmessage A {}"),
        SourceFile("deploy/a.md", "# A list of before"), SourceFile("a.md", "| a | no room |"),
        SourceFile("Sources/Feed/openapi.json", "{\"description\": \"Sent anew.\"}"),
        SourceFile("Sources/WebPage/a.js", "// A list that is\n// told."), SourceFile("deploy/a.c", "/* Sent anew. */"),
        SourceFile("deploy/a.py", "def a():\n    \"\"\"Sends.\n\n    Sent anew.\n    \"\"\""),
        SourceFile("Makefile", "# whoever builds"), SourceFile("deploy/a.yaml", "  # told"),
      ],
      good: [
        SourceFile("Sources/Feed/A.swift", "let told = at.once // A worker holds up to two jobs."),
        SourceFile("Sources/Feed/A.swift", "let list = [\"at\", \"once\"]"),
        SourceFile("Tests/FeedTests/A.swift", "let a = \"told\""), SourceFile("a.md", "```\ntold\n```\n[a](told.md)"),
        SourceFile("Sources/Domain/Accounts/CommonPasswords.swift", "let list = \"whoever\""),
        SourceFile("Sources/WebPage/a.js", "const told = 1; // told"), SourceFile("deploy/a.py", "told = \"told\""),
      ])
  }

  @Test("A sentence of a document has at most 25 words")
  func sentences() {
    func rule(_ prose: Prose) -> Review {
      Review(prose, prose.document.filter(\.isParagraph).flatMap(\.sentences), tooLong)
    }
    let (short, long) = (sentence(25), sentence(26))
    let bad = [long, "- a\n- \(long)", "> \(short) e.g. \(long)", "a\n\n1. \(short)\n   b. \(long)"]
    let good = [
      "\(short) \(short)", "- \(short)\n- \(short)", "# \(long)", "| \(long) |", "```\n\(long)\n```", "    \(long)",
      "`\(long)` a", "[a](\(long))", "[a]: \(long)",
    ]
    enforce(
      rule, checked: 1_000,
      bad: bad.map { SourceFile("a.md", $0) } + [SourceFile("proto/a.proto", "// \(long)")],
      good: good.map { SourceFile("a.md", $0) } + [SourceFile("a.swift", "// \(long)")])
  }

  @Test("The first sentence of a doc comment has at most 25 words")
  func summaries() {
    func rule(_ prose: Prose) -> Review {
      Review(prose, prose.docComments.compactMap { $0.first?.sentences.first }, tooLong)
    }
    enforce(
      rule, checked: 5_000, bad: [SourceFile("A.swift", "/// word\n/// \(sentence(25))")],
      good: [SourceFile("A.swift", "/// \(sentence(25)) \(sentence(26))"), SourceFile("A.swift", "// \(sentence(26))")])
  }

  @Test("README has at most 130 lines")
  func readme() {
    func rule(_ prose: Prose) -> Review {
      Review(prose, prose.path == "README.md" ? [prose.lineCount] : []) { count in
        let advice = "move details to deploy/README.md or to an article."
        return count > 130 ? [Flaw(line: 131, text: "\(count) lines", advice: advice)] : []
      }
    }
    enforce(
      rule, checked: 1, bad: [SourceFile("README.md", String(repeating: "\n", count: 131))],
      good: [
        SourceFile("README.md", String(repeating: "\n", count: 130)),
        SourceFile("proto/README.md", String(repeating: "\n", count: 131)),
      ])
  }
}
