import Foundation
import Glibc
import Testing

/// Tests that need their own file system.
@Suite("Faults: small and read-only disks", .fixture, .serialized)
struct DiskSpaceFaultTests {
  /// Ingest's folder on a disk in memory.
  private struct SmallDisk: Sendable {
    static let isAvailable = Fault.isRoot && (try? probe()) == true
    let folder: String

    init(_ folder: String, megabytes: Int) throws {
      self.folder = folder
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      try run("mount", "-t", "tmpfs", "-o", "size=\(megabytes)m", "tmpfs", folder)
    }

    func remount(_ option: String) throws { try run("mount", "-o", "remount,\(option)", folder) }
    func end() { _ = try? Fault.command("umount", "-l", folder) }

    private func run(_ arguments: String...) throws {
      let line = arguments.joined(separator: " ")
      let (status, output) = try Fault.command("sh", "-c", line)
      guard status == 0 else { throw TimeoutError(description: "\(line): \(output)") }
    }

    private static func probe() throws -> Bool {
      let path = FileManager.default.temporaryDirectory.appending(path: "onthemap-small-disk-\(UUID().uuidString)").path
      let disk = try SmallDisk(path, megabytes: 1)
      disk.end()
      try FileManager.default.removeItem(atPath: path)
      return true
    }
  }

  @Test(
    "A full disk refuses posts and serves reads, and recovers by itself",
    .enabled(if: SQL.isAvailable), .enabled(if: SmallDisk.isAvailable, "mounting needs root"),
    .enabled(if: Fault.isFull, Fault.full)
  )
  func full() async throws {
    let disk = try SmallDisk(Trial.data, megabytes: 32)
    defer { disk.end() }
    let trial = try await Trial(on: SystemFixture.current.roles())
    let pid = try #require(trial.map.ingest.pid)
    for _ in 0..<(Fault.isFull ? 5 : 1) {
      _ = try Fault.command("dd", "if=/dev/zero", "of=\(disk.folder)/filler", "bs=4096")
      try await eventually("posts are refused") {
        try await trial.client.logIn("ada@example.org").status == 507
      }
      #expect(try await trial.client.get("/livez").status == 204)
      #expect(try await trial.client.list().seq > 0)
      try FileManager.default.removeItem(atPath: disk.folder + "/filler")
      try await trial.ledger.advance(by: 20)
    }
    #expect(trial.map.ingest.pid == pid, "Ingest must recover without a restart.")
    try await trial.expectWhole("a full disk")
  }

  @Test(
    "Readiness, operator API, metrics and log report a full disk and its recovery by themselves",
    .enabled(if: SmallDisk.isAvailable, "mounting needs root"))
  func reported() async throws {
    let start = ContinuousClock.now
    let disk = try SmallDisk(Trial.data, megabytes: 16)
    defer { disk.end() }
    let map = try await SystemFixture.current.roles(workers: 0)
    let client = try await map.client.signedUp()
    let ingest = map.ingest
    #expect(try await map.status().hasPrefix("queue     running"))
    // Fill the disk, without any posts.
    _ = try Fault.command("dd", "if=/dev/zero", "of=\(disk.folder)/filler", "bs=4096")
    try await eventually("ingest is not ready") { try await client.get("/readyz").status == 503 }
    let scrape = try await map.expectFullDisk()
    #expect(scrape["onthemap_store_free_bytes"] < 65_536 && scrape["onthemap_store_filesystem_bytes"] == 16_777_216)
    // Some posts may still fit, because SQLite overwrites its old WAL.
    var refused = 0
    for _ in 0..<400 { if try await client.post("Oslo").status == 507 { refused += 1 } }
    #expect(refused > 100)
    // Ingest logs one line a minute. The test may take several minutes.
    let lines = ingest.standardError.split(separator: "\n").count { $0.contains("disk full") }
    #expect((1...2 + Int((ContinuousClock.now - start) / .seconds(60))).contains(lines), "\(lines)")
    #expect(!ingest.standardError.contains("request failed"), "Single requests must not be logged.")

    try FileManager.default.removeItem(atPath: disk.folder + "/filler")
    try await eventually("ingest is ready by itself") { try await client.get("/readyz").status == 200 }
    #expect(try await client.post("Oslo").status == 202)
    try await eventually("the recovery is logged") { ingest.standardError.contains("disk space recovered") }
    let counts = ingest.standardError.matches(of: #/refused_writes=(\d+)/#).compactMap { Int($0.1) }
    #expect(counts.reduce(0, +) == refused, "\(counts)")
    try await map.expectFreeSpace()
  }

  @Test("A read-only disk makes ingest exit with an error", .enabled(if: SmallDisk.isAvailable, "mounting needs root"))
  func readOnly() async throws {
    let disk = try SmallDisk(Trial.data, megabytes: 32)
    defer { disk.end() }
    let ingest = try await SystemFixture.current.roles(workers: 0).ingest
    ingest.signal(SIGTERM)
    #expect(try await ingest.exit() == 0)
    try disk.remount("ro")
    try ingest.start()
    #expect(try await ingest.exit() == 1)
    #expect(ingest.ready.isEmpty && ingest.standardError.contains("Read-only file system"))
    #expect(ingest.standardError.contains(Trial.data))
    try disk.remount("rw")
    try await ingest.startAndWait()
  }
}

extension Services {
  /// Returns the output of `queue status`.
  func status(_ words: String...) async throws -> String {
    try await SystemFixture.current.run(["queue", "status", "--data", Trial.data] + words).output
  }

  /// Expects a full disk in the readiness at both addresses, in `queue status` and in the metrics.
  func expectFullDisk() async throws -> Scrape {
    for server in [try client, try operations[0]] {
      let response = try await server.get("/readyz")
      #expect(response.status == 503 && response["code"] == "disk_full")
      #expect(response["detail"]?.contains("free some") == true)
      #expect(try await server.get("/livez").status == 204)
      let health = try await SystemFixture.current.run("health", server.base + "/readyz")
      #expect(health.status == 1 && health.log.contains("returned status 503: disk_full: "), "\(health.log)")
    }
    #expect(try await status().hasPrefix("queue     DISK FULL OR NEARLY FULL for "))
    #expect(try await status("--json").contains("\"disk\":{\"full\":true,\"fullAt\":"))
    let scrape = try await Scrape(operations[0])
    #expect(scrape["onthemap_store_disk_full"] == 1 && scrape["onthemap_ready"] == 0)
    return scrape
  }

  /// Expects free space in the readiness at both addresses, in `queue status` and in the metrics.
  func expectFreeSpace() async throws {
    for server in [try client, try operations[0]] { #expect(try await server.get("/readyz").status == 200) }
    #expect(try await status().hasPrefix("queue     running"))
    let scrape = try await Scrape(operations[0])
    #expect(scrape["onthemap_store_disk_full"] == 0 && scrape["onthemap_ready"] == 1)
  }
}
