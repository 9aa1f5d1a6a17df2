import Foundation
import Glibc
import Testing

/// A file system of its own, for what a file alone cannot show.
@Suite("Faults: a small disk and a read-only one", .stage, .serialized)
struct RoomFaultTests {
  /// Ingest's folder, on a disk in memory.
  private struct Room: Sendable {
    static let isThere = Fault.isRoot && (try? tried()) == true
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
      let (status, said) = try Fault.command("sh", "-c", line)
      guard status == 0 else { throw Overdue(description: "\(line): \(said)") }
    }

    private static func tried() throws -> Bool {
      let path = FileManager.default.temporaryDirectory.appending(path: "onthemap-room-\(UUID().uuidString)").path
      let room = try Room(path, megabytes: 1)
      room.end()
      try FileManager.default.removeItem(atPath: path)
      return true
    }
  }

  @Test(
    "A full disk: posts are refused as not stored, reading goes on; with room it goes on by itself",
    .enabled(if: SQL.isThere), .enabled(if: Room.isThere, "mounting needs root"), .enabled(if: Fault.isFull, Fault.full)
  )
  func full() async throws {
    let room = try Room(Trial.data, megabytes: 32)
    defer { room.end() }
    let trial = try await Trial(on: Stage.current.roles())
    let pid = try #require(trial.map.ingest.pid)
    for _ in 0..<(Fault.isFull ? 5 : 1) {
      // As much as fits, and no more.
      _ = try Fault.command("dd", "if=/dev/zero", "of=\(room.folder)/filler", "bs=4096")
      try await eventually("posts are refused", within: .seconds(30)) {
        try await trial.client.logIn("ada@example.org").status == 507
      }
      #expect(try await trial.client.get("/livez").status == 204)
      #expect(try await trial.client.list().seq > 0)
      try FileManager.default.removeItem(atPath: room.folder + "/filler")
      try await trial.ledger.advance(by: 20)
    }
    #expect(trial.map.ingest.pid == pid, "It goes on without a restart.")
    try await trial.expectWhole("a full disk")
  }

  @Test("A read-only disk is a clear refusal at the start", .enabled(if: Room.isThere, "mounting needs root"))
  func readOnly() async throws {
    let room = try Room(Trial.data, megabytes: 32)
    defer { room.end() }
    let ingest = try await Stage.current.roles(workers: 0).ingest
    ingest.signal(SIGTERM)
    #expect(try await ingest.exit(within: .seconds(10)) == 0)
    try room.remount("ro")
    try ingest.start()
    #expect(try await ingest.exit(within: .seconds(10)) == 1)
    #expect(ingest.ready.isEmpty && ingest.logged.contains("Read-only file system"))
    #expect(ingest.logged.contains(Trial.data))
    try room.remount("rw")
    try await ingest.startAndWait()
  }
}
