import Foundation
import PostgresServer

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The release as separate processes on an empty store: one ingest, two workers and one feed.
final class Deployment {
  /// The service to which HTTP clients connect.
  enum Front {
    case ingest, gateway
  }

  /// CPU time per post or login since `mark`, in µs over all cores.
  typealias Cost = (role: String, cpuMicroseconds: Double)

  let ingest: Program
  /// Address of the front.
  let http: String
  let submit: String
  /// Address of ingest for gateways.
  let gateways: String
  let publish: String
  /// Ingest's data folder.
  let data: URL
  private let roles: [(role: String, programs: [Program])]
  private let database: PostgresBenchDatabase?
  private var marked: [Double] = []

  /// - Parameters:
  ///   - workers: Number of workers. With 0 the queue only grows.
  ///   - database: An empty database of the PostgreSQL store. Nil for the SQLite store.
  init(folder: URL, workers: Int = 2, front: Front = .ingest, database: PostgresBenchDatabase? = nil) throws {
    let program = Program.onthemap
    self.database = database
    data = folder.appendingPathComponent("data")
    func log(_ name: String) -> URL { folder.appendingPathComponent("\(name).log") }
    let ingest = try Deployment.ingest(program, data: data, store: database?.url, log: log("ingest"))
    guard let http = ingest.ready["http"], let jobs = ingest.ready["jobs"], let changes = ingest.ready["changes"],
      let submit = ingest.ready["submit"], let gateways = ingest.ready["gateways"]
    else { throw BenchError("ingest does not report its addresses") }
    let workerProcesses = try (0..<workers).map {
      try Program(
        program, ["worker", "--ingest", jobs, "--name", "worker-\($0)", "--operations", "127.0.0.1:0"],
        log: log("worker-\($0)"))
    }
    let feed = try Program(
      program,
      [
        "feed", "--data", "none", "--ingest", changes, "--publish", "tcp://127.0.0.1:*", "--http", "127.0.0.1:0",
        "--operations",
        "127.0.0.1:0",
      ], log: log("feed"))
    guard let publish = feed.ready["feed"] else { throw BenchError("the feed does not report its address") }
    (self.ingest, self.submit, self.gateways, self.publish) = (ingest, submit, gateways, publish)
    let services = [("ingest", [ingest]), ("workers", workerProcesses), ("feed", [feed])]
    guard front == .gateway else {
      (self.http, roles) = (http, services)
      return
    }
    let gateway = try Program(
      program,
      [
        "gateway", "--ingest", gateways, "--http", "127.0.0.1:0", "--operations", "127.0.0.1:0",
        "--trusted-proxies", "127.0.0.1",
      ], log: log("gateway"))
    guard let address = gateway.ready["http"] else { throw BenchError("the gateway does not report its address") }
    (self.http, roles) = (address, services + [("gateway", [gateway])])
  }

  deinit {
    for (_, programs) in roles.reversed() { for program in programs { program.end() } }
    try? FileManager.default.removeItem(at: data)
  }

  private static func ingest(_ program: String, data: URL, store: String?, log: URL) throws -> Program {
    try Program(
      program,
      [
        "ingest", "--data", data.path, "--http", "127.0.0.1:0", "--jobs", "tcp://127.0.0.1:*", "--changes",
        "tcp://127.0.0.1:*", "--submit", "tcp://127.0.0.1:*", "--gateways", "tcp://127.0.0.1:*", "--operations",
        "127.0.0.1:0", "--trusted-proxies", "127.0.0.1",
      ] + (store.map { ["--store", $0] } ?? []), log: log)
  }

  /// Signs accounts up. Returns their session tokens.
  func signUp(_ count: Int) async throws -> [String] {
    var tokens: [String] = []
    for number in 0..<count { tokens.append(try await signUp("bench-\(number)")) }
    return tokens
  }

  /// Signs an account up. Returns its session token.
  ///
  /// - Parameter name: Name in the account's email address, another one for each account.
  func signUp(_ name: String = "bench") async throws -> String {
    guard let url = URL(string: http + "/v2/accounts") else { throw BenchError("\(http) is no address") }
    var request = URLRequest(url: url)
    request.httpMethod = "POST"
    request.httpBody = Data(
      #"{"email":"\#(name)@example.org","password":"correct-horse","firstName":"Bench"}"#.utf8)
    let (body, _) = try await URLSession.shared.data(for: request)
    struct Session: Decodable { let token: String }
    return try JSONDecoder().decode(Session.self, from: body).token
  }

  /// Returns the number of published posts, which equals the sequence number of the list.
  func published() async throws -> Int {
    guard let url = URL(string: http + "/v2/feed") else { throw BenchError("\(http) is no address") }
    let (body, _) = try await URLSession.shared.data(from: url)
    struct List: Decodable { let seq: Int }
    return try JSONDecoder().decode(List.self, from: body).seq
  }

  /// Waits until at least `count` posts are published or the limit has passed. Returns the number of published posts.
  func published(atLeast count: Int, within limit: Duration) async throws -> Int {
    let deadline = ContinuousClock.now + limit
    while true {
      let published = try await published()
      if published >= count || ContinuousClock.now >= deadline { return published }
      // Pause, because each request reads the list from disk and slows the measured system.
      try await Task.sleep(for: .milliseconds(20))
    }
  }

  /// Role of the PostgreSQL server among the costs.
  static let serverRole = "PostgreSQL server"

  /// CPU time of each role so far, in seconds.
  private var cpuSeconds: [(role: String, seconds: Double)] {
    roles.map { ($0.role, $0.programs.map(\.cpuSeconds).reduce(0, +)) }
      + (database.map { [(Deployment.serverRole, $0.server.cpuSeconds)] } ?? [])
  }

  /// Starts the measurement of `costs`.
  func mark() { marked = cpuSeconds.map(\.seconds) }

  /// Returns the CPU time of each role since `mark`, divided by a number of posts or logins.
  func costs(per count: Int) -> [Cost] {
    zip(cpuSeconds, marked).map { now, before in (now.role, (now.seconds - before) / Double(count) * 1e6) }
  }

  var megabytes: [(role: String, value: Double)] {
    roles.map { ($0.role, $0.programs.map(\.megabytes).reduce(0, +)) }
  }

  /// Runs the product's load test: an open loop at a fixed rate.
  func load(rate: Int, seconds: Int, overZeroMQ: Bool = false) throws -> OpenLoop {
    try OpenLoop(
      output(
        of: Program.onthemap,
        [
          "load", "--server", http, "--feed", publish, "--rate", "\(rate)", "--duration", "\(seconds)", "--json",
          "--log-level", "error",
        ] + (overZeroMQ ? ["--submit", submit] : [])))
  }

  /// Kills ingest and starts it again on the same store. Returns the seconds until it is ready.
  func secondsToRestart(folder: URL) throws -> Double {
    ingest.kill()
    let start = ContinuousClock.now
    let again = try Deployment.ingest(
      Program.onthemap, data: data, store: database?.url, log: folder.appendingPathComponent("again.log"))
    defer { again.end() }
    return (ContinuousClock.now - start) / .seconds(1)
  }
}

/// Report of `onthemap load --json`.
struct OpenLoop: Decodable {
  struct Latencies: Decodable {
    let p50: Double
    let p99: Double
  }

  let acceptMs: Latencies
  let postToSubscriberMs: Latencies

  init(_ text: String) throws { self = try JSONDecoder().decode(OpenLoop.self, from: Data(text.utf8)) }
}
