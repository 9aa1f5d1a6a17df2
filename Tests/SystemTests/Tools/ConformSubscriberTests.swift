import Foundation
import Testing

@Suite("onthemap conform subscriber", .stage)
struct ConformSubscriberTests {
  private struct Finding: Decodable {
    let rule, verdict, says, reference: String
    let seen, why: String?
  }

  /// Examines a subscriber: a program and its arguments.
  private func expectAllHold(_ subscriber: [String], environment: [String: String] = [:]) async throws {
    let arguments = ["conform", "subscriber", "--publish", "tcp://127.0.0.1:0", "--json", "--"] + subscriber
    let ran = try await SystemFixture.current.run(arguments, environment: environment, within: .seconds(240))
    let findings = try ran.said.split(separator: "\n").map { line in
      try JSONDecoder().decode(Finding.self, from: Data(line.utf8))
    }
    #expect(findings.count == 32, "\(ran.logged.suffix(1_000))")
    let others = findings.filter { $0.verdict != "holds" }
    #expect(ran.status == 0 && others.isEmpty, "\(others)")
  }

  @Test("Our own subscriber keeps every rule, and shows no list as live that is not the feed's")
  func own() async throws {
    try await expectAllHold([Program.binary.path, "watch", "--json", "--feed", "{feed}"])
  }

  @Test(
    "So does the follower in Python",
    .enabled(if: PythonExample.isReady, "protoc or .venv is missing: deploy/setup.sh test makes both"))
  func python() async throws {
    try await Consumer.makeMessages()
    try await expectAllHold(
      [
        PythonExample.python.path, "-c", PythonExample.start, "\(Consumer.folder)/python/follow.py", "--json", "{feed}",
      ], environment: Consumer.environment)
  }

  @Test("A program that ends before it comes is told of at once")
  func gone() async throws {
    let ran = try await SystemFixture.current.run(
      "conform", "subscriber", "--publish", "tcp://127.0.0.1:0", "--wait", "1", "--", "false")
    #expect(ran.status == 1)
    #expect(ran.said.contains("not shown: the subscriber's process ended, with exit code 1; the protocol says: "))
    #expect(ran.said.hasSuffix("32 rules: 0 hold, 0 do not hold, 32 not shown\n"))
  }

  @Test("A subscriber that nobody starts is waited for only as long as was asked")
  func nobody() async throws {
    let ran = try await SystemFixture.current.run("conform", "subscriber", "--publish", "tcp://127.0.0.1:0", "--wait", "1")
    #expect(ran.status == 1 && ran.logged.contains("listening feed=tcp://127.0.0.1:"))
    #expect(ran.said.hasSuffix("31 rules: 0 hold, 0 do not hold, 31 not shown\n"))
    #expect(ran.said.hasPrefix("not shown: no subscriber came; the protocol says: "))
  }
}
