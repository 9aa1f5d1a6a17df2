import Foundation
import Testing

@Suite("onthemap conform producer", .stage)
struct ConformProducerTests {
  private struct Finding: Decodable {
    let rule, verdict, says, reference: String
    let seen, why: String?
  }

  /// Examines a producer: a program and its arguments.
  private func examine(
    _ producer: [String], environment: [String: String] = [:]
  ) async throws -> (status: Int32, findings: [Finding]) {
    let arguments = ["conform", "producer", "--submit", "tcp://127.0.0.1:0", "--json", "--"] + producer
    let ran = try await SystemFixture.current.run(arguments, environment: environment, within: .seconds(150))
    let findings = try ran.said.split(separator: "\n").map { line in
      try JSONDecoder().decode(Finding.self, from: Data(line.utf8))
    }
    #expect(findings.count == 21, "\(ran.logged.suffix(1_000))")
    return (ran.status, findings)
  }

  /// The producer in Python with a thousand posts and a token, as a test starts it.
  ///
  /// - Parameters:
  ///   - line: the text to replace in it.
  ///   - instead: the replacement.
  private func python(replacing line: String = "", with instead: String = "") async throws -> [String] {
    let stage = SystemFixture.current
    let proto = PythonExample.root.appending(path: "proto/onthemap/submit/v1").path
    try await Consumer.run("protoc", "-I", proto, "--python_out=\(stage.folder.path)", "submit.proto")
    let example = PythonExample.root.appending(path: "deploy/examples/python/produce.py")
    let text = try String(contentsOf: example, encoding: .utf8)
    #expect(line.isEmpty || text.contains(line))
    let script = line.isEmpty ? text : text.replacingOccurrences(of: line, with: instead)
    try Data(script.utf8).write(to: stage.folder.appending(path: "produce.py"))
    try Data(String(repeating: "t", count: 43).utf8).write(to: stage.folder.appending(path: "token"))
    let posts = (1...1_100).map { "Oslo\thttps://example.org/\($0)\n" }.joined()
    try Data(posts.utf8).write(to: stage.folder.appending(path: "posts.tsv"))
    let start = "import signal; signal.pthread_sigmask(signal.SIG_SETMASK, []); import runpy, sys; sys.argv.pop(0); "
    let run = "runpy.run_path(sys.argv[0], run_name='__main__')"
    return [
      "/bin/sh", "-c",
      "exec \(PythonExample.python.path) -c \"\(start)\(run)\" \(stage.path("produce.py")) "
        + "\(stage.path("token")) {submit} < \(stage.path("posts.tsv")) > /dev/null",
    ]
  }

  @Test("Our own producer keeps every rule")
  func own() async throws {
    let map = try await SystemFixture.current.up()
    let (status, findings) = try await examine([
      Program.binary.path, "load", "--server", try map.client.base, "--feed", try map.publish, "--submit", "{submit}",
      "--connections", "1", "--rate", "40", "--duration", "120",
    ])
    let others = findings.filter { $0.verdict != "holds" }
    #expect(status == 0 && others.isEmpty, "\(others)")
  }

  @Test(
    "The producer in Python keeps every rule",
    .enabled(if: PythonExample.isReady, "protoc or .venv is missing: deploy/setup.sh test makes both"))
  func python() async throws {
    let (status, findings) = try await examine(try await python(replacing: ""), environment: Consumer.environment)
    let others = findings.filter { $0.verdict != "holds" }
    #expect(status == 0 && others.isEmpty, "\(others)")
  }

  @Test(
    "A producer in Python with a fault is told which rule it breaks, and what was seen",
    .enabled(if: PythonExample.isReady, "protoc or .venv is missing: deploy/setup.sh test makes both"),
    arguments: [
      ("if reply.request_id != request.request_id:", "if reply.request_id == 0:", "matching"),
      ("return reply if is_whole or", "return reply if True or", "receipt-count"),
      ("again.append(post)", "pass", "busy-post"),
    ])
  func faulty(line: String, instead: String, rule: String) async throws {
    let (status, findings) = try await examine(
      try await python(replacing: line, with: instead), environment: Consumer.environment)
    let finding = try #require(findings.first { $0.rule == rule })
    #expect(status == 1 && finding.verdict == "does_not_hold" && finding.seen != nil, "\(findings)")
  }

  @Test("A program that ends before it sends anything is told of")
  func gone() async throws {
    let ran = try await SystemFixture.current.run("conform", "producer", "--submit", "tcp://127.0.0.1:0", "--", "false")
    #expect(ran.status == 1)
    #expect(ran.said.contains("not shown: the producer's process ended, with exit code 1: does it have enough posts?"))
    #expect(ran.said.hasSuffix("21 rules: 0 hold, 0 do not hold, 21 not shown\n"))
  }

  @Test("A producer that nobody starts is waited for only as long as was asked")
  func nobody() async throws {
    let ran = try await SystemFixture.current.run("conform", "producer", "--submit", "tcp://127.0.0.1:0", "--wait", "1")
    #expect(ran.status == 1 && ran.logged.contains("listening submit=tcp://127.0.0.1:"))
    #expect(ran.said.hasPrefix("not shown: no producer came; the protocol says: "))
  }
}
