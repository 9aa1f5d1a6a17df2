import Foundation
import Testing

@Suite("onthemap conformance subscriber", .fixture)
struct ConformanceSubscriberTests {
  private struct Finding: Decodable {
    let rule, verdict, requirement, reference: String
    let observed, reason: String?
  }

  /// Tests a subscriber, a program and its arguments, and expects it to pass every rule.
  private func expectAllHold(_ subscriber: [String], environment: [String: String] = [:]) async throws {
    let arguments = ["conformance", "subscriber", "--publish", "tcp://127.0.0.1:0", "--json", "--"] + subscriber
    let ran = try await SystemFixture.current.run(arguments, environment: environment, within: .seconds(240))
    let findings = try ran.output.split(separator: "\n").map { line in
      try JSONDecoder().decode(Finding.self, from: Data(line.utf8))
    }
    #expect(findings.count == 32, "\(ran.log.suffix(1_000))")
    let notPassed = findings.filter { $0.verdict != "pass" }
    #expect(ran.status == 0 && notPassed.isEmpty, "\(notPassed)")
  }

  @Test("The built subscriber passes every conformance rule")
  func own() async throws {
    try await expectAllHold([Program.binary.path, "watch", "--json", "--feed", "{feed}"])
  }

  @Test(
    "The Python subscriber passes every conformance rule",
    .enabled(if: PythonExample.isReady, "protoc or .venv is missing: deploy/setup.sh test makes both"))
  func python() async throws {
    try await Consumer.makeMessages()
    try await expectAllHold(
      [
        PythonExample.python.path, "-c", PythonExample.start, "\(Consumer.folder)/python/subscriber.py", "--json",
        "{feed}",
      ], environment: Consumer.environment)
  }

  @Test("A subscriber that ends before it connects is reported immediately")
  func ended() async throws {
    let ran = try await SystemFixture.current.run(
      "conformance", "subscriber", "--publish", "tcp://127.0.0.1:0", "--connect-timeout", "1", "--", "false")
    #expect(ran.status == 1)
    #expect(ran.output.contains("inconclusive: the subscriber's process ended, with exit code 1; required: "))
    #expect(ran.output.hasSuffix("32 rules: 0 passed, 0 failed, 32 inconclusive\n"))
  }

  @Test("A missing subscriber ends the run after --connect-timeout")
  func nobody() async throws {
    let ran = try await SystemFixture.current.run(
      "conformance", "subscriber", "--publish", "tcp://127.0.0.1:0", "--connect-timeout", "1")
    #expect(ran.status == 1 && ran.log.contains("listening feed=tcp://127.0.0.1:"))
    #expect(ran.output.hasSuffix("31 rules: 0 passed, 0 failed, 31 inconclusive\n"))
    #expect(ran.output.hasPrefix("inconclusive: no subscriber connected; required: "))
  }
}
