import Foundation
import Glibc
import Testing

@Suite("Faults: disk", .fixture, .serialized)
struct DiskFaultTests {
  private static let log = "/onthemap.sqlite-wal"

  /// Failing calls on the WAL, with their duration.
  private static let failures = [
    "fdatasync:error=EIO:when=5", "fdatasync:error=EIO:when=5+", "pwrite64:error=EIO:when=20",
    "pwrite64:error=EROFS:when=20+",
  ]

  @Test(
    "A failed disk ends ingest with status 74, and the next start has every accepted post",
    .enabled(if: SQL.isAvailable), .enabled(if: SyscallFault.isAvailable, "strace is missing, or may not trace here"),
    arguments: Fault.isFull ? failures : [failures[0]])
  func failure(injection: String) async throws {
    let trial = try await Trial(on: SystemFixture.current.roles())
    let ingest = trial.map.ingest
    try await ingest.kill()
    let tampering = SyscallFault(injection, on: Trial.data + Self.log)
    // A permanent failure may even prevent the start.
    try ingest.start(under: tampering.command)
    let status = try await ingest.exit()
    #expect(tampering.count >= 1, "A call must fail.")
    #expect(status == EX_IOERR, "\(ingest.standardError.suffix(1_000))")
    #expect(ingest.standardError.contains("store failed"))
    let lines = tampering.seen.split(separator: "\n")
    let first = try #require(lines.firstIndex { $0.hasSuffix("(INJECTED)") })
    if injection.hasSuffix("=5") {
      // The remaining syncs belong to the last checkpoints: no commit was retried.
      #expect(lines[first...].count <= 4, "\(lines[first...].joined(separator: "\n"))")
    }
    try await ingest.startAndWait()
    try await trial.expectWhole(injection)
  }

  @Test(
    "A disk that fails at start makes ingest exit with an error",
    .enabled(if: SyscallFault.isAvailable, "strace may not trace here"))
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
    "A full disk refuses writes, serves reads, and recovers without a restart",
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
    try await eventually("writes succeed again") {
      try await trial.client.logIn("ada@example.org").status == 200
    }
    try await eventually("ingest is ready again") { try await trial.client.get("/readyz").status == 200 }
    try await trial.ledger.advance(by: 20)
    #expect(ingest.pid == pid)
    try await trial.expectWhole("a full disk for a while")
  }

  @Test(
    "A disk that refuses writes is reported full by readiness, operator API, metrics and log",
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
    try await map.expectFreeSpace()
    try disk.fill()
    #expect(try await client.post("Oslo").status == 507)
    // Each readiness probe makes a trial commit, which fails twice: in a group, and then alone.
    let before = disk.tampering.count
    try await eventually("three more probes are made") {
      let response = try await client.get("/readyz")
      #expect(response.status == 503 && response["code"] == "disk_full")
      return disk.tampering.count >= before + 6
    }
    let scrape = try await map.expectFullDisk()
    #expect(scrape["onthemap_store_free_bytes"] >= 1_048_576)
    for _ in 0..<9 { #expect(try await client.post("Oslo").status == 507) }
    // Ingest logs one line a minute. The test may take several minutes.
    let lines = ingest.standardError.split(separator: "\n").count { $0.contains("disk full or nearly full") }
    #expect((1...2 + Int((ContinuousClock.now - start) / .seconds(60))).contains(lines), "\(lines)")
    #expect(!ingest.standardError.contains("request failed"), "Single requests must not be logged.")

    try disk.clear()
    try await eventually("ingest is ready by itself") { try await client.get("/readyz").status == 200 }
    #expect(try await client.post("Oslo").status == 202)
    try await eventually("the recovery is logged") { ingest.standardError.contains("disk space recovered") }
    let counts = ingest.standardError.matches(of: #/refused_writes=(\d+)/#).compactMap { Int($0.1) }
    #expect(counts.reduce(0, +) == 10, "\(counts)")
    try await map.expectFreeSpace()
  }

  @Test(
    "A shutdown that rewrites the database keeps temporary files in its data folder", .enabled(if: SQL.isAvailable),
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
    // The tracer may end after ingest.
    let copies = try await eventually("the trace has the copy") {
      let seen = try String(contentsOfFile: log, encoding: .utf8)
      let lines = seen.split(separator: "\n").filter { $0.contains("etilqs") }
      return lines.isEmpty ? nil : lines
    }
    #expect(copies.allSatisfy { $0.contains("\"\(Trial.data)/etilqs") }, "\(copies)")
  }

  @Test(
    "A file size limit ends ingest with status 74 and not with a signal", .enabled(if: SQL.isAvailable),
    .enabled(if: Fault.isFull, Fault.full))
  func fileSize() async throws {
    let trial = try await Trial(on: SystemFixture.current.roles())
    let ingest = trial.map.ingest
    let size = try FileManager.default.attributesOfItem(atPath: Trial.data + Self.log)[.size] as? Int ?? 0
    try ingest.limit("fsize", to: size + 50_000)
    #expect(try await ingest.exit() == EX_IOERR)
    #expect(ingest.standardError.contains("store failed"))
    try await ingest.startAndWait()
    try await trial.expectWhole("file size limit")
  }

  @Test(
    "Clients use at most their share of descriptors, and ingest continues after them", .enabled(if: SQL.isAvailable))
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
    // Clients may use a quarter of the descriptors, and the ledger uses some of them.
    try await eventually("clients have used their share") { try open() >= before + 128 / 8 }
    // Sample for a second while the connections are open, because no event marks the last accept.
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

  /// Swift's runtime opens a file every second, and ends the process if it cannot.
  @Test(
    "Ingest without free descriptors continues, or its next start has every accepted post",
    .enabled(if: SQL.isAvailable),
    .enabled(if: Fault.isFull, Fault.full))
  func noDescriptors() async throws {
    let trial = try await Trial(on: SystemFixture.current.roles())
    let ingest = trial.map.ingest
    let pid = try #require(ingest.pid)
    let open = try FileManager.default.contentsOfDirectory(atPath: "/proc/\(pid)/fd").count
    try ingest.limit("nofile", to: open - 4)
    #expect((try? Connection(port: try trial.client.port)) != nil, "The kernel must accept the connection.")
    // Keep the limit for 3 s, because the runtime opens its file every second.
    try await Task.sleep(for: .seconds(3))
    if ingest.pid == pid { try ingest.limit("nofile", to: 4_096) } else { try await ingest.startAndWait() }
    try await trial.expectWhole("no descriptors for a while")
  }

  @Test(
    "A slow disk delays commits and nothing else", .enabled(if: SQL.isAvailable),
    .enabled(if: SyscallFault.isAvailable, "strace is missing, or may not trace here"),
    .enabled(if: Fault.isFull, Fault.full))
  func slow() async throws {
    let trial = try await Trial(on: SystemFixture.current.roles())
    let ingest = trial.map.ingest
    try await ingest.kill()
    let tampering = SyscallFault("fdatasync:delay_exit=\(Fault.isFull ? 1_000_000 : 200_000)")
    try await ingest.startAndWait(under: tampering.command)
    try await trial.ledger.advance(by: 30)
    let begun = ContinuousClock.now
    #expect(try await trial.client.get("/livez").status == 204)
    #expect(begun.duration(to: .now) < .milliseconds(500), "A request without a write must not wait for the disk.")
    #expect(tampering.count >= 5)
    #expect(!ingest.standardError.contains("worker lost"))
    try await tampering.end(of: ingest)
    try await trial.expectWhole("a slow disk, \(tampering.count) syncs")
  }
}

extension Program {
  /// Sets a soft limit of the running process, by its name in prlimit(1).
  func limit(_ name: String, to value: Int) throws {
    let (status, output) = try Fault.command("prlimit", "--pid", "\(pid ?? 0)", "--\(name)=\(value):")
    guard status == 0 else { throw TimeoutError(description: "prlimit \(name): \(output)") }
  }
}

/// A simulated full disk. Writes to ingest's WAL fail with ENOSPC while the WAL's folder is named "full". Ending the
/// tracer instead would fail a running call with ENOSYS.
private struct FullDisk {
  let tampering: SyscallFault
  private let full: String

  /// - Parameter log: The name in ingest's folder, with a leading slash.
  init(log: String) throws {
    full = SystemFixture.current.folder.resolvingSymlinksInPath().appending(path: "full").path
    tampering = SyscallFault("pwrite64:error=ENOSPC", on: full + log)
    // A link in place of the folder leads to "full", so that all paths stay valid.
    try FileManager.default.createSymbolicLink(atPath: full, withDestinationPath: "full")
  }

  func fill() throws { try exchange() }
  func clear() throws { try exchange() }

  /// Exchanges the names of folder and link. The exchange is atomic, because each commit looks up its files by path.
  /// strace reads the current path of an open file at each call.
  private func exchange() throws {
    let script = """
      import ctypes, os, sys
      here, exchange = -100, 2
      a, b = map(os.fsencode, sys.argv[1:])
      sys.exit(ctypes.CDLL(None).renameat2(here, a, here, b, exchange))
      """
    let (status, output) = try Fault.command("python3", "-c", script, Trial.data, full)
    guard status == 0 else { throw TimeoutError(description: "the folder is not renamed: \(output)") }
  }
}
