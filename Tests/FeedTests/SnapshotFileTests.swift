import Domain
import Foundation
import Logging
import Testing
import Web

@testable import Feed

@Suite("Snapshot file")
struct SnapshotFileTests {
  @Test("The feed writes the snapshot file under constant changes, at most once per interval")
  func pace() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "onthemap-feed-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    let latest = CurrentList()
    let file = SnapshotFile(
      folder: folder.path, latest: latest, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    let epoch = try #require(Epoch(Array(repeating: 7, count: 16)))
    let start = ContinuousClock.now
    let running = Task { await file.run() }
    defer { running.cancel() }
    var published: UInt64 = 0
    var kept: [UInt64] = []
    // A writer that waited for a pause in the changes would never write.
    while kept.count < 2, ContinuousClock.now - start < .seconds(120) {
      published += 1
      latest.replace(FeedState(epoch: epoch, seq: published, entries: []))
      try await Task.sleep(for: .milliseconds(20))
      if let seq = file.read()?.seq, seq != kept.last { kept.append(seq) }
    }
    let elapsed = ContinuousClock.now - start
    #expect(kept.count == 2 && kept[0] < kept[1], "The file had the sequence numbers \(kept), of \(published) lists.")
    #expect(elapsed >= .milliseconds(2 * Limits.snapshotFileMaxAgeMs))
  }

  @Test("A symbolic link or pipe in place of the snapshot file is not read and does not block")
  func unread() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "onthemap-feed-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    let latest = CurrentList()
    let epoch = try #require(Epoch(Array(repeating: 7, count: 16)))
    latest.replace(FeedState(epoch: epoch, seq: 1, entries: []))
    let file = SnapshotFile(
      folder: folder.path, latest: latest, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    #expect(file.save() && file.read()?.seq == 1)
    let path = folder.appending(path: "feed.snapshot").path
    let moved = folder.appending(path: "moved").path
    try FileManager.default.moveItem(atPath: path, toPath: moved)
    try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: moved)
    #expect(file.read() == nil)
    try FileManager.default.removeItem(atPath: path)
    #expect(mkfifo(path, 0o600) == 0)
    #expect(file.read() == nil)
    #expect(file.save() && file.read()?.seq == 1)
  }

  @Test("A planted symbolic link is not followed, and a leftover file does not block a save")
  func planted() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "onthemap-feed-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let latest = CurrentList()
    let epoch = try #require(Epoch(Array(repeating: 7, count: 16)))
    let file = SnapshotFile(
      folder: folder.path, latest: latest, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    let victim = folder.appending(path: "victim").path
    try Data("mine".utf8).write(to: URL(fileURLWithPath: victim))
    let new = folder.appending(path: "feed.snapshot.\(getpid())").path
    try FileManager.default.createSymbolicLink(atPath: new, withDestinationPath: victim)
    latest.replace(FeedState(epoch: epoch, seq: 1, entries: []))
    #expect(file.save() && file.read()?.seq == 1)
    #expect(try String(contentsOfFile: victim, encoding: .utf8) == "mine")
    try Data("half a li".utf8).write(to: URL(fileURLWithPath: new))
    latest.replace(FeedState(epoch: epoch, seq: 2, entries: []))
    #expect(file.save() && file.read()?.seq == 2)
    let attributes = try FileManager.default.attributesOfItem(atPath: file.folder + "/feed.snapshot")
    #expect(attributes[.posixPermissions] as? Int == 0o600)
  }
}
