import Foundation
import Glibc
import Testing

@Suite("Backup and restore", .fixture)
struct BackupTests {
  private static var data: String { SystemFixture.current.path("data") }
  private static var folder: String { SystemFixture.current.path("backups") }

  init() throws { try FileManager.default.createDirectory(atPath: Self.folder, withIntermediateDirectories: true) }

  /// Runs `onthemap backup`, and returns the path of the backup.
  private func backUp(_ more: String...) async throws -> String {
    let result = try await SystemFixture.current.run(
      ["backup", Self.folder, "--data", Self.data, "--same-device"] + more)
    #expect(result.status == 0, "\(result.log)")
    return try #require(result.output.firstMatch(of: #/Backed up to (\S+\.sqlite) /#).map { String($0.1) })
  }

  private func restore(_ arguments: String...) async throws -> (status: Int32, output: String, log: String) {
    try await SystemFixture.current.run(["restore"] + arguments)
  }

  private func stop(_ ingest: Program) async throws {
    ingest.signal(SIGTERM)
    #expect(try await ingest.exit() == 0)
  }

  /// Names in the folder for backups.
  private var names: [String] {
    get throws { try FileManager.default.contentsOfDirectory(atPath: Self.folder).sorted() }
  }

  /// Paths of the data folders that restores have kept.
  private var oldFolders: [String] {
    get throws {
      let parent = SystemFixture.current.folder
      return try FileManager.default.contentsOfDirectory(atPath: parent.path)
        .filter { $0.hasPrefix("data.before-restore-") }.map { parent.appending(path: $0).path }
    }
  }

  @Test("A backup during posts restores all earlier posts, and subscribers get the list under a new epoch")
  func duringPosts() async throws {
    let map = try await SystemFixture.current.roles()
    let client = try await map.client.signedUp()
    let watcher = try await SystemFixture.current.watcher(of: map)
    let load = try await SystemFixture.current.load(on: map, rate: 50, seconds: 10)
    var earlier: [String] = []
    for place in ["Oslo", "Lima", "Quito"] { earlier.append(try #require(try await client.post(place)["id"])) }
    let file = try await backUp()
    // These posts are accepted after the backup.
    let later = try #require(try await client.post("Paris, TX", wait: 30)["id"])
    let figures = try await load.figures(within: .seconds(300))
    #expect(figures.lost == 0 && figures.accepted > 0)
    let before = try await client.list()
    try await stop(map.ingest)

    let restored = try await restore(file, "--data", Self.data)
    #expect(restored.status == 0, "\(restored.log)")
    #expect(restored.output.contains("lost        posts after ") && restored.output.contains("Start ingest."))
    try await map.ingest.startAndWait()
    #expect(try await client.get("/v2/posts").status == 401, "The session is from before the backup.")
    var again = try map.client
    again.token = try await client.logIn("ada@example.org")["token"]
    let ids = try await again.posts().map(\.id)
    #expect(ids == earlier && !ids.contains(later))
    let list = try await eventually("all restored posts are published") {
      let settled = try await again.posts().allSatisfy { $0.state == "published" }
      return settled ? try await again.list() : nil
    }
    #expect(list.epoch != before.epoch)
    try await eventually("the feed has the restored list") { try await map.feedClient.list() == again.list() }
    try await eventually("the subscriber has the restored list") { try await watcher.list == again.list() }
    try await again.expectService()
    #expect(try oldFolders.count == 1)
    #expect(FileManager.default.fileExists(atPath: try #require(try oldFolders.first) + "/onthemap.sqlite"))
  }

  @Test("Posts and accounts that people have deleted since the backup stay deleted")
  func deletions() async throws {
    let map = try await SystemFixture.current.roles(workers: 1)
    let (ada, bob) = (try await map.client.signedUp(), try await map.client.signedUp(as: "bob@example.org"))
    let kept = try #require(try await ada.post("Oslo", wait: 30)["id"])
    let deleted = try #require(try await ada.post("Lima", wait: 30)["id"])
    #expect(try await bob.post("Quito", wait: 30).status == 200)
    let file = try await backUp()
    #expect(try await ada.delete(deleted).status == 204)
    let body = JSON.object(["currentPassword": Client.password])
    #expect(try await bob.send("DELETE", "/v2/account", body: body).status == 204)
    // Ingest is killed, as in a disaster.
    try await map.ingest.kill()
    let restored = try await restore(file, "--data", Self.data)
    #expect(restored.output.contains("1 post and 1 account deleted again"), "\(restored.output)\(restored.log)")
    try await map.ingest.startAndWait()
    let list = try await ada.list()
    #expect(list.entries.map(\.id) == [kept])
    #expect(try await ada.logIn("bob@example.org").status == 403)
    #expect(try await ada.logIn("ada@example.org").status == 200)
    try await eventually("the feed has the restored list") { try await map.feedClient.list() == list }
  }

  /// True if this user may mount a file system.
  private static let mayMount: Bool = {
    let path = FileManager.default.temporaryDirectory.appending(path: "onthemap-mount-\(UUID().uuidString)").path
    guard Fault.isRoot, mkdir(path, 0o700) == 0 else { return false }
    defer { rmdir(path) }
    guard (try? Fault.command("mount", "-t", "tmpfs", "tmpfs", path))?.status == 0 else { return false }
    return (try? Fault.command("umount", path))?.status == 0
  }()

  @Test("A restore to a mount point replaces its files, and keeps the old ones", .enabled(if: mayMount, "needs root"))
  func mountPoint() async throws {
    try FileManager.default.createDirectory(atPath: Self.data, withIntermediateDirectories: true)
    #expect(try Fault.command("mount", "-t", "tmpfs", "-o", "size=512m", "tmpfs", Self.data).status == 0)
    defer { _ = try? Fault.command("umount", "-l", Self.data) }
    let map = try await SystemFixture.current.up()
    let client = try await map.client.signedUp()
    let (kept, deleted) = (try await client.post("Oslo", wait: 30), try await client.post("Lima", wait: 30))
    // The backup is on another device.
    let result = try await SystemFixture.current.run("backup", Self.folder, "--data", Self.data)
    #expect(result.status == 0, "\(result.log)")
    #expect(try await client.delete(try #require(deleted["id"])).status == 204)
    #expect(try await client.post("Quito", wait: 30).status == 200)
    try await map.ingest.kill()
    let restored = try await restore(Self.folder, "--data", Self.data)
    #expect(restored.status == 0 && restored.output.contains("\(Self.data)/before-restore-"), "\(restored.log)")
    try await map.ingest.startAndWait()
    #expect(try await map.client.list().entries.map(\.id) == [try #require(kept["id"])])
    let names = try FileManager.default.contentsOfDirectory(atPath: Self.data)
    let old = try #require(names.first { $0.hasPrefix("before-restore-") })
    #expect(!names.contains { $0.hasPrefix("restoring-") })
    let kind = try FileManager.default.contentsOfDirectory(atPath: Self.data + "/" + old)
    #expect(Set(kind).isSuperset(of: ["onthemap.sqlite", "onthemap.sqlite-wal", "onthemap.highwater"]))
  }

  @Test(
    "A restore that is killed before its last step leaves the old data folder in place",
    .enabled(if: SyscallFault.isAvailable, "strace is missing, or may not trace"))
  func killedRestore() async throws {
    let map = try await SystemFixture.current.roles(workers: 1)
    let client = try await map.client.signedUp()
    let kept = try #require(try await client.post("Oslo", wait: 30)["id"])
    let file = try await backUp()
    let later = try #require(try await client.post("Lima", wait: 30)["id"])
    try await stop(map.ingest)
    // The exchange of the folders is the only renameat2, and the last change.
    let faults = (1...6).map { "?rename,?renameat:signal=KILL:when=\($0)" } + ["fsync:signal=KILL:when=3"]
    for fault in faults + ["renameat2:signal=KILL"] {
      let tool = try SystemFixture.current.program(["restore", file, "--data", Self.data])
      try tool.start(under: SyscallFault(fault).command)
      #expect(try await tool.exit() == -SIGKILL, "\(fault): \(tool.standardError)")
      try await map.ingest.startAndWait()
      #expect(try await client.list().entries.map(\.id) == [later, kept], "\(fault)")
      try await stop(map.ingest)
    }
    #expect(try await restore(file, "--data", Self.data).status == 0)
    try await map.ingest.startAndWait()
    #expect(try await client.list().entries.map(\.id) == [kept])
  }

  @Test("A restore keeps sessions if the operator asks for it, and is refused while ingest runs")
  func sessions() async throws {
    let map = try await SystemFixture.current.up()
    let client = try await map.client.signedUp()
    let file = try await backUp()
    let running = try await restore(file, "--data", Self.data)
    #expect(running.status == 1 && running.log.contains("ingest is running on"), "\(running.log)")
    try await stop(map.ingest)
    #expect(try await restore(file, "--data", Self.data, "--keep-sessions").status == 0)
    try await map.ingest.startAndWait()
    var same = try map.client
    same.token = client.token
    try await eventually("a worker is connected") { try await same.get("/v2/geocode?q=Oslo").status == 200 }
    try await same.expectService()
  }

  @Test("A restore refuses a folder of settings and keys, and replaces the data folder of a killed map")
  func foreignFolder() async throws {
    let map = try await SystemFixture.current.up()
    _ = try await map.client.signedUp()
    let file = try await backUp()
    let settings = SystemFixture.current.path("settings")
    try FileManager.default.createDirectory(atPath: settings, withIntermediateDirectories: true)
    for name in ["onthemap.env", "onthemap.key"] { try Data().write(to: URL(filePath: "\(settings)/\(name)")) }
    let refused = try await restore(file, "--data", settings)
    #expect(refused.status == 1, "\(refused.output)")
    #expect(
      refused.log.contains(
        "\(settings) has other files: onthemap.env, onthemap.key. Pass ingest's data folder with --data."),
      "\(refused.log)")
    #expect(try FileManager.default.contentsOfDirectory(atPath: settings).sorted() == ["onthemap.env", "onthemap.key"])
    try await map.ingest.kill()
    let restored = try await restore(file, "--data", Self.data)
    #expect(restored.status == 0, "\(restored.log)")
    try await map.ingest.startAndWait()
  }

  @Test("An ingest that is killed in a backup leaves no file that looks like a backup")
  func killed() async throws {
    let map = try await SystemFixture.current.roles(workers: 0)
    let client = try await map.client.signedUp()
    // A large database makes the backup long enough to be interrupted.
    let link = "https://example.org/" + String(repeating: "a", count: 2_000)
    let lines = Array(repeating: JSON.object(["place": "Oslo", "link": link]), count: 450).joined(separator: "\n")
    for _ in 0..<20 { #expect(try await client.send("POST", "/v2/posts/bulk", body: lines).status == 200) }
    let left = try await eventually("ingest is killed during a backup") { () async throws -> [String]? in
      let tool = try SystemFixture.current.program([
        "backup", Self.folder, "--data", Self.data, "--same-device",
      ])
      try tool.start()
      try await eventually("the copy has begun, or the backup has ended") {
        try tool.pid == nil || names.contains(where: { $0.hasSuffix(".part") })
      }
      map.ingest.signal(SIGKILL)
      _ = (try await tool.exit(), try await map.ingest.exit())
      let left = try names
      let isHit = left.contains { $0.hasSuffix(".part") }
      if !isHit { for name in left { unlink("\(Self.folder)/\(name)") } }
      try await map.ingest.startAndWait()
      return isHit ? left : nil
    }
    #expect(!left.contains { $0.hasSuffix(".sqlite") }, "\(left)")
    let none = try await restore("--check", Self.folder)
    #expect(none.status == 1 && none.log.contains("has no backup"), "\(none.log)")
    let file = try await backUp()
    #expect(try names == [file.dropLast(6) + "json", file[...]].map { String($0.split(separator: "/").last ?? "") })
    let check = try await restore("--check", Self.folder)
    #expect(check.status == 0 && check.output.contains("\(file) can be restored."), "\(check.log)")
    #expect(check.output.contains("9000 posts, 9000 of them queued"))
    #expect(try names.count == 2)
  }

  private enum Damage: String, CaseIterable { case flipped, cut, foreign, noManifest }

  @Test("A check finds a damaged backup", arguments: Damage.allCases)
  private func damaged(damage: Damage) async throws {
    let map = try await SystemFixture.current.up()
    _ = try await map.client.signedUp()
    try await stop(map.ingest)
    // The same command works offline.
    var file = try await backUp()
    #expect(try await restore("--check", file).status == 0)
    let words: String
    switch damage {
    case .flipped:
      var bytes = try Data(contentsOf: URL(filePath: file))
      bytes[bytes.count / 2] ^= 1
      try bytes.write(to: URL(filePath: file))
      words = "has other contents than its manifest says"
    case .cut:
      #expect(truncate(file, 4_096) == 0)
      words = "has 4096 bytes, and its manifest says"
    case .foreign:
      file = Self.folder + "/other.sqlite"
      try Data("SQLite format 3\0".utf8).write(to: URL(filePath: file))
      words = "there is no manifest"
    case .noManifest:
      unlink(file.dropLast(6) + "json")
      words = "there is no manifest"
    }
    let check = try await restore("--check", file)
    #expect(check.status == 1 && check.log.contains(words), "\(check.log)")
    let restored = try await restore(file, "--data", Self.data)
    #expect(restored.status == 1 && restored.log.contains(words), "\(restored.log)")
    #expect(try oldFolders.isEmpty)
    try await map.ingest.startAndWait()
  }

  @Test("A backup shows in the metrics, removes older backups, and reports a refused folder")
  func metrics() async throws {
    let map = try await SystemFixture.current.up()
    let operations = try #require(try map.operations.first)
    #expect(try await Scrape(operations)["onthemap_backup_last_success_timestamp_seconds"] == 0)
    _ = try await backUp()
    // The name of a backup has whole seconds.
    let second = Int(Date().timeIntervalSince1970)
    try await eventually("the next second has begun") { Int(Date().timeIntervalSince1970) > second }
    let file = try await backUp("--keep", "1")
    #expect(try names.count == 2)
    let inData = Self.data + "/backups"
    try FileManager.default.createDirectory(atPath: inData, withIntermediateDirectories: true)
    for (folder, words) in [(inData, "is in the data folder"), (Self.folder, "is on the device of the data folder")] {
      let refused = try await SystemFixture.current.run("backup", folder, "--data", Self.data)
      #expect(refused.status == 1 && refused.log.contains(words), "\(refused.log)")
    }
    let relative = try await SystemFixture.current.run("backup", "backups", "--data", Self.data)
    #expect(relative.status == 64 && relative.log.contains("must be an absolute path"))
    let scrape = try await Scrape(operations)
    let time = scrape["onthemap_backup_last_success_timestamp_seconds"]
    #expect(abs(time - Date().timeIntervalSince1970) < 3_600 && scrape["onthemap_backup_failures_total"] == 2)
    #expect(scrape["onthemap_backup_last_duration_seconds"] > 0)
    #expect(map.ingest.standardError.contains("backup completed") && FileManager.default.fileExists(atPath: file))
    // The time survives a restart, so that the alert does too.
    try await map.ingest.restart()
    let restarted = try await Scrape(try #require(try map.operations.first))
    #expect(abs(restarted["onthemap_backup_last_success_timestamp_seconds"] - time) < 1)
  }
}
