import Testing

/// A call that only some files may make.
private struct BannedCall {
  let pattern: Pattern
  let advice: String
  var view: KeyPath<SwiftText, String> = \.code
  var applies: (SourceFile) -> Bool

  func rule(_ file: SourceFile) -> [Violation] {
    applies(file) ? violations(file, in: view, pattern) { "\($0.split(separator: "\n").first ?? ""): \(advice)" } : []
  }

  /// Checks the tree against the rule. Each example is a line of the file at `path`.
  func enforce(at path: String, bad: [String], good: [String], elsewhere: [String] = []) {
    TidyTests.enforce(
      SourceTree.swift, to: rule, bad: bad.map { SourceFile(path, $0) },
      good: good.map { SourceFile(path, $0) } + elsewhere.map { SourceFile($0, bad[0]) })
  }
}

@Suite("Banned calls")
struct BoundaryTests {
  @Test("No file contains try!")
  func forcedTry() {
    BannedCall(
      pattern: Pattern(#"\btry!"#), advice: "let it throw; where it cannot fail, use a precondition with the reason.",
      applies: { _ in true }
    ).enforce(at: "Sources/SQLiteStore/A.swift", bad: ["let a = try! b()"], good: ["try? b()", "// try! b()"])
  }

  @Test("Only Commands prints to standard output")
  func printing() {
    BannedCall(
      pattern: Pattern(#"(?<![.\w])((?:debugP|p)rint\()"#), advice: "log it, or return it for Commands to print.",
      applies: { $0.isUnder("Sources") && $0.target != "Commands" }
    ).enforce(
      at: "Sources/Ingest/A.swift", bad: ["print(1)", "\"\\(print(1))\""], good: ["fingerprint(1)", "\"print(1)\""],
      elsewhere: ["Sources/Commands/A.swift", "Tests/Bench/A.swift"])
  }

  @Test("The pure targets read no clock and draw no random numbers")
  func purity() {
    BannedCall(
      pattern: Pattern(
        #"(\bDate\(\)|\bUUID\(\)|\.now\b|\bSystemRandomNumberGenerator\b|\.(?:shuffled|randomElement)\(\)"#
          + #"|\.random\((?![^)]*\busing:))"#),
      advice: "take the time or the generator as a parameter, so that a test can replay it.",
      applies: { ["Domain", "Conformance", "Gazetteer", "GazetteerBuild", "Store"].contains($0.target) }
    ).enforce(
      at: "Sources/Domain/A.swift",
      bad: ["Date()", "let a = ContinuousClock.now", "Int.random(in: 0..<9)", "var a = SystemRandomNumberGenerator()"],
      good: [
        "Date(timeIntervalSince1970: 1)", "Int.random(\n  in: 0..<9, using: &a)", "a.nowhere", "func a(now: Instant)",
      ],
      elsewhere: ["Sources/Ingest/A.swift"])
  }

  @Test("Domain and Gazetteer never write files")
  func reading() {
    BannedCall(
      pattern: Pattern(#"(\bO_(?:WRONLY|RDWR|CREAT)\b|\bPROT_WRITE\b|(?<![.\w])(?:fopen|rename|unlink|ftruncate)\()"#),
      advice: "only GazetteerBuild writes files.", applies: { ["Domain", "Gazetteer"].contains($0.target) }
    ).enforce(
      at: "Sources/Gazetteer/A.swift",
      bad: ["open(path, O_WRONLY | O_CREAT)", "rename(a, b)", "mmap(nil, 1, PROT_WRITE)"],
      good: ["open(path, O_RDONLY)", "a.rename(b)"], elsewhere: ["Sources/GazetteerBuild/A.swift"])
  }

  @Test("Every trap has a message")
  func traps() {
    BannedCall(
      pattern: Pattern(#"\b((?:fatalError|preconditionFailure|assertionFailure)\(\s*\))"#),
      advice: "write a message with the reason.", applies: { _ in true }
    ).enforce(
      at: "Sources/Messaging/A.swift", bad: ["fatalError()", "preconditionFailure( )"], good: ["fatalError(\"Why.\")"])
  }

  @Test("No test blocks its thread to wait")
  func sleeping() {
    BannedCall(
      pattern: Pattern(#"(\bThread\.sleep\b|\busleep\(|\bnanosleep\(|(?<![.\w])sleep\()"#),
      advice: "await the event, or use Task.sleep(for:) if there is no event.", applies: { $0.isUnder("Tests") }
    ).enforce(
      at: "Tests/MessagingTests/A.swift",
      bad: ["usleep(1)", "Thread.sleep(forTimeInterval: 1)", "sleep(1)", "Glibc\nsleep(1)"],
      good: ["try await Task.sleep(for: .seconds(1))", "clock.sleep(until: a)"],
      elsewhere: ["Sources/Messaging/A.swift"])
  }

  @Test("Only Messaging calls libzmq")
  func sockets() {
    BannedCall(
      pattern: Pattern(#"\b(zmq_\w+)"#),
      advice: "only Messaging's thread uses sockets: add the missing function to Messaging.",
      applies: { $0.isUnder("Sources") && $0.target != "Messaging" }
    ).enforce(
      at: "Sources/Worker/A.swift", bad: ["zmq_poll(a, 1, 0)"], good: ["// zmq_poll(a)", "\"zmq_poll\""],
      elsewhere: ["Sources/Messaging/A.swift"])
  }

  @Test("Only the stores speak SQL")
  func statements() {
    BannedCall(
      pattern: Pattern(
        #"\b(SELECT\s+\S|INSERT\s+(?:OR\s+\w+\s+)?INTO\s|UPDATE\s+\w+\s+SET\s|DELETE\s+FROM\s|PRAGMA\s"#
          + #"|CREATE\s+(?:UNIQUE\s+)?(?:TABLE|INDEX)\s)"#),
      advice:
        "a transaction is a method of a store: add one there, so that no other target depends on the database.",
      view: \.strings, applies: { $0.isUnder("Sources") && !["PostgresStore", "SQLiteStore"].contains($0.target) }
    ).enforce(
      at: "Sources/Ingest/A.swift",
      bad: ["a(\"SELECT 1\")", "a(#\"DELETE FROM b\"#)", "a(\"\"\"\n  UPDATE b\n  SET c = 1\n  \"\"\")"],
      good: ["\"Select a place\"", "// SELECT 1"],
      elsewhere: ["Sources/SQLiteStore/A.swift", "Tests/SQLiteStoreTests/A.swift"])
  }
}
