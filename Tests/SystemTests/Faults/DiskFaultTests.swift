import Foundation
import Glibc
import Testing

@Suite("Faults: the disk", .stage, .serialized)
struct DiskFaultTests {
  private static let log = "/onthemap.sqlite-wal"

  /// A call on the log that fails, and how it goes on.
  private static let failures = [
    "fdatasync:error=EIO:when=5", "fdatasync:error=EIO:when=5+", "pwrite64:error=EIO:when=20",
    "pwrite64:error=EROFS:when=20+",
  ]

  @Test(
    "A disk that fails, once or for good, ends ingest with 74: nothing is accepted any more; the next start has all",
    .enabled(if: SQL.isAvailable), .enabled(if: SyscallFault.isAvailable, "strace is missing, or may not trace here"),
    arguments: Fault.isFull ? failures : [failures[0]])
  func failure(injection: String) async throws {
    let trial = try await Trial(on: SystemFixture.current.roles())
    let ingest = trial.map.ingest
    try await ingest.kill()
    let tampering = SyscallFault(injection, on: Trial.data + Self.log)
    // One that fails for good may not even let it start.
    try ingest.start(under: tampering.command)
    let status = try await ingest.exit()
    #expect(tampering.count >= 1, "No call has failed.")
    #expect(status == EX_IOERR, "\(ingest.standardError.suffix(1_000))")
    #expect(ingest.standardError.contains("the disk has failed"))
    let lines = tampering.seen.split(separator: "\n")
    let first = try #require(lines.firstIndex { $0.hasSuffix("(INJECTED)") })
    if injection.hasSuffix("=5") {
      // What is copied at the end is checkpoints' own: no commit was tried again.
      #expect(lines[first...].count <= 4, "\(lines[first...].joined(separator: "\n"))")
    }
    try await ingest.startAndWait()
    try await trial.expectWhole(injection)
  }

  @Test(
    "A disk that fails at the start is a clear refusal", .enabled(if: SyscallFault.isAvailable, "strace may not trace here"))
  func start() async throws {
    let map = try await SystemFixture.current.roles(workers: 0)
    try await map.ingest.kill()
    let tampering = SyscallFault("fdatasync:error=EIO", on: Trial.data + Self.log)
    try map.ingest.start(under: tampering.command)
    #expect(try await map.ingest.exit() == 1)
    #expect(tampering.count >= 1)
    #expect(map.ingest.ready.isEmpty && map.ingest.standardError.contains("disk I/O error"))
    try await map.ingest.startAndWait()
  }

  @Test(
    "Without room posts are refused as not stored, reading goes on, and with room it is as before, without a restart",
    .enabled(if: SQL.isAvailable), .enabled(if: SyscallFault.isAvailable, "strace is missing, or may not trace here"))
  func full() async throws {
    let trial = try await Trial(on: SystemFixture.current.roles())
    let ingest = trial.map.ingest
    try await ingest.kill()
    let disk = try FullDisk(log: Self.log)
    try await ingest.startAndWait(under: disk.tampering.command)
    try disk.fill()
    try await eventually("posts are refused") {
      try await trial.client.logIn("ada@example.org").status == 507
    }
    #expect(disk.tampering.count >= 1)
    _ = try await trial.map.expectFullDisk()
    #expect(try await trial.client.list().seq > 0)
    let pid = try #require(ingest.pid)
    try disk.clear()
    try await eventually("there is room again") {
      try await trial.client.logIn("ada@example.org").status == 200
    }
    try await eventually("it is ready again") { try await trial.client.get("/readyz").status == 200 }
    try await trial.ledger.advance(by: 20)
    #expect(ingest.pid == pid)
    try await trial.expectWhole("no room for a while")
  }

  @Test(
    "Readiness, operators, metrics and log call a disk full that refuses writes although bytes are free",
    .enabled(if: SQL.isAvailable), .enabled(if: SyscallFault.isAvailable, "strace is missing, or may not trace here"))
  func reported() async throws {
    let start = ContinuousClock.now
    let map = try await SystemFixture.current.roles(workers: 0)
    let client = try await map.client.signedUp()
    let ingest = map.ingest
    try await ingest.kill()
    let disk = try FullDisk(log: Self.log)
    try await ingest.startAndWait(under: disk.tampering.command)
    #expect(try await client.post("Oslo").status == 202)
    try await map.expectRoom()
    try disk.fill()
    #expect(try await client.post("Oslo").status == 507)
    // A look writes: its trial commit fails in a group, and again by itself.
    let before = disk.tampering.count
    try await eventually("three more looks") {
      let answer = try await client.get("/readyz")
      #expect(answer.status == 503 && answer["code"] == "disk_full")
      return disk.tampering.count >= before + 6
    }
    let scrape = try await map.expectFullDisk()
    #expect(scrape["onthemap_store_free_bytes"] >= 1_048_576)
    for _ in 0..<9 { #expect(try await client.post("Oslo").status == 507) }
    // One line a minute, however long the test takes.
    let lines = ingest.standardError.split(separator: "\n").count { $0.contains("disk full or nearly full") }
    #expect((1...2 + Int((ContinuousClock.now - start) / .seconds(60))).contains(lines), "\(lines)")
    #expect(!ingest.standardError.contains("request failed"), "Nothing is said of single requests.")

    try disk.clear()
    try await eventually("it is ready without a client") { try await client.get("/readyz").status == 200 }
    #expect(try await client.post("Oslo").status == 202)
    try await eventually("the log says that there is room") { ingest.standardError.contains("disk has room again") }
    let counts = ingest.standardError.matches(of: #/refused=(\d+)/#).compactMap { Int($0.1) }
    #expect(counts.reduce(0, +) == 10, "\(counts)")
    try await map.expectRoom()
  }

  @Test(
    "A stop that rewrites the database copies it within the data folder only", .enabled(if: SQL.isAvailable),
    .enabled(if: SyscallFault.isAvailable, "strace is missing, or may not trace here"))
  func rewriting() async throws {
    let map = try await SystemFixture.current.roles(workers: 0)
    _ = try await map.client.signedUp()
    try await map.ingest.kill()
    let database = SQL(Trial.data + "/onthemap.sqlite")
    // More than SQLite's cache of 16 MiB, so that the copy needs a file.
    try database.run(
      """
      WITH RECURSIVE number(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < 20000)
      INSERT INTO post (id, account, place, link, state, created_ms, updated_ms)
      SELECT n, (SELECT id FROM account), 'Oslo', 'https://example.org/' || hex(zeroblob(500)), 0, 1, 1 FROM number
      """)
    try database.run("PRAGMA user_version = 0")
    let log = SystemFixture.current.path("opened")
    try await map.ingest.startAndWait(
      under: ["strace", "-D", "-f", "-qq", "-e", "signal=none", "-o", log, "-e", "trace=openat"])
    map.ingest.signal(SIGTERM)
    #expect(try await map.ingest.exit() == 0)
    #expect(try database.run("PRAGMA user_version") == "1")
    // The tracer may end later.
    let copies = try await eventually("the copy is seen") {
      let seen = try String(contentsOfFile: log, encoding: .utf8)
      let lines = seen.split(separator: "\n").filter { $0.contains("etilqs") }
      return lines.isEmpty ? nil : lines
    }
    #expect(copies.allSatisfy { $0.contains("\"\(Trial.data)/etilqs") }, "\(copies)")
  }

  @Test(
    "A file that may not grow ends ingest with 74, not with a signal", .enabled(if: SQL.isAvailable),
    .enabled(if: Fault.isFull, Fault.full))
  func fileSize() async throws {
    let trial = try await Trial(on: SystemFixture.current.roles())
    let ingest = trial.map.ingest
    let size = try FileManager.default.attributesOfItem(atPath: Trial.data + Self.log)[.size] as? Int ?? 0
    try ingest.limit("fsize", to: size + 50_000)
    #expect(try await ingest.exit() == EX_IOERR)
    #expect(ingest.standardError.contains("the disk has failed"))
    try await ingest.startAndWait()
    try await trial.expectWhole("file size limit")
  }

  @Test(
    "Clients take no more descriptors than their share, and when they are gone it goes on", .enabled(if: SQL.isAvailable))
  func descriptors() async throws {
    let trial = try await Trial(on: SystemFixture.current.roles())
    let ingest = trial.map.ingest
    try await ingest.kill()
    try await ingest.startAndWait(under: ["prlimit", "--nofile=128:128"])
    let pid = try #require(ingest.pid)
    try await trial.ledger.advance(by: 10)
    var connections: [Connection] = []
    func open() throws -> Int { try FileManager.default.contentsOfDirectory(atPath: "/proc/\(pid)/fd").count }
    let before = try open()
    for _ in 0..<200 { connections.append(try Connection(port: try trial.client.port)) }
    // A quarter is theirs, and some of that the ledger's own.
    try await eventually("clients have their share") { try open() >= before + 128 / 8 }
    // While they stay: nothing to be waited for comes.
    for _ in 0..<20 {
      #expect(try open() < 128)
      try await Task.sleep(for: .milliseconds(50))
    }
    withExtendedLifetime(connections) {}
    connections = []
    try await trial.ledger.advance(by: 20)
    #expect(ingest.pid == pid)
    try await trial.expectWhole("200 connections and 128 descriptors")
  }

  /// Swift's runtime opens a file once a second, and ends the process where it cannot.
  @Test(
    "Without any descriptor it goes on, or has all that was accepted at its next start", .enabled(if: SQL.isAvailable),
    .enabled(if: Fault.isFull, Fault.full))
  func noDescriptors() async throws {
    let trial = try await Trial(on: SystemFixture.current.roles())
    let ingest = trial.map.ingest
    let pid = try #require(ingest.pid)
    let open = try FileManager.default.contentsOfDirectory(atPath: "/proc/\(pid)/fd").count
    try ingest.limit("nofile", to: open - 4)
    #expect((try? Connection(port: try trial.client.port)) != nil, "The kernel takes it before ingest does.")
    // How long it lasts: the runtime's own file is due each second.
    try await Task.sleep(for: .seconds(3))
    if ingest.pid == pid { try ingest.limit("nofile", to: 4_096) } else { try await ingest.startAndWait() }
    try await trial.expectWhole("no descriptors for a while")
  }

  @Test(
    "A slow disk makes answers slow, and nothing else", .enabled(if: SQL.isAvailable),
    .enabled(if: SyscallFault.isAvailable, "strace is missing, or may not trace here"), .enabled(if: Fault.isFull, Fault.full))
  func slow() async throws {
    let trial = try await Trial(on: SystemFixture.current.roles())
    let ingest = trial.map.ingest
    try await ingest.kill()
    let tampering = SyscallFault("fdatasync:delay_exit=\(Fault.isFull ? 1_000_000 : 200_000)")
    try await ingest.startAndWait(under: tampering.command)
    try await trial.ledger.advance(by: 30)
    let begun = ContinuousClock.now
    #expect(try await trial.client.get("/livez").status == 204)
    #expect(begun.duration(to: .now) < .milliseconds(500), "Who needs no disk waits for it.")
    #expect(tampering.count >= 5)
    #expect(!ingest.standardError.contains("worker lost"))
    try await tampering.end(of: ingest)
    try await trial.expectWhole("a slow disk, \(tampering.count) syncs")
  }
}

extension Program {
  /// Sets a limit of the running process, by its name in prlimit(1); the hard one stays.
  func limit(_ name: String, to value: Int) throws {
    let (status, said) = try Fault.command("prlimit", "--pid", "\(pid ?? 0)", "--\(name)=\(value):")
    guard status == 0 else { throw TimeoutError(description: "prlimit \(name): \(said)") }
  }
}

/// A full disk that can be cleared: writes to ingest's log fail with ENOSPC while its folder is called "full". To end
/// the tracer instead would fail a call that is under way with ENOSYS.
private struct FullDisk {
  let tampering: SyscallFault
  private let full: String

  /// - Parameter log: name in ingest's folder, with a slash before it.
  init(log: String) throws {
    full = SystemFixture.current.folder.resolvingSymlinksInPath().appending(path: "full").path
    tampering = SyscallFault("pwrite64:error=ENOSPC", on: full + log)
    // In the place of the folder it leads to "full", so that all paths stay valid.
    try FileManager.default.createSymbolicLink(atPath: full, withDestinationPath: "full")
  }

  func fill() throws { try exchange() }
  func clear() throws { try exchange() }

  /// Exchanges the names of folder and link in one step: each commit looks for its files by their paths. strace finds
  /// the name of a file that is open at each call.
  private func exchange() throws {
    let script = """
      import ctypes, os, sys
      here, exchange = -100, 2
      a, b = map(os.fsencode, sys.argv[1:])
      sys.exit(ctypes.CDLL(None).renameat2(here, a, here, b, exchange))
      """
    let (status, said) = try Fault.command("python3", "-c", script, Trial.data, full)
    guard status == 0 else { throw TimeoutError(description: "the folder is not renamed: \(said)") }
  }
}
