import Foundation
import Testing

@testable import OnTheMap
@testable import Store

@Suite("Access to the database's files")
struct FileAccessTests {
  private let folder = Folder()
  private static let files = ["", "-wal", "-shm"]

  private func modes(in path: String) throws -> [Int?] {
    try Self.files.map { file in
      try FileManager.default.attributesOfItem(atPath: path + "/onthemap.sqlite" + file)[.posixPermissions] as? Int
    }
  }

  private func makeFolder(_ path: String) throws {
    try FileManager.default.createDirectory(
      atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o755])
  }

  @Test("New files are their owner's alone in a folder that all may read")
  func new() async throws {
    try makeFolder(folder.path)
    let database = try folder.open()
    _ = try await database.addAccount()
    #expect(try modes(in: folder.path) == [0o600, 0o600, 0o600])
  }

  @Test("Files that others may read are closed to them before they are opened")
  func old() async throws {
    let database = try folder.open()
    let account = try await database.addAccount()
    // As a copy of a running ingest's folder, or one of an earlier version.
    let copy = Folder()
    try makeFolder(copy.path)
    for file in Self.files {
      try FileManager.default.copyItem(atPath: folder.database + file, toPath: copy.database + file)
      try FileManager.default.setAttributes([.posixPermissions: 0o664], ofItemAtPath: copy.database + file)
    }
    let again = try copy.open()
    #expect(try await again.account(account)?.id == account)
    #expect(try modes(in: copy.path) == [0o600, 0o600, 0o600])
  }
}
