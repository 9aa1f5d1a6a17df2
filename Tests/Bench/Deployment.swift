import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The roles apart, as built: one ingest, two workers, one feed, on an empty store.
final class Deployment {
  /// Since `mark`, in µs of all cores for one post.
  typealias Cost = (role: String, cpuMicroseconds: Double)

  let ingest: Program
  let http: String
  let submit: String
  let publish: String
  private let data: URL
  private let roles: [(role: String, programs: [Program])]
  private var marked: [Double] = []

  /// - Parameter workers: 0 for a queue that nobody empties.
  init(folder: URL, workers: Int = 2) throws {
    let program = Program.onthemap
    data = folder.appendingPathComponent("data")
    func log(_ name: String) -> URL { folder.appendingPathComponent("\(name).log") }
    let ingest = try Deployment.ingest(program, data: data, log: log("ingest"))
    guard let http = ingest.ready["http"], let jobs = ingest.ready["jobs"], let changes = ingest.ready["changes"],
      let submit = ingest.ready["submit"]
    else { throw BenchError("ingest does not tell its addresses") }
    let geocoders = try (0..<workers).map {
      try Program(
        program, ["geocoder", "--ingest", jobs, "--name", "worker-\($0)", "--operations", "127.0.0.1:0"],
        log: log("worker-\($0)"))
    }
    let feed = try Program(
      program,
      [
        "feed", "--data", "none", "--ingest", changes, "--publish", "tcp://127.0.0.1:*", "--http", "127.0.0.1:0",
        "--operations",
        "127.0.0.1:0",
      ], log: log("feed"))
    guard let publish = feed.ready["feed"] else { throw BenchError("the feed does not tell its address") }
    (self.ingest, self.http, self.submit, self.publish) = (ingest, http, submit, publish)
    roles = [("ingest", [ingest]), ("workers", geocoders), ("feed", [feed])]
  }

  deinit {
    for (_, programs) in roles.reversed() { for program in programs { program.end() } }
    try? FileManager.default.removeItem(at: data)
  }

  private static func ingest(_ program: String, data: URL, log: URL) throws -> Program {
    try Program(
      program,
      [
        "ingest", "--data", data.path, "--http", "127.0.0.1:0", "--jobs", "tcp://127.0.0.1:*", "--changes",
        "tcp://127.0.0.1:*", "--submit", "tcp://127.0.0.1:*", "--operations", "127.0.0.1:0",
        "--trusted-proxies", "127.0.0.1",
      ], log: log)
  }

  /// An account's token.
  func signUp() async throws -> String {
    guard let url = URL(string: http + "/v2/accounts") else { throw BenchError("\(http) is no address") }
    var request = URLRequest(url: url)
    request.httpMethod = "POST"
    request.httpBody = Data(#"{"email":"bench@example.org","password":"correct-horse","firstName":"Bench"}"#.utf8)
    let (body, _) = try await URLSession.shared.data(for: request)
    struct Session: Decodable { let token: String }
    return try JSONDecoder().decode(Session.self, from: body).token
  }

  /// How many posts are published: each takes a number.
  func published() async throws -> Int {
    guard let url = URL(string: http + "/v2/feed") else { throw BenchError("\(http) is no address") }
    let (body, _) = try await URLSession.shared.data(from: url)
    struct List: Decodable { let seq: Int }
    return try JSONDecoder().decode(List.self, from: body).seq
  }

  /// Waits until so many posts are published, and returns how many are.
  func published(atLeast count: Int, within limit: Duration) async throws -> Int {
    let deadline = ContinuousClock.now + limit
    while true {
      let published = try await published()
      if published >= count || ContinuousClock.now >= deadline { return published }
      // Each time the list is read from the disk, which takes from what is measured.
      try await Task.sleep(for: .milliseconds(20))
    }
  }

  /// From here on `costs` are counted.
  func mark() { marked = roles.map { $0.programs.map(\.cpuSeconds).reduce(0, +) } }

  func costs(posts: Int) -> [Cost] {
    zip(roles, marked).map { role, before in
      (role.role, (role.programs.map(\.cpuSeconds).reduce(0, +) - before) / Double(posts) * 1e6)
    }
  }

  var megabytes: [(role: String, value: Double)] {
    roles.map { ($0.role, $0.programs.map(\.megabytes).reduce(0, +)) }
  }

  /// Posts at a fixed rate, an open loop, by the product's own load test.
  func load(rate: Int, seconds: Int, overZeroMQ: Bool = false) throws -> OpenLoop {
    try OpenLoop(
      output(
        of: Program.onthemap,
        [
          "load", "--server", http, "--feed", publish, "--rate", "\(rate)", "--duration", "\(seconds)", "--json",
          "--log-level", "error",
        ] + (overZeroMQ ? ["--submit", submit] : [])))
  }

  /// Ends ingest as a power cut would, starts it again on the same store, and tells how long it took to be ready.
  func secondsToComeBack(folder: URL) throws -> Double {
    ingest.kill()
    let start = ContinuousClock.now
    let again = try Deployment.ingest(Program.onthemap, data: data, log: folder.appendingPathComponent("again.log"))
    defer { again.end() }
    return (ContinuousClock.now - start) / .seconds(1)
  }
}

/// What `onthemap load --json` says.
struct OpenLoop: Decodable {
  struct Latencies: Decodable {
    let p50: Double
    let p99: Double
  }

  let acceptMs: Latencies
  let postToSubscriberMs: Latencies

  init(_ text: String) throws { self = try JSONDecoder().decode(OpenLoop.self, from: Data(text.utf8)) }
}
