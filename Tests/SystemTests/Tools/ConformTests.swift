import Foundation
import Testing

@Suite("onthemap conform", .stage)
struct ConformTests {
  private struct Finding: Decodable {
    let rule, verdict, says, reference: String
    let seen, why: String?
  }

  /// The rules by their verdicts, and the exit code. What lacks is put into the failure by the stage's logs.
  private func examine(
    _ worker: [String], query: String = "Seattle, WA", environment: [String: String] = [:]
  ) async throws -> (status: Int32, findings: [String: Finding]) {
    let arguments = ["conform", "worker", "--jobs", "tcp://127.0.0.1:0", "--json", "--query", query, "--"] + worker
    let ran = try await SystemFixture.current.run(arguments, environment: environment, within: .seconds(240))
    let lines = ran.said.split(separator: "\n")
    let findings = try lines.map { try JSONDecoder().decode(Finding.self, from: Data($0.utf8)) }
    #expect(findings.count == 39, "\(ran.logged.suffix(1_000))")
    return (ran.status, Dictionary(uniqueKeysWithValues: findings.map { ($0.rule, $0) }))
  }

  @Test("Our own worker keeps every rule")
  func own() async throws {
    let program = Program.binary.path
    let (status, findings) = try await examine([program, "geocoder", "--operations", "none", "--ingest", "{jobs}"])
    let others = findings.values.filter { $0.verdict != "holds" }
    #expect(status == 0 && others.isEmpty, "\(others)")
  }

  @Test(
    "The worker in Python keeps every rule",
    .enabled(if: PythonExample.isReady, "protoc or .venv is missing: deploy/setup.sh test makes both"))
  func python() async throws {
    let worker = try await PythonWorker.made(in: .current)
    let (status, findings) = try await examine(
      worker.command(endpoint: "{jobs}"), query: "Avalon Isle", environment: worker.environment)
    let others = findings.values.filter { $0.verdict != "holds" }
    #expect(status == 0 && others.isEmpty, "\(others)")
  }

  @Test(
    "A worker in Python with a fault is told which rule it breaks, what was seen, and where the rule stands",
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
      #expect(finding.verdict == "does_not_hold" && finding.seen != nil, "\(findings.values)")
    }
    #expect(findings.values.contains { $0.verdict == "does_not_hold" && $0.reference == reference })
  }

  @Test("A worker that nobody starts is waited for only as long as was asked, and its rules are not shown")
  func nobody() async throws {
    let ran = try await SystemFixture.current.run("conform", "worker", "--jobs", "tcp://127.0.0.1:0", "--wait", "1")
    #expect(ran.status == 1 && ran.logged.contains("listening jobs=tcp://127.0.0.1:"))
    #expect(ran.said.hasSuffix("38 rules: 0 hold, 0 do not hold, 38 not shown\n"))
    #expect(ran.said.hasPrefix("not shown: no worker came; the protocol says: "))
  }

  @Test("A program that ends, or that is not there, is told of at once")
  func gone() async throws {
    let stage = SystemFixture.current
    let ended = try await stage.run("conform", "worker", "--jobs", "tcp://127.0.0.1:0", "--", "false")
    #expect(ended.status == 1 && ended.said.contains("not shown: the worker's process ended, with exit code 1"))
    let missing = try await stage.run("conform", "worker", "--jobs", "tcp://127.0.0.1:0", "--", "/no/such/worker")
    #expect(missing.status == 1 && missing.logged.contains("/no/such/worker cannot be started: No such file"))
  }

  @Test("Ended early, it ends the worker that it has started")
  func interrupted() async throws {
    let program = try SystemFixture.current.program([
      "conform", "worker", "--jobs", "tcp://127.0.0.1:0", "--", Program.binary.path, "geocoder", "--operations", "none",
      "--ingest", "{jobs}",
    ])
    try program.start()
    try await eventually("the worker has come") { program.standardError.contains("examining ") }
    let pid = try #require(program.pid)
    let child = try #require(try children(of: pid).first)
    program.signal(SIGTERM)
    #expect(try await program.exit() == 1)
    #expect(program.standardError.contains("Ended before the exam was over.") && kill(child, 0) != 0)
  }

  private func children(of pid: pid_t) throws -> [pid_t] {
    try FileManager.default.contentsOfDirectory(atPath: "/proc/\(pid)/task").flatMap { task in
      let children = try String(contentsOfFile: "/proc/\(pid)/task/\(task)/children", encoding: .utf8)
      return children.split(separator: " ").compactMap { pid_t($0) }
    }
  }
}
