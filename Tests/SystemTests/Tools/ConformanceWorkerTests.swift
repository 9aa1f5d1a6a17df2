import Foundation
import Testing

@Suite("onthemap conformance worker", .fixture)
struct ConformanceWorkerTests {
  private struct Finding: Decodable {
    let rule, verdict, requirement, reference: String
    let observed, reason: String?
  }

  /// Tests a worker. Returns the findings by rule, and the exit code. A failure includes the fixture's logs.
  private func examine(
    _ worker: [String], query: String = "Seattle, WA", environment: [String: String] = [:]
  ) async throws -> (status: Int32, findings: [String: Finding]) {
    let arguments = ["conformance", "worker", "--jobs", "tcp://127.0.0.1:0", "--json", "--query", query, "--"] + worker
    let ran = try await SystemFixture.current.run(arguments, environment: environment, within: .seconds(240))
    let lines = ran.output.split(separator: "\n")
    let findings = try lines.map { try JSONDecoder().decode(Finding.self, from: Data($0.utf8)) }
    #expect(findings.count == 40, "\(ran.log.suffix(1_000))")
    return (ran.status, Dictionary(uniqueKeysWithValues: findings.map { ($0.rule, $0) }))
  }

  @Test("The built worker passes every conformance rule")
  func own() async throws {
    let program = Program.binary.path
    let (status, findings) = try await examine([program, "worker", "--operations", "none", "--ingest", "{jobs}"])
    let notPassed = findings.values.filter { $0.verdict != "pass" }
    #expect(status == 0 && notPassed.isEmpty, "\(notPassed)")
  }

  @Test(
    "The Python worker passes every conformance rule",
    .enabled(if: PythonExample.isReady, "protoc or .venv is missing: deploy/setup.sh test makes both"))
  func python() async throws {
    let worker = try await PythonWorker.made(in: .current)
    let (status, findings) = try await examine(
      worker.command(endpoint: "{jobs}"), query: "Avalon Isle", environment: worker.environment)
    let notPassed = findings.values.filter { $0.verdict != "pass" }
    #expect(status == 0 && notPassed.isEmpty, "\(notPassed)")
  }

  @Test(
    "A faulty Python worker fails the broken rule with observation and reference",
    .enabled(if: PythonExample.isReady, "protoc or .venv is missing: deploy/setup.sh test makes both"),
    arguments: [
      (
        "if at <= now]", "if at < 0]", ["resend"],
        "A worker, 6"
      ),
      (
        "self.session, self.beat_at = frame.session, now", "self.session, self.beat_at = 1, now", ["session"],
        "A worker, 3"
      ),
    ])
  func faulty(line: String, instead: String, rules: [String], reference: String) async throws {
    let worker = try await PythonWorker.made(in: .current, replacing: line, with: instead)
    let (status, findings) = try await examine(
      worker.command(endpoint: "{jobs}"), query: "Avalon Isle", environment: worker.environment)
    #expect(status == 1)
    for rule in rules {
      let finding = try #require(findings[rule])
      #expect(finding.verdict == "fail" && finding.observed != nil, "\(findings.values)")
    }
    #expect(findings.values.contains { $0.verdict == "fail" && $0.reference == reference })
  }

  @Test("A missing worker ends the run after --connect-timeout")
  func nobody() async throws {
    let ran = try await SystemFixture.current.run(
      "conformance", "worker", "--jobs", "tcp://127.0.0.1:0", "--connect-timeout", "1")
    #expect(ran.status == 1 && ran.log.contains("listening jobs=tcp://127.0.0.1:"))
    #expect(ran.output.hasSuffix("39 rules: 0 passed, 0 failed, 39 inconclusive\n"))
    #expect(ran.output.hasPrefix("inconclusive: no worker connected; required: "))
  }

  @Test("A worker that ends or cannot start is reported immediately")
  func ended() async throws {
    let fixture = SystemFixture.current
    let ended = try await fixture.run("conformance", "worker", "--jobs", "tcp://127.0.0.1:0", "--", "false")
    #expect(ended.status == 1 && ended.output.contains("inconclusive: the worker's process ended, with exit code 1"))
    let missing = try await fixture.run("conformance", "worker", "--jobs", "tcp://127.0.0.1:0", "--", "/no/such/worker")
    #expect(missing.status == 1 && missing.log.contains("cannot start /no/such/worker: No such file"))
  }

  @Test("An interrupted run ends the worker that it started")
  func interrupted() async throws {
    let program = try SystemFixture.current.program([
      "conformance", "worker", "--jobs", "tcp://127.0.0.1:0", "--", Program.binary.path, "worker", "--operations",
      "none", "--ingest", "{jobs}",
    ])
    try program.start()
    try await eventually("the worker has connected") { program.standardError.contains("testing ") }
    let pid = try #require(program.pid)
    let child = try #require(try children(of: pid).first)
    program.signal(SIGTERM)
    #expect(try await program.exit() == 1)
    #expect(program.standardError.contains("interrupted before the test ended") && kill(child, 0) != 0)
  }

  private func children(of pid: pid_t) throws -> [pid_t] {
    try FileManager.default.contentsOfDirectory(atPath: "/proc/\(pid)/task").flatMap { task in
      let children = try String(contentsOfFile: "/proc/\(pid)/task/\(task)/children", encoding: .utf8)
      return children.split(separator: " ").compactMap { pid_t($0) }
    }
  }
}
