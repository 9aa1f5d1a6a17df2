import Domain
import Foundation
import Store
import StoreTesting
import Testing

@testable import SQLiteStore

@Suite("A data folder to copy")
struct CopiedFolderTests {
  private let folder = Folder()

  /// Creates a closed database with a queued post of one account.
  private func fill() async throws {
    let database = try folder.open()
    _ = try await database.accepted(by: try await database.addAccount())
    database.close()
  }

  /// Expects that the folder is refused, with a part of the reason.
  private func expectRefusal(_ text: String, sourceLocation: SourceLocation = #_sourceLocation) {
    #expect(sourceLocation: sourceLocation) {
      _ = try CopiedFolder(folder.path)
    } throws: {
      "\($0)".contains(text)
    }
  }

  private func remove(_ name: String) throws { try FileManager.default.removeItem(atPath: folder.path + name) }

  @Test("A folder is refused while ingest runs, and a copy keeps ingest from starting")
  func locked() async throws {
    try await fill()
    let database = try folder.open()
    expectRefusal("is in use by another onthemap process")
    database.close()
    do {
      let copied = try CopiedFolder(folder.path)
      withExtendedLifetime(copied) {
        _ = #expect(throws: StoreError.self) { _ = try folder.open() }
      }
    }
    try folder.open().close()
  }

  @Test("A folder without a database is refused, and stays empty")
  func missing() throws {
    try FileManager.default.createDirectory(atPath: folder.path, withIntermediateDirectories: true)
    expectRefusal("it has no database")
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
  }

  @Test("A folder that a start of ingest would refuse is refused too")
  func damaged() async throws {
    try await fill()
    try remove("/onthemap.sqlite")
    expectRefusal("there was a database here before")
  }

  @Test(
    "A folder that a start of ingest would change needs this start first",
    arguments: [
      "DELETE FROM grdb_migrations WHERE identifier LIKE '\(Schema.version) %'", nil,
    ])
  func needsStart(change: String?) async throws {
    try await fill()
    if let change { try folder.damage(change) } else { try remove("/onthemap.highwater") }
    expectRefusal("Start and stop ingest once with this version, and copy again")
  }

  @Test("A folder of a newer version is refused")
  func newer() async throws {
    try await fill()
    try folder.damage("INSERT INTO grdb_migrations (identifier) VALUES ('999 of a newer version')")
    expectRefusal("a newer version of onthemap")
  }

  @Test("The numbers of the folder are those of its last start")
  func numbers() async throws {
    try await fill()
    let database = try folder.open()
    let post = try #require(try database.unsettledJobs().first?.job.id.post)
    let (epoch, generation) = (try database.feed().epoch, database.generation)
    database.close()
    let numbers = try CopiedFolder(folder.path).source.numbers
    #expect(
      numbers == .init(epoch: epoch, generation: generation, deletedSeq: 0, queuedFrom: Int64(post.rawValue)))
    try folder.damage("UPDATE post SET state = 2; UPDATE meta SET deleted_seq = 7")
    let later = try CopiedFolder(folder.path).source.numbers
    #expect(later.queuedFrom == Int64(post.rawValue) + 1 && later.deletedSeq == 7)
  }

  @Test("Zero characters become U+FFFD, and the other characters of their text stay")
  func zeroCharacters() async throws {
    try await fill()
    try folder.damage("UPDATE post SET place = 'a' || char(0) || 'b', link_text = ''")
    let row = try #require(try CopiedFolder(folder.path).source.rows(.post, nil, 9).first)
    #expect(row[2] == .text("a\u{FFFD}b") && row[4] == .text("") && row[5] == .null)
  }

  @Test("Texts that look the same but have other bytes are different values")
  func equality() {
    #expect(CopyValue.text("caf\u{E9}") != .text("cafe\u{301}"))
    #expect(CopyValue.text("1") != .bytes(Array("1".utf8)) && CopyValue.integer(0) != .null)
  }

  @Test("The highest id of an account that a restore has lost stays in use, as a closed account")
  func lostAccount() async throws {
    try await fill()
    try folder.damage("UPDATE sqlite_sequence SET seq = 9 WHERE name = 'account'")
    let rows = try CopiedFolder(folder.path).source.rows
    let placeholder: [CopyValue] = [
      .integer(9), .text("deleted:9"), .text(""), .text(""), .text(""), .integer(0), .null, .integer(0), .integer(0),
      .integer(1),
    ]
    #expect(try rows(.account, nil, 9).last == placeholder)
    #expect(try rows(.account, nil, 1).map { $0[0] } == [.integer(1)])
    #expect(try rows(.account, [.integer(1)], 1) == [placeholder])
    #expect(try rows(.account, [.integer(9)], 1).isEmpty)
  }

  @Test("Each table has its columns, also in pages", arguments: CopyTable.allCases)
  func columns(table: CopyTable) async throws {
    try await fill()
    let source = try CopiedFolder(folder.path).source
    let rows = try source.rows(table, nil, 9)
    #expect(rows.allSatisfy { $0.count == table.columns.count })
    let lowest = table.key.map { column -> CopyValue in
      switch column.kind {
      case .integer, .boolean: .integer(0)
      case .text: .text("")
      case .bytes: .bytes([])
      }
    }
    #expect(try source.rows(table, lowest, 9) == rows)
  }
}

@Suite("The mark of a copied data folder")
struct MovedMarkTests {
  private let folder = Folder()
  private let address = "postgresql://onthemap@db:5432/map?sslmode=verify-full"
  private let reason = """
    its data moved to postgresql://onthemap@db:5432/map?sslmode=verify-full on 2026-11-26T18:16:30.000Z. Start ingest \
    with --store. To use the old data again, under a new epoch, remove
    """

  private var path: String { folder.path + "/onthemap.moved" }

  @Test("Ingest, doctor, backup and another copy refuse a marked folder, which can be used again under a new epoch")
  func refused() throws {
    let database = try folder.open()
    let epoch = try database.feed().epoch
    database.close()
    try CopiedFolder(folder.path).markMoved(to: address, unixMs: 1_795_716_990_000)
    #expect(MovedMark(folder: folder.path) == MovedMark(address: address, unixMs: 1_795_716_990_000))
    func isRefusal(_ error: any Error) -> Bool { "\(error)".contains("\(reason) \(path) and ") }
    #expect { _ = try folder.open() } throws: { isRefusal($0) }
    #expect { _ = try CopiedFolder(folder.path) } throws: { isRefusal($0) }
    #expect { _ = try OfflineBackup(folder: folder.path) } throws: { isRefusal($0) }
    guard case .unusable(let text) = DataFolder(folder.path).inspect() else {
      Issue.record("The folder is not refused.")
      return
    }
    #expect(text.contains(reason))
    for file in [path, folder.path + "/onthemap.highwater"] { try FileManager.default.removeItem(atPath: file) }
    let again = try folder.open()
    #expect(try again.feed().epoch != epoch)
    again.close()
  }

  @Test("A mark without text counts too")
  func emptyMark() throws {
    try folder.open().close()
    try Data().write(to: URL(filePath: path))
    #expect { _ = try folder.open() } throws: { "\($0)".contains("its data moved to another store on an unknown date") }
  }

  @Test("A restore knows the mark as a file of ingest")
  func knownFile() throws {
    try folder.open().close()
    try CopiedFolder(folder.path).markMoved(to: address, unixMs: 1)
    #expect(DataFolderFiles.others(in: folder.path, isMountPoint: false).isEmpty)
  }
}
