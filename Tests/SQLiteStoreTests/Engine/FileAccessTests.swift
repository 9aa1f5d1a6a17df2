import Foundation
import Store
import StoreTesting
import Testing

@testable import Domain
@testable import SQLiteStore

@Suite("Database file access")
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

  @Test("New files are for their owner only, even in a public folder")
  func new() async throws {
    try makeFolder(folder.path)
    let database = try folder.open()
    _ = try await database.addAccount()
    #expect(try modes(in: folder.path) == [0o600, 0o600, 0o600])
  }

  @Test("Files readable by others become private before they are opened")
  func old() async throws {
    let database = try folder.open()
    let account = try await database.addAccount()
    // A copy of a running ingest's folder, or a folder of an earlier version, looks like this.
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

  @Test("A symbolic link in place of a file is refused with a remedy, and its target is unchanged", arguments: files)
  func link(file: String) throws {
    try makeFolder(folder.path)
    let other = Folder()
    try makeFolder(other.path)
    let target = other.path + "/target"
    try Data("theirs".utf8).write(to: URL(filePath: target))
    try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: target)
    try FileManager.default.createSymbolicLink(atPath: folder.database + file, withDestinationPath: target)
    let error = #expect(throws: StoreError.self) { try folder.open() }
    let words = error?.description ?? ""
    #expect(words.hasPrefix(folder.database + file + " cannot be used: it is a symbolic link. Replace it"), "\(words)")
    #expect(try String(contentsOfFile: target, encoding: .utf8) == "theirs")
    #expect(try FileManager.default.attributesOfItem(atPath: target)[.posixPermissions] as? Int == 0o644)
  }

  @Test("A dangling symbolic link is refused and creates no file elsewhere")
  func dangling() throws {
    try makeFolder(folder.path)
    let target = folder.path + "/target"
    try FileManager.default.createSymbolicLink(atPath: folder.database, withDestinationPath: target)
    #expect(throws: StoreError.self) { try folder.open() }
    #expect(throws: StoreError.self) { try FileAccess.create(folder.database) }
    #expect(!FileManager.default.fileExists(atPath: target))
  }

  @Test("A symbolic link to the database folder works")
  func linkedFolder() async throws {
    let target = Folder()
    try makeFolder(target.path)
    try FileManager.default.createSymbolicLink(atPath: folder.path, withDestinationPath: target.path)
    let database = try folder.open()
    let account = try await database.addAccount()
    #expect(try await database.account(account)?.id == account)
    #expect(try modes(in: target.path) == [0o600, 0o600, 0o600])
  }
}
