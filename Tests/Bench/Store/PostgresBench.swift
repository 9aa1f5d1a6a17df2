import Foundation
import PostgresServer

/// Benchmark of the PostgreSQL store, with servers on this machine. Each figure stands beside its baseline of the same
/// repetition: the SQLite store, a queue with SKIP LOCKED on the same server, the same load without a snapshot, and a
/// bare INSERT.
///
/// The part `zeromq` has the figures of the SQLite store alone.
struct PostgresBench {
  private let folder: URL
  private let seconds: Int
  private let pinnedSeconds: Int
  private let server: PostgresServer
  private let replicated: ReplicatedServers
  private let skipLocked: SkipLockedBaseline?

  /// Starts the servers, and compiles the baseline if YARDSTICKS is set.
  ///
  /// - Parameter pinnedSeconds: Seconds for which another session holds a snapshot.
  init(folder: URL, seconds: Int, pinnedSeconds: Int) throws {
    (self.folder, self.seconds, self.pinnedSeconds) = (folder, seconds, pinnedSeconds)
    note("starting PostgreSQL: one server alone, and a primary with two standbys")
    server = try PostgresServer(settings: PostgresBench.settings)
    replicated = try ReplicatedServers(settings: PostgresBench.settings)
    skipLocked = try SkipLockedBaseline(folder: folder, server: server)
  }

  /// Settings of all servers, those with which the yardsticks run. PostgreSQL's defaults apply otherwise.
  private static let settings = [
    "fsync": "on", "max_wal_size": "1GB", "shared_buffers": "256MB", "synchronous_commit": "on",
    "wal_compression": "off",
  ]

  func measure(into table: inout Table) async throws {
    try await throughput(&table)
    try await PostgresLatency(seconds: seconds, local: server, quorum: replicated.primary).measure(into: &table)
    try await PinnedSnapshot(folder: folder, warmUp: seconds, seconds: pinnedSeconds, server: server)
      .measure(into: &table)
  }

  private func throughput(_ table: inout Table) async throws {
    let sqlite = try await Pipeline.overZeroMQ(folder: folder, batch: 64, seconds: seconds)
    let postgres = try await overZeroMQ()
    table.add("postgres: posts over ZeroMQ accepted /s", postgres.acceptedPerSecond)
    table.add("postgres: posts over ZeroMQ completed /s", postgres.completedPerSecond)
    table.add(
      "postgres: server CPU us a post over ZeroMQ (goal 30)", postgres.cpu(of: Deployment.serverRole), within: 0...40)
    table.add("postgres: ingest CPU us a post over ZeroMQ", postgres.cpu(of: "ingest"))
    table.add("postgres: all roles CPU us a post over ZeroMQ", postgres.cpuPerPost)
    table.add("postgres: SQLite store, posts over ZeroMQ accepted /s", sqlite.acceptedPerSecond)
    table.add("postgres: SQLite store, posts over ZeroMQ completed /s", sqlite.completedPerSecond)
    table.add("postgres: SQLite store, ingest CPU us a post over ZeroMQ", sqlite.cpu(of: "ingest"))
    table.add("postgres: SQLite store, all roles CPU us a post over ZeroMQ", sqlite.cpuPerPost)
    table.add("postgres: completed / SQLite store", postgres.completedPerSecond / sqlite.completedPerSecond)
    guard let queue = try skipLocked?.measure(seconds: seconds) else { return }
    table.add("postgres: SKIP LOCKED x64 completed /s", queue.completedPerSecond)
    table.add("postgres: SKIP LOCKED x64, server CPU us a job", queue.serverSecondsPerThousand * 1e3)
    table.add(
      "postgres: completed / SKIP LOCKED x64 (goal 2.2)", postgres.completedPerSecond / queue.completedPerSecond,
      within: 1.5 ... .infinity)
  }

  /// The database is dropped on return, so that no vacuum of it slows the next measurement.
  private func overZeroMQ() async throws -> Pipeline {
    let database = try PostgresBenchDatabase(on: server)
    return try await Pipeline.overZeroMQ(folder: folder, batch: 64, seconds: seconds, database: database)
  }
}

/// An empty database on a PostgreSQL server. Dropped with this object.
final class PostgresBenchDatabase {
  let server: PostgresServer
  let name: String
  var url: String { server.url(name) }

  /// Writes all changed pages of the server first, so that no earlier load slows the measured one.
  init(on server: PostgresServer) throws {
    self.server = server
    name = try server.createDatabase()
    _ = try server.sql("CHECKPOINT")
  }

  deinit { server.dropDatabase(name) }
}

/// A primary whose commits wait for one of two standbys, all on this machine.
struct ReplicatedServers {
  let primary: PostgresServer
  private let standbys: [PostgresServer]

  init(settings: [String: String]) throws {
    let quorum = ["synchronous_standby_names": "ANY 1 (b,c)"]
    let primary = try PostgresServer(name: "a", settings: settings.merging(quorum) { $1 })
    self.primary = primary
    standbys = try ["b", "c"].map { try primary.makeStandby(name: $0) }
  }
}

/// A queue of jobs in a table, which consumers lock with SKIP LOCKED. 64 connections insert jobs of 200 bytes one by
/// one. Two connections delete up to 64 jobs at a time. A C++ program of YARDSTICKS makes the load.
struct SkipLockedBaseline {
  /// Figures of a run. Each job is inserted and deleted.
  struct Figures: Decodable {
    let completedPerSecond: Double
    let serverSecondsPerThousand: Double

    enum CodingKeys: String, CodingKey {
      case completedPerSecond = "completed_s"
      case serverSecondsPerThousand = "srv_cpu_s_per_1000"
    }
  }

  private let server: PostgresServer
  private let program: String

  /// Compiles the program. Nil if YARDSTICKS is not set.
  init?(folder: URL, server: PostgresServer) throws {
    guard let path = ProcessInfo.processInfo.environment["YARDSTICKS"], !path.isEmpty else { return nil }
    self.server = server
    program = folder.appendingPathComponent("qbench-postgres").path
    _ = try output(of: "g++", ["-O2", "-std=c++17", "-o", program, path + "/src/qbench.cpp"])
    // The program connects to the database postgres as this user.
    _ = try server.sql("CREATE ROLE postgres SUPERUSER LOGIN")
  }

  func measure(seconds: Int) throws -> Figures {
    _ = try server.sql("CHECKPOINT")
    let text = try output(
      of: program,
      [
        "proto=pg", "name=postgres", "port=\(server.port)", "pid=\(server.postmaster ?? 0)", "secs=\(seconds)",
        "producers=64", "window=1", "consumers=2", "batch=64",
      ])
    _ = try server.sql("DROP TABLE q")
    guard let line = text.split(separator: "\n").last(where: { $0.hasPrefix("{") }) else {
      throw BenchError("the baseline with SKIP LOCKED printed no figures: \(text)")
    }
    return try JSONDecoder().decode(Figures.self, from: Data(line.utf8))
  }
}
