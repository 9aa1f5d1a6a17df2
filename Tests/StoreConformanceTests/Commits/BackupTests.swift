import Domain
import Foundation
import Store
import StoreTesting
import Testing

@Suite("Backup of a store")
struct BackupTests {
  private static let unixMs: Int64 = 1_795_716_930_000

  @Test("A backup has every write that was durable at its start, and no later one", arguments: StoreKind.backupKinds)
  func durable(kind: StoreKind) async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "onthemap-backup-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let store = try StorePlace(kind).open()
    let backups = try #require(store as? any BackupStore)
    let account = try await store.addAccount()
    let posts = try await store.published(3, by: account)
    #expect(backups.lastBackupMs == nil)
    let request = BackupRequest(folder: folder.path, isSameDeviceAllowed: true)
    let backup = try backups.backUp(request, unixMs: Self.unixMs)
    #expect(backup.posts == 3 && backup.bytes > 0 && backup.removed == 0 && backups.lastBackupMs == Self.unixMs)
    let later = try await store.accepted(by: account).id

    let restored = try await kind.restored(from: backup.path, in: folder.appending(path: "restored"))
    defer { restored.close() }
    let page = try await restored.posts(of: account, after: nil, limit: 10)
    #expect(page.posts.map(\.id) == posts)
    #expect(try restored.feed().epoch != store.feed().epoch, "The restored store has another history.")
    #expect(try await store.posts(of: account, after: nil, limit: 10).posts.last?.id == later)
  }

  @Test("A failed backup reports its cause, and leaves no backup", arguments: StoreKind.backupKinds)
  func failed(kind: StoreKind) throws {
    let store = try StorePlace(kind).open()
    let backups = try #require(store as? any BackupStore)
    let folder = "/onthemap-missing-\(UUID().uuidString)"
    let error = #expect(throws: BackupError.self) {
      try backups.backUp(BackupRequest(folder: folder), unixMs: Self.unixMs)
    }
    #expect(error?.description.contains(folder) == true && backups.lastBackupMs == nil)
  }
}
