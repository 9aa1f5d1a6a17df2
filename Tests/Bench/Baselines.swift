import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// C++ programs that measure the limits of the machine. YARDSTICKS names the folder of their sources, which are not in
/// this repository.
struct Baselines {
  private let folder: URL
  private let source: String
  private let pipeline: String
  private let messages: String
  private let sqlite: String

  /// Compiles the programs. Nil if YARDSTICKS is not set.
  init?(folder: URL) throws {
    guard let path = ProcessInfo.processInfo.environment["YARDSTICKS"], !path.isEmpty else { return nil }
    self.folder = folder
    source = path
    pipeline = folder.appendingPathComponent("cpipe").path
    messages = folder.appendingPathComponent("zmq_bench").path
    sqlite = folder.appendingPathComponent("sqlite_settle").path
    note("compiling the baselines")
    _ = try output(
      of: "g++",
      ["-O2", "-std=c++17", "-o", pipeline, path + "/http/cpipe.cpp", "-lsqlite3", "-lzmq", "-lpthread"])
    _ = try output(of: "g++", ["-O2", "-std=c++17", "-o", messages, path + "/src/zmq_bench.cpp", "-lzmq", "-lpthread"])
    // Run only one case, and for as long as our benchmark, because the disk absorbs a short burst of writes.
    let settle = folder.appendingPathComponent("sqlite_settle.cpp")
    try """
    #define main all_cases
    #include "\(path)/src/sqlite_bench.cpp"
    #undef main
    int main(int, char** words) { run(words[1], atof(words[2]), 512, true, "FULL"); }
    """.write(to: settle, atomically: true, encoding: .utf8)
    _ = try output(of: "g++", ["-O2", "-std=c++17", "-o", sqlite, settle.path, "-lsqlite3"])
  }

  /// Measures posts per second through the C++ pipeline: HTTP, group commit, ROUTER/DEALER, commit of the result.
  func cpipe(connections: Int, seconds: Int) async throws -> Double {
    let database = folder.appendingPathComponent("cpipe.db")
    let document = folder.appendingPathComponent("latest.json")
    try Data("{}".utf8).write(to: document)
    defer { for end in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: database.path + end) } }
    let port = "21094"
    guard let stats = URL(string: "http://127.0.0.1:\(port)/stats") else { throw BenchError("no address") }
    guard (try? await URLSession.shared.data(from: stats)) == nil else {
      throw BenchError("port \(port) is in use: stop its program, because its figures would be counted")
    }
    let program = try Program(
      pipeline, [port, database.path, document.path], log: folder.appendingPathComponent("cpipe.log"),
      waitsForReady: false)
    defer { program.end() }
    let deadline = ContinuousClock.now + .seconds(5)
    while (try? await URLSession.shared.data(from: stats)) == nil, ContinuousClock.now < deadline {
      try await Task.sleep(for: .milliseconds(20))
    }
    _ = try HTTPLoad.run(
      url: "http://127.0.0.1:\(port)/group", body: #"{"place":"Seattle, WA","link":"https://example.org/me"}"#,
      token: nil, connections: connections, seconds: seconds, folder: folder)
    struct Stats: Decodable { let completed: Double }
    let (body, _) = try await URLSession.shared.data(from: stats)
    return try JSONDecoder().decode(Stats.self, from: body).completed / Double(seconds)
  }

  /// Measures raw ROUTER and DEALER sockets over TCP, with one job per message.
  func rawLink() throws -> (perSecondWith1000: Double, microsecondsWith1: Double) {
    struct Row: Decodable {
      let window: Int?
      let jobsPerMessage: Int?
      let jobsPerSecond: Double?

      enum CodingKeys: String, CodingKey {
        case window
        case jobsPerMessage = "jobs_per_msg"
        case jobsPerSecond = "jobs_s"
      }
    }
    let rows: [Row] = Baselines.rows(try output(of: messages, ["2", "quick"]))
    func rate(_ window: Int) -> Double? {
      rows.first { $0.window == window && $0.jobsPerMessage == 1 }?.jobsPerSecond
    }
    guard let many = rate(1_000), let one = rate(1) else { throw BenchError("zmq_bench printed no figures") }
    return (many, 1e6 / one)
  }

  /// Measures the rows per second that SQLite inserts and then settles, in groups of 512. Settling deletes a row and
  /// inserts its result.
  func sqliteInsertAndSettlePerSecond(seconds: Int) throws -> Double {
    struct Row: Decodable {
      let jobsPerSecond: Double

      enum CodingKeys: String, CodingKey {
        case jobsPerSecond = "jobs_s"
      }
    }
    let data = folder.appendingPathComponent("sqlite")
    try FileManager.default.createDirectory(at: data, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: data) }
    let rows: [Row] = Baselines.rows(try output(of: sqlite, [data.path, "\(seconds)"]))
    guard let row = rows.first else {
      throw BenchError("sqlite_bench printed no figure for insert+result in groups of 512")
    }
    return row.jobsPerSecond
  }

  /// Measures jobs per second of each other queue system that is installed, with pipelined jobs.
  func peers(seconds: Int) throws -> [(name: String, perSecond: Double)] {
    struct Row: Decodable {
      let name: String?
      let completedPerSecond: Double?

      enum CodingKeys: String, CodingKey {
        case name = "system"
        case completedPerSecond = "completed_s"
      }
    }
    let names = [
      ("redis always", "redis-server"), ("rabbit quorum", "/usr/lib/rabbitmq/bin/rabbitmq-server"),
      ("postgres skip locked x64", "/usr/lib/postgresql/15/bin/postgres"),
    ]
    let installed = names.filter { (try? output(of: "which", [$0.1])) != nil }.map(\.0)
    for (name, _) in names where !installed.contains(name) { note("\(name) is not installed: not measured") }
    // The scripts expect their programs in their own folder, which is read-only, so work on a copy.
    let copy = folder.appendingPathComponent("yardsticks")
    if !FileManager.default.fileExists(atPath: copy.path) {
      _ = try output(of: "cp", ["-r", source, copy.path])
      _ = try output(of: "chmod", ["-R", "u+w,a+rX", folder.path])
      for name in ["qbench", "fsync_bench", "sqlite_bench"] {
        let path = copy.appendingPathComponent(name).path
        _ = try output(
          of: "g++", ["-O2", "-std=c++17", "-o", path, copy.path + "/src/\(name).cpp", "-lsqlite3", "-lpthread"])
      }
    }
    return try installed.map { name in
      let out = folder.appendingPathComponent("peers.jsonl").path
      try? FileManager.default.removeItem(atPath: out)
      _ = try output(
        of: "env",
        [
          "PERF_DIR=\(folder.path)/perf", "PERF_SC=P1w256", "python3", copy.path + "/run_queues.py", "1", "\(seconds)",
          out, name,
        ])
      let rows: [Row] = Baselines.rows(try String(contentsOfFile: out, encoding: .utf8))
      guard let rate = rows.compactMap(\.completedPerSecond).first else {
        throw BenchError("the baseline of \(name) printed no figure")
      }
      return (name, rate)
    }
  }

  /// Decodes the lines of JSON that have this form.
  private static func rows<Row: Decodable>(_ text: String) -> [Row] {
    text.split(separator: "\n").compactMap { try? JSONDecoder().decode(Row.self, from: Data($0.utf8)) }
  }
}
