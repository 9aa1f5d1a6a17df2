import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Programs in C++ that measure the limits of the machine. They are no part of this repository; YARDSTICKS names their
/// folder, and they are compiled into a temporary one.
struct Yardsticks {
  private let folder: URL
  private let pipeline: String
  private let messages: String

  /// Nil when YARDSTICKS is not set.
  init?(folder: URL) throws {
    guard let path = ProcessInfo.processInfo.environment["YARDSTICKS"], !path.isEmpty else { return nil }
    self.folder = folder
    pipeline = folder.appendingPathComponent("cpipe").path
    messages = folder.appendingPathComponent("zmq_bench").path
    note("compiling the yardsticks")
    _ = try output(
      of: "g++",
      ["-O2", "-std=c++17", "-o", pipeline, path + "/http/cpipe.cpp", "-lsqlite3", "-lzmq", "-lpthread"])
    _ = try output(of: "g++", ["-O2", "-std=c++17", "-o", messages, path + "/src/zmq_bench.cpp", "-lzmq", "-lpthread"])
  }

  /// Posts a second through the pipeline in C++: HTTP, group commit, ROUTER/DEALER, result committed.
  func cpipe(connections: Int, seconds: Int) async throws -> Double {
    let database = folder.appendingPathComponent("cpipe.db")
    let document = folder.appendingPathComponent("latest.json")
    try Data("{}".utf8).write(to: document)
    defer { for end in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: database.path + end) } }
    let port = "21094"
    guard let stats = URL(string: "http://127.0.0.1:\(port)/stats") else { throw BenchError("no address") }
    guard (try? await URLSession.shared.data(from: stats)) == nil else {
      throw BenchError("port \(port) is taken: end what listens there, its figures would be counted with ours")
    }
    let program = try Program(
      pipeline, [port, database.path, document.path], log: folder.appendingPathComponent("cpipe.log"),
      saysReady: false)
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

  /// Round trips a second over raw ROUTER and DEALER, tcp, 1,000 jobs in flight, one a message.
  func rawRoundTripsPerSecond() throws -> Double {
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
    let rows = try output(of: messages, ["2", "quick"]).split(separator: "\n").compactMap { line in
      try? JSONDecoder().decode(Row.self, from: Data(line.utf8))
    }
    guard let rate = rows.first(where: { $0.window == 1_000 && $0.jobsPerMessage == 1 })?.jobsPerSecond else {
      throw BenchError("zmq_bench printed no figure for 1,000 jobs in flight")
    }
    return rate
  }
}
