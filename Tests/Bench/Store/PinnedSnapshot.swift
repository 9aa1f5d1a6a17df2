import Foundation
import PostgresServer

/// Benchmark of the PostgreSQL store while another session holds an old snapshot, like a dump or a forgotten session.
/// The server can then remove no dead row versions.
///
/// A database becomes slower as it grows. The baseline is therefore the same load for the same time without a snapshot.
struct PinnedSnapshot {
  /// A moment of a run: published posts, and bytes of each table with its indices, and of each index.
  private struct Sample {
    let posts: Int
    let time: ContinuousClock.Instant
    let bytes: [String: Double]

    /// Bytes of all tables and indices per post.
    var bytesPerPost: Double {
      bytes.filter { !$0.key.hasPrefix(PinnedSnapshot.indexMark) }.values.reduce(0, +) / Double(max(posts, 1))
    }
  }

  private struct Run {
    /// Completed posts per second in the last part of the time.
    let perSecond: Double
    let before: Sample
    let after: Sample
  }

  let folder: URL
  /// Seconds of load before the snapshot.
  let warmUp: Int
  /// Seconds for which the snapshot is held.
  let seconds: Int
  let server: PostgresServer

  private static let indexMark = "index "
  /// Share of the time that counts as its last part.
  private static let lastShare = 0.25
  /// Tables and indices below this size in both runs do not count: some have one row, and grow by whole pages.
  private static let bytesMin = 1_048_576.0

  func measure(into table: inout Table) async throws {
    let free = try await run(isPinned: false)
    let pinned = try await run(isPinned: true)
    let growth = PinnedSnapshot.growth(pinned.after, free.after)
    for row in growth {
      let bytes = [row.bytesFree, row.bytesPinned].map { String(format: "%.1f", $0) }
      note("  \(row.name): \(bytes[0]) bytes a post without a snapshot, \(bytes[1]) with one")
    }
    let time = "\(seconds) s"
    table.add("postgres: completed at the end of \(time) without a snapshot /s", free.perSecond)
    table.add("postgres: completed at the end of \(time) with a snapshot /s", pinned.perSecond)
    table.add(
      "postgres: completed with a snapshot of \(time) / without", pinned.perSecond / free.perSecond,
      within: 0.8 ... .infinity)
    table.add("postgres: posts when the snapshot began", Double(pinned.before.posts))
    table.add("postgres: posts after \(time) with a snapshot", Double(pinned.after.posts))
    table.add("postgres: bytes a post when the snapshot began", pinned.before.bytesPerPost)
    table.add("postgres: bytes a post after \(time) with a snapshot", pinned.after.bytesPerPost)
    table.add("postgres: bytes a post after \(time) without a snapshot", free.after.bytesPerPost)
    table.add(
      "postgres: worst table or index, bytes a post with a snapshot / without", growth.map(\.ratio).max() ?? 0,
      within: 0...2)
  }

  /// Loads an empty database for the whole time.
  private func run(isPinned: Bool) async throws -> Run {
    let database = try PostgresBenchDatabase(on: server)
    let deployment = try Deployment(folder: folder, database: database)
    let tokens = try await deployment.signUp(1)
    let start = ContinuousClock.now + .seconds(warmUp)
    let end = start + .seconds(seconds)
    let address = deployment.submit
    async let accepted = Pipeline.submit(to: address, tokens: tokens, batch: 64, until: .time(end), endsWhenFull: false)
    try await Task.sleep(until: start, clock: .continuous)
    let before = try await sample(deployment, database)
    let session = isPinned ? try PostgresSession(database.url) : nil
    // The first statement takes the snapshot.
    try session?.execute("BEGIN ISOLATION LEVEL REPEATABLE READ")
    try session?.execute("SELECT count(*) FROM leader")
    try await Task.sleep(until: end - .seconds(Double(seconds) * PinnedSnapshot.lastShare), clock: .continuous)
    let (posts, time) = (try await deployment.published(), ContinuousClock.now)
    try await Task.sleep(until: end, clock: .continuous)
    let after = try await sample(deployment, database)
    // Fails if the server has ended the session.
    try session?.execute("COMMIT")
    _ = try await accepted
    // Until here the producer waits for replies.
    withExtendedLifetime(deployment) {}
    return Run(
      perSecond: Double(after.posts - posts) / ((after.time - time) / .seconds(1)), before: before, after: after)
  }

  private func sample(_ deployment: Deployment, _ database: PostgresBenchDatabase) async throws -> Sample {
    let (posts, time) = (try await deployment.published(), ContinuousClock.now)
    let rows = try server.sql(
      """
      SELECT CASE relkind WHEN 'i' THEN '\(PinnedSnapshot.indexMark)' ELSE '' END || relname,
        pg_total_relation_size(oid)
      FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'i')
      """, in: database.name)
    let bytes = rows.split(separator: "\n").compactMap { row -> (String, Double)? in
      let columns = row.split(separator: "|")
      guard columns.count == 2, let bytes = Double(columns[1]) else { return nil }
      return (String(columns[0]), bytes)
    }
    return Sample(posts: posts, time: time, bytes: Dictionary(bytes) { first, _ in first })
  }

  /// Compares the bytes per post of each table and index that has a size to speak of.
  private static func growth(
    _ pinned: Sample, _ free: Sample
  ) -> [(name: String, bytesFree: Double, bytesPinned: Double, ratio: Double)] {
    pinned.bytes.keys.sorted().compactMap { name in
      let bytes = (free: free.bytes[name] ?? 0, pinned: pinned.bytes[name] ?? 0)
      guard max(bytes.free, bytes.pinned) >= bytesMin else { return nil }
      let perPost = (free: bytes.free / Double(max(free.posts, 1)), pinned: bytes.pinned / Double(max(pinned.posts, 1)))
      return (name, perPost.free, perPost.pinned, perPost.pinned / perPost.free)
    }
  }
}
