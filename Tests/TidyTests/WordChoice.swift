import Testing

/// Words and phrases that make readers stop, each with advice for a better one.
enum WordChoice {
  struct Phrase: Sendable {
    let words: [String]
    /// Nil for a phrase that is fine, although a shorter one in it is not.
    let advice: String?
  }

  /// First words of a doc comment that name nothing.
  static let commentStarts = table([
    ("what whatever which whichever", "name the thing: a noun phrase, or a verb (\"Returns…\")."),
    ("who whoever whom whose", "name the client, the worker, the caller or the operator."),
    ("one one's nobody somebody such others", "begin with the noun: \"A line…\", \"A client…\"."),
    ("whether", "write \"True if…\"."),
    ("how", "write \"The number of…\", \"The duration of…\"."),
    ("where", "write \"The address of…\", \"The path of…\"."),
    ("when", "write \"The time at which…\"."),
    ("it its they them their those these that he his", "name the thing instead of the pronoun."),
    ("of by to as so not if from", "begin with the noun or the verb."),
  ])

  /// First words of a test's or a suite's name that hide the subject from the reader of a failure.
  static let nameStarts = commentStarts.merging(
    table([
      ("all there", "name the subject, with \"Every…\" or without."),
      ("nothing none", "name the subject: \"No post…\"."),
      ("with without while", "put the subject first: \"A lookup without a worker fails\"."),
    ])
  ) { first, _ in first }

  /// First words of a name that are fine before a noun: "One byte too many ends the connection".
  static let countedStarts: Set = ["all", "one"]

  /// Words after one of `countedStarts` that show that no noun follows it.
  static let afterPronouns: Set = [
    "are", "at", "by", "can", "do", "end", "ends", "for", "from", "has", "have", "in", "is", "may", "must", "of", "on",
    "that", "to", "who", "with", "without",
  ]

  /// Phrases by their first word, the longer ones first. Bars separate phrases with the same advice.
  static let phrases: [String: [Phrase]] = {
    let rows: [(phrases: String, advice: String?)] = [
      // One word for one thing.
      ("look-up|look-ups|lookup job|lookup jobs", "lookup"),
      ("right to answer", "lease"),
      ("legacy api|classic api", "compatibility API"),
      ("stand-in|stand-ins", "stub"),
      ("farewell", "goodbye"),
      ("buried", "dead"),
      ("failed tries|free tries|wrong tries", "attempts"),
      ("room", "capacity, slots or space, with the unit"),
      ("exam|exams|examiner|examiners", "conformance run"),
      ("pupil|pupils", "the program under test"),
      ("the worth|its worth|their worth|worths", "score, rank or decision"),
      ("the road|all roads|both roads", "transport or link, by its name"),
      ("reckon|reckons|reckoned|reckoning", "compute"),
      ("mend|mends|mended|mending", "fix or repair"),
      ("of before", "previous, restored or earlier"),
      ("futile", "do not retry"),
      ("jobs in work|job in work", "in progress"),
      ("clean stop|clean stops", "graceful shutdown"),
      ("power cut|power cuts", "power loss"),
      ("present state|present list|present settings", "current"),
      ("counts no attempt|count no attempt|counts no loss|count no loss", "does not count as"),
      // A verb that says what the program does.
      ("told", "sent, published, logged or reported"),
      ("is said|are said", "reported, logged or documented"),
      ("taken in|takes in|take in|taking in", "accepted"),
      ("let in|lets in|letting in", "connected or authorized"),
      ("turned away|turns away", "rejected"),
      ("hold up to|holds up to", nil),
      ("held up|holds up|hold up|holding up", "delayed, blocked or rate-limited"),
      ("stands back|stand back|stood back", "yields"),
      ("became of|becomes of|become of", "the outcome of"),
      ("come to nothing|comes to nothing|came to nothing", "failed"),
      // A quantity or a time.
      ("so many", "the number, by its name or its limit"),
      ("as wanted", "any number of"),
      ("anew", "again, or from the start"),
      ("at once", "immediately, or at the same time"),
      // A person or a program by its name.
      ("whoever|whomever|whom", "the client, the user, the worker or the operator"),
      ("somebody", "a user, a client, a caller or an operator"),
      ("nobody is asked|nobody asks", "who does not ask whom: \"Ingest sends no request to the provider.\""),
      ("one's|oneself", "your, the user's or the account's"),
      ("he|she|him|his|her|hers|himself|herself", "the noun, or you"),
    ]
    let phrases = rows.flatMap { row in
      row.phrases.split(separator: "|").map { phrase in
        Phrase(words: phrase.split(separator: " ").map(String.init), advice: row.advice)
      }
    }
    return Dictionary(grouping: phrases) { $0.words[0] }
      .mapValues { $0.sorted { $0.words.count > $1.words.count } }
  }()

  /// Finds phrases that have advice, with the index of the first word of each.
  static func misuses(in words: [Word]) -> [(index: Int, phrase: Phrase)] {
    var found: [(index: Int, phrase: Phrase)] = []
    var index = 0
    while index < words.count {
      let phrase = phrases[words[index].key]?.first { phrase in
        let part = words[index...].prefix(phrase.words.count)
        return part.map(\.key) == phrase.words && !part.dropFirst().contains(where: \.startsPhrase)
      }
      if let phrase, phrase.advice != nil { found.append((index, phrase)) }
      index += phrase?.words.count ?? 1
    }
    return found
  }

  /// Advice by word. Each row has words that share their advice.
  private static func table(_ rows: [(words: String, advice: String)]) -> [String: String] {
    Dictionary(
      uniqueKeysWithValues: rows.flatMap { row in
        row.words.split(separator: " ").map { (String($0), row.advice) }
      })
  }
}

@Suite("Word choice")
struct WordChoiceTests {
  @Test("A phrase is found only if it has advice")
  func phrases() {
    for phrase in WordChoice.phrases.values.joined() {
      let words = Passage("Ingest \(phrase.words.joined(separator: " ")) ingest", line: 1).words
      let found = WordChoice.misuses(in: words).map { $0.phrase.words }
      let wanted = phrase.advice == nil ? [] : [phrase.words]
      #expect(found == wanted)
    }
  }

  @Test("The longest phrase counts, and punctuation ends a phrase")
  func boundaries() {
    func found(_ text: String) -> [String] {
      WordChoice.misuses(in: Passage(text, line: 1).words).map { $0.phrase.words.joined(separator: " ") }
    }
    #expect(found("A worker holds up to two jobs, and Holds\nup a third.") == ["holds up"])
    #expect(found("As many as it let, in time. `told` At (once)").isEmpty)
    #expect(found("A link [told](told.md) so: told") == ["told", "told"])
  }
}
