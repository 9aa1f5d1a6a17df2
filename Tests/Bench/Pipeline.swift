import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The whole path, roles apart: one ingest, two workers, one feed.
struct Pipeline {
  struct Use {
    let cpuMicrosecondsPerPost: Double
    let megabytes: Double
  }

  let load: HTTPLoad
  let acceptedPerSecond: Double
  /// Published posts by the time it took to publish all of them.
  let completedPerSecond: Double
  let roles: [(String, Use)]

  static func measure(folder: URL, connections: Int, seconds: Int) async throws -> Pipeline {
    let program = Bundle.main.executableURL?.deletingLastPathComponent().appendingPathComponent("onthemap").path ?? ""
    let data = folder.appendingPathComponent("data")
    defer { try? FileManager.default.removeItem(at: data) }
    func log(_ name: String) -> URL { folder.appendingPathComponent("\(name).log") }
    let ingest = try Program(
      program,
      [
        "ingest", "--data", data.path, "--http", "127.0.0.1:0", "--jobs", "tcp://127.0.0.1:*", "--changes",
        "tcp://127.0.0.1:*", "--submit", "tcp://127.0.0.1:*", "--operations", "127.0.0.1:0",
      ], log: log("ingest"))
    guard let http = ingest.ready["http"], let jobs = ingest.ready["jobs"], let changes = ingest.ready["changes"] else {
      throw BenchError("ingest does not tell its addresses")
    }
    let workers = try (1...2).map {
      try Program(
        program, ["geocoder", "--ingest", jobs, "--name", "worker-\($0)", "--operations", "127.0.0.1:0"],
        log: log("worker-\($0)"))
    }
    let feed = try Program(
      program,
      [
        "feed", "--ingest", changes, "--publish", "tcp://127.0.0.1:*", "--http", "127.0.0.1:0", "--operations",
        "127.0.0.1:0",
      ], log: log("feed"))
    let programs = [("ingest", [ingest]), ("workers", workers), ("feed", [feed])]
    let token = try await signUp(http)
    let before = programs.map { cpuSeconds($0.1) }
    let start = ContinuousClock.now
    let load = try HTTPLoad.run(
      url: http + "/v2/posts", body: #"{"place":"Seattle, WA","link":"https://example.org/me"}"#, token: token,
      connections: connections, seconds: seconds, folder: folder)
    let accepted = load.perSecond * Double(seconds)
    let deadline = ContinuousClock.now + .seconds(30)
    var published = try await seq(http)
    while Double(published) < accepted, ContinuousClock.now < deadline {
      try await Task.sleep(for: .milliseconds(5))
      published = try await seq(http)
    }
    let elapsed = (ContinuousClock.now - start) / .seconds(1)
    let roles = zip(programs, before).map { program, before in
      (
        program.0,
        Use(
          cpuMicrosecondsPerPost: (cpuSeconds(program.1) - before) / Double(published) * 1e6,
          megabytes: program.1.map(\.megabytes).reduce(0, +))
      )
    }
    return Pipeline(
      load: load, acceptedPerSecond: load.perSecond, completedPerSecond: Double(published) / elapsed, roles: roles)
  }

  private static func cpuSeconds(_ programs: [Program]) -> Double { programs.map(\.cpuSeconds).reduce(0, +) }

  private static func signUp(_ http: String) async throws -> String {
    guard let url = URL(string: http + "/v2/accounts") else { throw BenchError("\(http) is no address") }
    var request = URLRequest(url: url)
    request.httpMethod = "POST"
    request.httpBody = Data(
      #"{"email":"bench@example.org","password":"correct-horse","firstName":"Bench"}"#.utf8)
    let (body, _) = try await URLSession.shared.data(for: request)
    struct Session: Decodable { let token: String }
    return try JSONDecoder().decode(Session.self, from: body).token
  }

  /// How many posts are published: each takes a number.
  private static func seq(_ http: String) async throws -> Int {
    guard let url = URL(string: http + "/v2/feed") else { throw BenchError("\(http) is no address") }
    let (body, _) = try await URLSession.shared.data(from: url)
    struct List: Decodable { let seq: Int }
    return try JSONDecoder().decode(List.self, from: body).seq
  }
}
