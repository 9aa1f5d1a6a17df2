import Foundation
import Testing

@Suite("onthemap conformance producer", .fixture)
struct ConformanceProducerTests {
  private struct Finding: Decodable {
    let rule, verdict, requirement, reference: String
    let observed, reason: String?
  }

  /// Tests a producer: a program and its arguments.
  private func examine(
    _ producer: [String], environment: [String: String] = [:]
  ) async throws -> (status: Int32, findings: [Finding]) {
    let arguments = ["conformance", "producer", "--submit", "tcp://127.0.0.1:0", "--json", "--"] + producer
    let ran = try await SystemFixture.current.run(arguments, environment: environment, within: .seconds(150))
    let findings = try ran.output.split(separator: "\n").map { line in
      try JSONDecoder().decode(Finding.self, from: Data(line.utf8))
    }
    #expect(findings.count == 21, "\(ran.log.suffix(1_000))")
    return (ran.status, findings)
  }

  /// Returns the command of the Python producer with 1,100 posts and a token.
  ///
  /// - Parameters:
  ///   - line: The text to replace in the script.
  ///   - instead: The replacement.
  private func python(replacing line: String = "", with instead: String = "") async throws -> [String] {
    let fixture = SystemFixture.current
    let proto = PythonExample.root.appending(path: "proto/onthemap/submit/v1").path
    try await Consumer.run("protoc", "-I", proto, "--python_out=\(fixture.folder.path)", "submit.proto")
    let example = PythonExample.root.appending(path: "deploy/examples/python/producer.py")
    let text = try String(contentsOf: example, encoding: .utf8)
    #expect(line.isEmpty || text.contains(line))
    let script = line.isEmpty ? text : text.replacingOccurrences(of: line, with: instead)
    try Data(script.utf8).write(to: fixture.folder.appending(path: "producer.py"))
    try Data(String(repeating: "t", count: 43).utf8).write(to: fixture.folder.appending(path: "token"))
    let posts = (1...1_100).map { "Oslo\thttps://example.org/\($0)\n" }.joined()
    try Data(posts.utf8).write(to: fixture.folder.appending(path: "posts.tsv"))
    let start = "import signal; signal.pthread_sigmask(signal.SIG_SETMASK, []); import runpy, sys; sys.argv.pop(0); "
    let run = "runpy.run_path(sys.argv[0], run_name='__main__')"
    return [
      "/bin/sh", "-c",
      "exec \(PythonExample.python.path) -c \"\(start)\(run)\" \(fixture.path("producer.py")) "
        + "\(fixture.path("token")) {submit} < \(fixture.path("posts.tsv")) > /dev/null",
    ]
  }

  @Test("The built producer passes every conformance rule")
  func own() async throws {
    let map = try await SystemFixture.current.up()
    let (status, findings) = try await examine([
      Program.binary.path, "load", "--server", try map.client.base, "--feed", try map.publish, "--submit", "{submit}",
      "--connections", "1", "--rate", "40", "--duration", "120",
    ])
    let notPassed = findings.filter { $0.verdict != "pass" }
    #expect(status == 0 && notPassed.isEmpty, "\(notPassed)")
  }

  @Test(
    "The Python producer passes every conformance rule",
    .enabled(if: PythonExample.isReady, "protoc or .venv is missing: deploy/setup.sh test makes both"))
  func python() async throws {
    let (status, findings) = try await examine(try await python(replacing: ""), environment: Consumer.environment)
    let notPassed = findings.filter { $0.verdict != "pass" }
    #expect(status == 0 && notPassed.isEmpty, "\(notPassed)")
  }

  @Test(
    "A faulty Python producer fails the broken rule with the observation",
    .enabled(if: PythonExample.isReady, "protoc or .venv is missing: deploy/setup.sh test makes both"),
    arguments: [
      ("if reply.request_id != request.request_id:", "if reply.request_id == 0:", "matching"),
      ("return reply if is_whole or", "return reply if True or", "receipt-count"),
      ("busy.append(post)", "pass", "busy-post"),
    ])
  func faulty(line: String, instead: String, rule: String) async throws {
    let (status, findings) = try await examine(
      try await python(replacing: line, with: instead), environment: Consumer.environment)
    let finding = try #require(findings.first { $0.rule == rule })
    #expect(status == 1 && finding.verdict == "fail" && finding.observed != nil, "\(findings)")
  }

  @Test("A producer that ends before it sends anything is reported")
  func ended() async throws {
    let ran = try await SystemFixture.current.run(
      "conformance", "producer", "--submit", "tcp://127.0.0.1:0", "--", "false")
    #expect(ran.status == 1)
    let why = "the producer's process ended, with exit code 1: does it have enough posts?"
    #expect(ran.output.contains("inconclusive: \(why)"))
    #expect(ran.output.hasSuffix("21 rules: 0 passed, 0 failed, 21 inconclusive\n"))
  }

  @Test("A missing producer ends the run after --connect-timeout")
  func nobody() async throws {
    let ran = try await SystemFixture.current.run(
      "conformance", "producer", "--submit", "tcp://127.0.0.1:0", "--connect-timeout", "1")
    #expect(ran.status == 1 && ran.log.contains("listening submit=tcp://127.0.0.1:"))
    #expect(ran.output.hasPrefix("inconclusive: no producer connected; required: "))
  }
}
