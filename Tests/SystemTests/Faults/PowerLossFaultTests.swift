import Foundation
import Glibc
import Testing

@Suite("Faults: power loss", .fixture, .serialized)
struct PowerLossFaultTests {
  /// A file system in an image file. `cutOff()` loses all data that is not in the image yet.
  private struct Disk: Sendable {
    static let isAvailable = Fault.isRoot && (try? probe()) == true
    let image: String
    let folder: String

    init(_ name: String) throws {
      let root = FileManager.default.temporaryDirectory.appending(path: "onthemap-disk-\(UUID().uuidString)").path
      try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: true)
      (image, folder) = (root + "/image", root + "/" + name)
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      try Disk.run("truncate -s 64M \(image) && mkfs.ext4 -q -F \(image)")
      try mount()
    }

    func mount() throws { try Disk.run("mount -o loop \(image) \(folder)") }
    func unmount() throws { try Disk.run("umount \(folder)") }

    /// Acts like a power loss: no more data in memory reaches the disk (FS_IOC_GOINGDOWN, no flush).
    func cutOff() throws {
      try Disk.run(
        """
        python3 -c 'import fcntl, os, struct, sys
        fcntl.ioctl(os.open(sys.argv[1], os.O_RDONLY), 0x8004587d, struct.pack("I", 2))' \(folder)
        """)
    }

    func end() {
      _ = try? Disk.run("umount -l \(folder)")
      try? FileManager.default.removeItem(atPath: URL(fileURLWithPath: image).deletingLastPathComponent().path)
    }

    private static func run(_ line: String) throws {
      let (status, output) = try Fault.command("sh", "-c", line)
      guard status == 0 else { throw TimeoutError(description: "\(line): \(output)") }
    }

    private static func probe() throws -> Bool {
      let disk = try Disk("try")
      defer { disk.end() }
      try disk.cutOff()
      return true
    }
  }

  /// Runs ingest, calls `posting`, cuts the power and mounts the disk again. Returns the ledger, the killed ingest, and
  /// true if ingest has logged the failed disk.
  ///
  /// - Parameter command: The command under which ingest runs.
  private func cut(
    _ disk: Disk, under command: [String] = [], while posting: (Client, Producer, Ledger) async throws -> Void
  ) async throws -> (ledger: Ledger, ingest: Program, logs: Bool) {
    let fixture = SystemFixture.current
    let ingest = try fixture.program([
      "ingest", "--data", disk.folder + "/data", "--http", "127.0.0.1:\(try Port.free())", "--jobs",
      "tcp://127.0.0.1:\(try Port.free())", "--changes", "tcp://127.0.0.1:\(try Port.free())", "--submit",
      "tcp://127.0.0.1:\(try Port.free())",
    ])
    try await ingest.startAndWait(under: command)
    let map = Services(ingest: ingest)
    let client = try await map.client.signedUp()
    let ledger = Ledger()
    try await posting(client, Producer(try map.submit, token: client.token), ledger)
    try disk.cutOff()
    try await ingest.kill()
    try disk.unmount()
    try disk.mount()
    return (ledger, ingest, ingest.standardError.contains("store failed"))
  }

  private func post(_ batches: Int, _ producer: Producer, _ ledger: Ledger) async throws {
    for _ in 0..<batches {
      let batch = (0..<4).map { _ in ledger.next() }
      let drafts = batch.map { Draft(key: $0.sent.key, place: $0.sent.place, link: $0.sent.link) }
      guard let reply = try await producer.submitOnce(drafts, within: .seconds(120)) else {
        for post in batch { ledger.markUnknown(post.number) }
        continue
      }
      for (post, receipt) in zip(batch, reply.receipts) where receipt.outcome == .accepted {
        ledger.accept(post.number, id: receipt.id)
      }
    }
  }

  @Test(
    "Every accepted post survives a power loss", .enabled(if: SQL.isAvailable),
    .enabled(if: Disk.isAvailable, "needs root, a loop device and mkfs.ext4"))
  func acknowledged() async throws {
    for round in 1...(Fault.isFull ? 10 : 1) {
      let disk = try Disk("disk")
      defer { disk.end() }
      let (ledger, ingest, _) = try await cut(disk) { _, producer, ledger in
        try await post(40 * round, producer, ledger)
      }
      // Ingest starts on the disk as the power loss left it, because no committed data is missing.
      try await ingest.startAndWait()
      ingest.signal(SIGTERM)
      #expect(try await ingest.exit() == 0)
      #expect(try Ledger.violations(in: disk.folder + "/data") == [])
      let (counts, faults) = ledger.classify(try Ledger.posts(in: disk.folder + "/data"))
      #expect(faults.isEmpty && counts[.ok] == 160 * round, "\(counts) \(faults.prefix(3))")
      if round == 1 { Fault.printLine("power loss: \(counts)") }
    }
  }

  @Test(
    "Control: a disk that ignores fdatasync loses accepted posts, and the ledger detects it",
    .enabled(if: SQL.isAvailable), .enabled(if: Disk.isAvailable, "needs root, a loop device and mkfs.ext4"),
    .enabled(if: SyscallFault.isAvailable, "strace is missing, or may not trace here"))
  func lyingDisk() async throws {
    let disk = try Disk("disk")
    defer { disk.end() }
    let tampering = SyscallFault("fdatasync,fsync:retval=0")
    let (ledger, _, _) = try await cut(disk, under: tampering.command) { _, producer, ledger in
      try await post(40, producer, ledger)
    }
    #expect(tampering.count >= 10)
    let found = (try? Ledger.posts(in: disk.folder + "/data")) ?? []
    let (counts, _) = ledger.classify(found)
    #expect(counts[.lost, default: 0] > 0, "The control must lose posts: \(counts)")
  }

  @Test(
    "A copy of the files at any moment is a database with every post accepted by then",
    .enabled(if: SQL.isAvailable))
  func copied() async throws {
    let trial = try await Trial(on: SystemFixture.current.roles())
    let copies = Fault.isFull ? 10 : 2
    for number in 0..<copies {
      try await trial.ledger.advance(by: 20)
      let accepted = trial.ledger.counts.accepted
      let folder = SystemFixture.current.path("copy-\(number)")
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      // Stop ingest, so that the copy is of one moment.
      trial.map.ingest.signal(SIGSTOP)
      try await trial.map.ingest.waitUntilStopped()
      for name in ["onthemap.sqlite", "onthemap.sqlite-wal", "onthemap.highwater"] {
        try FileManager.default.copyItem(atPath: Trial.data + "/" + name, toPath: folder + "/" + name)
      }
      trial.map.ingest.signal(SIGCONT)
      let copy = try SystemFixture.current.program([
        "ingest", "--data", folder, "--http", "127.0.0.1:0", "--jobs", "tcp://127.0.0.1:*", "--changes",
        "tcp://127.0.0.1:*", "--submit", "tcp://127.0.0.1:*",
      ])
      try await copy.startAndWait()
      copy.signal(SIGTERM)
      #expect(try await copy.exit() == 0)
      #expect(try Ledger.violations(in: folder) == [])
      #expect(try Ledger.posts(in: folder).count >= accepted)
    }
    try await trial.expectWhole("\(copies) copies")
  }
}
