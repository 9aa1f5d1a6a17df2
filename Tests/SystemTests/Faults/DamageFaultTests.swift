import Foundation
import Glibc
import Testing

/// Damaged files: ingest must notice the damage, name it, and leave the files unchanged.
@Suite("Faults: damaged, truncated and deleted files", .fixture)
struct DamageFaultTests {
  /// A change to the files of a stopped ingest.
  enum Damage: String, CaseIterable, Sendable {
    case logDeleted, logTruncated, logEmptied, logBitFlipped
    case databaseDeleted, databaseEmptied, databaseTruncated, databaseBitFlipped, databaseOverwritten
    case bothDeleted, highWaterDamaged

    /// True if ingest must be killed, so that its posts are in the WAL. A graceful shutdown removes the WAL.
    var wantsLog: Bool { rawValue.hasPrefix("log") || self == .bothDeleted || self == .databaseDeleted }

    func apply(to folder: String) throws {
      let (database, log) = (folder + "/onthemap.sqlite", folder + "/onthemap.sqlite-wal")
      switch self {
      case .logDeleted: try FileManager.default.removeItem(atPath: log)
      case .logTruncated: try Damage.change(log) { $0.removeLast($0.count / 2) }
      case .logEmptied: try Damage.change(log) { $0.removeAll() }
      case .logBitFlipped: try Damage.change(log) { $0[$0.count / 2] ^= 4 }
      case .databaseDeleted: try FileManager.default.removeItem(atPath: database)
      case .databaseEmptied: try Damage.change(database) { $0.removeAll() }
      case .databaseTruncated: try Damage.change(database) { $0.removeLast($0.count / 2) }
      case .databaseBitFlipped:
        // Change the cell count of each page but the first, so that each page has one cell too few or too many.
        try Damage.change(database) { for page in stride(from: 4_096, to: $0.count, by: 4_096) { $0[page + 4] ^= 1 } }
      case .databaseOverwritten: try Damage.change(database) { $0 = Data(repeating: 0x41, count: $0.count) }
      case .bothDeleted:
        for path in [database, log] { try FileManager.default.removeItem(atPath: path) }
      case .highWaterDamaged: try Damage.change(folder + "/onthemap.highwater") { $0[20] ^= 1 }
      }
    }

    private static func change(_ path: String, _ body: (inout Data) -> Void) throws {
      var data = try Data(contentsOf: URL(fileURLWithPath: path))
      body(&data)
      try data.write(to: URL(fileURLWithPath: path))
    }
  }

  /// Returns the non-empty files, without the lock, the shared-memory index and sockets.
  private func contents(_ folder: String) throws -> [String: Data] {
    let names = try FileManager.default.contentsOfDirectory(atPath: folder)
      .filter { !$0.hasSuffix("-shm") && !$0.hasSuffix(".sock") && !$0.hasSuffix(".lock") }
    // Ignore an empty WAL: any reader creates one, and it equals a missing WAL.
    return try Dictionary(
      uniqueKeysWithValues: names.map { ($0, try Data(contentsOf: URL(fileURLWithPath: folder + "/" + $0))) }
    ).filter { !$0.value.isEmpty }
  }

  @Test("Ingest refuses damaged files with advice and leaves them unchanged", arguments: Damage.allCases)
  func noticed(damage: Damage) async throws {
    let map = try await SystemFixture.current.roles(workers: 0)
    let client = try await map.client.signedUp()
    for number in 0..<20 { #expect(try await client.post("Oslo", key: "\(number)").status == 202) }
    if damage.wantsLog {
      try await map.ingest.kill()
    } else {
      map.ingest.signal(SIGTERM)
      #expect(try await map.ingest.exit() == 0)
    }
    let whole = try contents(Trial.data)
    try damage.apply(to: Trial.data)
    let damaged = try contents(Trial.data)
    #expect(damaged != whole, "The test must damage a file.")
    try map.ingest.start()
    #expect(try await map.ingest.exit() == 1, "Ingest must refuse damaged files.")
    #expect(map.ingest.ready.isEmpty)
    let words = map.ingest.standardError.split(separator: "\n").last ?? ""
    #expect(words.contains(Trial.data) && (words.contains("backup") || words.contains("remove")), "\(words)")
    #expect(try contents(Trial.data) == damaged, "Ingest must not change damaged files.")

    // Ingest continues with the restored files.
    for (name, data) in whole { try data.write(to: URL(fileURLWithPath: Trial.data + "/" + name)) }
    try await map.ingest.startAndWait()
    #expect(try await client.posts().count == 20)
  }

  @Test("Ingest accepts an older database only without the high-water file, and with a new epoch")
  func backup() async throws {
    let map = try await SystemFixture.current.roles(workers: 0)
    let client = try await map.client.signedUp()
    #expect(try await client.post("Oslo").status == 202)
    let epoch = try await client.list().epoch
    map.ingest.signal(SIGTERM)
    #expect(try await map.ingest.exit() == 0)
    let old = try Data(contentsOf: URL(fileURLWithPath: Trial.data + "/onthemap.sqlite"))
    try await map.ingest.startAndWait()
    #expect(try await client.list().epoch == epoch)
    #expect(try await client.post("Lima").status == 202)
    map.ingest.signal(SIGTERM)
    #expect(try await map.ingest.exit() == 0)
    try old.write(to: URL(fileURLWithPath: Trial.data + "/onthemap.sqlite"))
    try map.ingest.start()
    #expect(try await map.ingest.exit() == 1)
    #expect(map.ingest.standardError.contains("onthemap.highwater"))
    try FileManager.default.removeItem(atPath: Trial.data + "/onthemap.highwater")
    try await map.ingest.startAndWait()
    #expect(try await client.list().epoch != epoch)
    #expect(try await client.posts().map(\.place) == ["Oslo"])
  }

  @Test(
    "Removing a database file ends a running ingest",
    arguments: ["onthemap.sqlite", "onthemap.sqlite-wal"])
  func removed(name: String) async throws {
    let map = try await SystemFixture.current.roles(workers: 0)
    let client = try await map.client.signedUp()
    #expect(try await client.post("Oslo").status == 202)
    let path = Trial.data + "/" + name
    // A hard link keeps the removed file, as a rescue would.
    #expect(link(path, SystemFixture.current.path("rescued")) == 0)
    #expect(unlink(path) == 0)
    let response = try? await client.post("Lima")
    #expect(response?.status == nil || response?.status == 503)
    #expect(try await map.ingest.exit() == EX_IOERR)
    #expect(map.ingest.standardError.contains("was removed or replaced"))
  }
}
