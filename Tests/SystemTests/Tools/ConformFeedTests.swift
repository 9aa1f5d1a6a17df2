import Foundation
import Testing

@Suite("onthemap conform feed", .stage)
struct ConformFeedTests {
  private struct Finding: Decodable {
    let rule, verdict, says, reference: String
    let seen, why: String?
  }

  @Test("Our own feed keeps every rule")
  func own() async throws {
    let stage = SystemFixture.current
    // Files: no port has to be free.
    let (feed, query) = ("ipc://\(stage.path("feed"))", "ipc://\(stage.path("query"))")
    let ran = try await stage.run(
      [
        "conform", "feed", "--changes", "tcp://127.0.0.1:0", "--feed", feed, "--query", query, "--json", "--",
        Program.binary.path, "feed", "--ingest", "{changes}", "--publish", feed, "--query", query, "--data", "none",
        "--operations", "none", "--http", "127.0.0.1:0",
      ], within: .seconds(120))
    let findings = try ran.said.split(separator: "\n").map { line in
      try JSONDecoder().decode(Finding.self, from: Data(line.utf8))
    }
    #expect(findings.count == 31, "\(ran.logged.suffix(1_000))")
    let others = findings.filter { $0.verdict != "holds" }
    #expect(ran.status == 0 && others.isEmpty, "\(others)")
  }

  @Test("A feed that nobody starts is waited for only as long as was asked; what is not asked is not told of")
  func nobody() async throws {
    let ran = try await SystemFixture.current.run(
      "conform", "feed", "--changes", "tcp://127.0.0.1:0", "--query", "none", "--wait", "1")
    #expect(ran.status == 1 && ran.logged.contains("listening changes=tcp://127.0.0.1:"))
    #expect(ran.said.hasSuffix("25 rules: 0 hold, 0 do not hold, 25 not shown\n"))
    #expect(ran.said.hasPrefix("not shown: no feed came; the protocol says: "))
  }
}
