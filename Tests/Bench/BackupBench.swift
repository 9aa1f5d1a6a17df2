import Foundation

/// Benchmark of backups under load: the latency of posts while one backup follows the other, compared with the latency
/// without backups.
struct BackupBench {
  /// Published posts before the measurement, so that a backup has something to copy: about 30 MB.
  private static let posts = 100_000

  let folder: URL
  let seconds: Int

  func measure(into table: inout Table) async throws {
    let deployment = try Deployment(folder: folder)
    let token = try await deployment.signUp()
    let accepted = try await Pipeline.submit(to: deployment, tokens: [token], batch: 64, until: .posts(Self.posts))
    _ = try await deployment.published(atLeast: accepted, within: .seconds(120))
    let quiet = try deployment.load(rate: 1_000, seconds: seconds)
    let backups = Task.detached { [folder, data = deployment.data.path] in
      var count = 0
      while !Task.isCancelled {
        // A folder takes one backup a second.
        let backup = folder.appendingPathComponent("backup-\(count)")
        try FileManager.default.createDirectory(at: backup, withIntermediateDirectories: true)
        _ = try output(of: Program.onthemap, ["backup", backup.path, "--data", data, "--same-device"])
        try FileManager.default.removeItem(at: backup)
        count += 1
      }
      return count
    }
    defer { backups.cancel() }
    let busy = try deployment.load(rate: 1_000, seconds: seconds)
    backups.cancel()
    table.add("backup: backups in a row during the load", Double(try await backups.value))
    table.add("backup: accept p99 at 1,000/s without backups ms", quiet.acceptMs.p99)
    table.add("backup: accept p99 at 1,000/s while backups run ms", busy.acceptMs.p99)
    table.add(
      "backup: accept p99 while backups run / without", busy.acceptMs.p99 / quiet.acceptMs.p99, within: 0...2)
  }
}
