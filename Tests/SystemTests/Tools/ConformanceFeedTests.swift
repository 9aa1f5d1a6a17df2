import Foundation
import Testing

@Suite("onthemap conformance feed", .fixture)
struct ConformanceFeedTests {
  private struct Finding: Decodable {
    let rule, verdict, requirement, reference: String
    let observed, reason: String?
  }

  @Test("The built feed passes every conformance rule")
  func own() async throws {
    let fixture = SystemFixture.current
    // IPC endpoints, so that no port must be free.
    let (feed, query) = ("ipc://\(fixture.path("feed"))", "ipc://\(fixture.path("query"))")
    let ran = try await fixture.run(
      [
        "conformance", "feed", "--changes", "tcp://127.0.0.1:0", "--feed", feed, "--query", query, "--json", "--",
        Program.binary.path, "feed", "--ingest", "{changes}", "--publish", feed, "--query", query, "--data", "none",
        "--operations", "none", "--http", "127.0.0.1:0",
      ], within: .seconds(120))
    let findings = try ran.output.split(separator: "\n").map { line in
      try JSONDecoder().decode(Finding.self, from: Data(line.utf8))
    }
    #expect(findings.count == 31, "\(ran.log.suffix(1_000))")
    let notPassed = findings.filter { $0.verdict != "pass" }
    #expect(ran.status == 0 && notPassed.isEmpty, "\(notPassed)")
  }

  @Test("All rules are inconclusive if no feed connects in time, and a disabled query link leaves its rules out")
  func nobody() async throws {
    let ran = try await SystemFixture.current.run(
      "conformance", "feed", "--changes", "tcp://127.0.0.1:0", "--query", "none", "--connect-timeout", "1")
    #expect(ran.status == 1 && ran.log.contains("listening changes=tcp://127.0.0.1:"))
    #expect(ran.output.hasSuffix("25 rules: 0 passed, 0 failed, 25 inconclusive\n"))
    #expect(ran.output.hasPrefix("inconclusive: no feed connected; required: "))
  }
}
