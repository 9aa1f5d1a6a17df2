import Foundation
import Testing

@Suite("Crashes", .fixture, .serialized)
struct CrashTests {
  @Test(
    "The command up restarts in its process after a crash, with the same ports and every post",
    arguments: [SIGABRT, SIGSEGV])
  func up(signal: Int32) async throws {
    let program = try everything()
    try await program.startAndWait()
    let map = Services(ingest: program)
    let client = try await map.client.signedUp()
    try await client.expectService()
    let pid = try #require(program.pid)
    try expectNoBacktracer(program)
    for crashes in 1...2 {
      program.signal(signal)
      try await expectReady(program, times: crashes + 1)
      #expect(program.pid == pid)
      #expect(program.standardError.contains("crashed with signal"))
      let log = program.standardError
      #expect(log.contains("backoff_s=\(crashes) crashes=\(crashes)"), "\(log.suffix(300))")
    }
    try await client.expectService()
    #expect(try await client.posts().count == 2)
    program.signal(SIGTERM)
    #expect(try await program.exit() == 0)
  }

  @Test(
    "Threads that run while the program is reloaded do not end the process",
    .enabled(if: SyscallFault.isAvailable, "strace is missing, or may not trace here"))
  func loading() async throws {
    let program = try everything()
    // The reload takes a second, during which libzmq's threads continue.
    try await program.startAndWait(under: SyscallFault("execve:delay_enter=1000000").command)
    let pid = try #require(program.pid)
    program.signal(SIGABRT)
    try await expectReady(program, times: 2)
    #expect(program.pid == pid)
    #expect(program.standardError.contains("backoff_s=1 crashes=1"), "\(program.standardError.suffix(300))")
    try await Services(ingest: program).client.signedUp().expectService()
  }

  @Test("Every other service ends with its crash and frees its ports")
  func alone() async throws {
    let map = try await SystemFixture.current.roles(workers: 1)
    for program in [map.workers[0], try #require(map.feed), map.ingest] {
      try expectNoBacktracer(program)
      program.signal(SIGABRT)
      #expect(try await program.exit() == -SIGABRT, "\(program)")
      try await program.startAndWait()
    }
    try await map.client.signedUp().expectService()
  }

  @Test("A usage error ends `up` without a restart")
  func usage() async throws {
    #expect(try await SystemFixture.current.run("up", "--no-such-option").status == 64)
    #expect(try await SystemFixture.current.run("up", "--workers", "0").status == 78)
  }

  /// Creates a program that runs `up` on fixed ports, and uses the same ports after a crash.
  private func everything() throws -> Program {
    let fixture = SystemFixture.current
    let ports = try (0..<7).map { _ in try Port.free() }
    return try fixture.program([
      "up", "--data", fixture.path("data"), "--http", "127.0.0.1:\(ports[0])", "--feed-http", "127.0.0.1:\(ports[1])",
      "--jobs", "tcp://127.0.0.1:\(ports[2])", "--changes", "tcp://127.0.0.1:\(ports[3])",
      "--publish", "tcp://127.0.0.1:\(ports[4])", "--query", "tcp://127.0.0.1:\(ports[5])",
      "--submit", "tcp://127.0.0.1:\(ports[6])", "--operations", "none",
    ])
  }

  /// Expects Swift's backtracer to be off. A backtracer inherits the ports of a crashed process and may never end.
  private func expectNoBacktracer(_ program: Program) throws {
    let pid = try #require(program.pid)
    let file = try #require(FileHandle(forReadingAtPath: "/proc/\(pid)/environ"))
    let variables = String(decoding: try file.readToEnd() ?? Data(), as: UTF8.self).split(separator: "\0")
    #expect(variables.contains("SWIFT_BACKTRACE=enable=no"), "\(program): \(variables)")
  }

  private func expectReady(_ program: Program, times: Int) async throws {
    try await eventually("\(program) has been ready \(times) times") {
      program.standardOutput.split(separator: "\n").count { $0.hasPrefix("ready ") } == times
    }
  }
}
