import Foundation
import Glibc
import Synchronization
import Testing

/// The running services: all in one process, or each role in its own process.
struct Services: Sendable {
  /// The feed. Nil if one process has all roles.
  var feed: Program?
  var workers: [Program] = []
  /// Ingest, or the process with all roles.
  let ingest: Program
  /// The gateways in front of ingest.
  var gateways: [Program] = []

  /// A client of ingest's API at the first gateway.
  var gatewayClient: Client { get throws { try gatewayClients[0] } }
  /// Clients of ingest's API at each gateway.
  var gatewayClients: [Client] { get throws { try gateways.map { Client(try address("http", of: $0)) } } }
  /// A client of ingest's API.
  var client: Client { get throws { try Client(address("http", of: ingest)) } }
  /// A client of the feed's HTTP API.
  var feedClient: Client { get throws { try Client(address("feed-http", of: feed ?? ingest)) } }
  /// The address for subscribers.
  var publish: String { get throws { try address("feed", of: feed ?? ingest) } }

  /// The address of the feed's query port.
  var query: String { get throws { try address("query", of: feed ?? ingest) } }

  /// The address for producers.
  var submit: String { get throws { try address("submit", of: ingest) } }

  /// The address for feeds.
  var changes: String { get throws { try address("changes", of: ingest) } }

  /// Clients of each process's operations address.
  var operations: [Client] {
    get throws {
      try ([ingest] + [feed].compactMap(\.self) + workers).map { Client(try address("operations", of: $0)) }
    }
  }

  /// The ZeroMQ ports by their names in the ready line.
  var ports: [(name: String, port: UInt16)] {
    get throws {
      try ["jobs", "changes", "submit", "feed", "query"].map { name in
        let address = try address(name, of: ["feed", "query"].contains(name) ? feed ?? ingest : ingest)
        guard let port = UInt16(address.split(separator: ":").last ?? "") else {
          throw TimeoutError(description: "\(name)=\(address) has no port")
        }
        return (name, port)
      }
    }
  }

  private func address(_ word: String, of program: Program) throws -> String {
    guard let address = program.ready[word] else { throw TimeoutError(description: "\(program) printed no \(word)") }
    return address
  }
}

/// The service that serves the HTTP API to a test's client.
enum Front: CaseIterable, Sendable {
  case ingest, gateway
}

extension SystemFixture {
  /// Starts all roles in one process, on free ports. The roles are ready on return.
  func up(_ more: String..., environment: [String: String] = [:]) async throws -> Services {
    try await up(more, environment: environment)
  }

  private func up(_ more: [String], environment: [String: String] = [:]) async throws -> Services {
    let program = try program(
      [
        "up", "--data", path("data"), "--http", "127.0.0.1:0", "--feed-http", "127.0.0.1:0", "--jobs",
        "tcp://127.0.0.1:*", "--changes", "tcp://127.0.0.1:*", "--publish", "tcp://127.0.0.1:*", "--submit",
        "tcp://127.0.0.1:*", "--operations", "127.0.0.1:0",
      ] + more, environment: environment)
    try await program.startAndWait()
    return Services(ingest: program)
  }

  /// Starts all roles in one process, and a gateway. The gateway is connected on return.
  func upWithGateway(_ more: String..., gateway: String...) async throws -> Services {
    var services = try await up(["--gateways", "tcp://127.0.0.1:*"] + more)
    services.gateways = [try await self.gateway(at: try #require(services.ingest.ready["gateways"]), gateway)]
    return services
  }

  /// Starts all roles in one process, and a gateway if the front is one. Returns a client of ingest's API at the front.
  ///
  /// - Parameter more: Options of `up` and of the gateway.
  func up(behind front: Front, _ more: String...) async throws -> Client {
    switch front {
    case .ingest: return try await up(more).client
    case .gateway:
      let ingest = try await up(["--gateways", "tcp://127.0.0.1:*"] + more).ingest
      let gateway = try await gateway(at: try #require(ingest.ready["gateways"]), more)
      return Client(try #require(gateway.ready["http"]))
    }
  }

  /// Starts a gateway, on a port that stays the same after a restart. The gateway is connected on return.
  ///
  /// - Parameters:
  ///   - ingest: The address of ingest's gateway link.
  ///   - holds: True if the tests hold the HTTP socket, as systemd does.
  func gateway(at ingest: String, _ more: [String] = [], holds: Bool = false) async throws -> Program {
    let port = try Port.free()
    let gateway = try program(
      ["gateway", "--ingest", ingest, "--http", "127.0.0.1:\(port)", "--operations", "127.0.0.1:0"] + more)
    if holds { try gateway.hold(port: port, name: "gateway-http") }
    try await gateway.startAndWait()
    try await gateway.waitUntilReady()
    return gateway
  }

  /// Starts each role in its own process, on ports that stay the same after a restart. The roles are ready on return.
  ///
  /// - Parameter holdsSockets: True if the tests hold the HTTP sockets, as systemd does.
  func roles(
    workers: Int = 2, gateways: Int = 0, environment: [String: String] = [:], holdsSockets: Bool = false
  ) async throws -> Services {
    let (http, jobs, changes, submit) = (try Port.free(), try Port.free(), try Port.free(), try Port.free())
    let link = "tcp://127.0.0.1:\(try Port.free())"
    let ingest = try program(
      [
        "ingest", "--data", path("data"), "--http", "127.0.0.1:\(http)", "--jobs", "tcp://127.0.0.1:\(jobs)",
        "--changes",
        "tcp://127.0.0.1:\(changes)", "--submit", "tcp://127.0.0.1:\(submit)", "--operations", "127.0.0.1:0",
      ] + (gateways > 0 ? ["--gateways", link] : []), environment: environment)
    if holdsSockets { try ingest.hold(port: http, name: "http") }
    try await ingest.startAndWait()
    var services = Services(ingest: ingest)
    services.feed = try await feed(of: services, data: path("feed"), environment: environment, holds: holdsSockets)
    for _ in 0..<workers { services.workers.append(try await worker(of: services, environment: environment)) }
    for _ in 0..<gateways { services.gateways.append(try await gateway(at: link, holds: holdsSockets)) }
    return services
  }

  /// Starts a feed, which is ready on return.
  func feed(
    of services: Services, data: String = "none", environment: [String: String] = [:], holds: Bool = false
  ) async throws -> Program {
    let http = try Port.free()
    let feed = try program(
      [
        "feed", "--ingest", try services.changes, "--publish", "tcp://127.0.0.1:\(try Port.free())", "--query",
        "tcp://127.0.0.1:\(try Port.free())", "--http", "127.0.0.1:\(http)", "--operations", "127.0.0.1:0",
        "--data", data,
      ], environment: environment)
    if holds { try feed.hold(port: http, name: "feed-http") }
    try await feed.startAndWait()
    return feed
  }

  /// Starts one more worker, which is ready on return.
  func worker(of services: Services, environment: [String: String] = [:]) async throws -> Program {
    let jobs = try services.ports.first { $0.name == "jobs" }?.port ?? 0
    let worker = try program(
      ["worker", "--ingest", "tcp://127.0.0.1:\(jobs)", "--operations", "127.0.0.1:0"], environment: environment)
    try await worker.startAndWait()
    return worker
  }
}

extension Program {
  /// Waits until the service's own check of its readiness succeeds. Requires an operations address.
  func waitUntilReady() async throws {
    let operations = Client(try #require(ready["operations"]))
    try await eventually("\(self) is ready to serve") { try await operations.get("/readyz").status == 200 }
  }

  /// Binds the service's HTTP port in the tests, and passes the socket to all its starts.
  fileprivate func hold(port: UInt16, name: String) throws {
    let listener = try Listener(port: port)
    SystemFixture.current.keep(listener)
    pass(listener.descriptor, name: name)
  }
}

/// Ports for programs that must keep their port over restarts.
enum Port {
  private static let reserved = Mutex<Set<UInt16>>([])

  /// Returns a free port that no other caller gets. A role may use its port late, or leave it for a while after a kill.
  /// The port is below the range for port 0, so that the kernel does not assign it. Other test sets use other ranges.
  static func free() throws -> UInt16 {
    for _ in 0..<200 {
      let port = UInt16.random(in: 15_000..<25_000)
      guard reserved.withLock({ $0.insert(port).inserted }) else { continue }
      if let listener = try? Listener(port: port) {
        withExtendedLifetime(listener) {}
        return port
      }
    }
    throw TimeoutError(description: "no free port found")
  }
}

/// A listening socket, from which the tests accept no connection.
final class Listener: Sendable {
  let descriptor: Int32

  /// True if a client has connected.
  var hasConnection: Bool {
    var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return poll(&request, 1, 0) > 0
  }

  init(port: UInt16) throws {
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | O_CLOEXEC, 0)
    // `deinit` closes the descriptor.
    guard bindLoopback(descriptor, port), listen(descriptor, 1) == 0 else {
      throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EADDRINUSE)
    }
  }

  deinit { close(descriptor) }
}

private func bindLoopback(_ descriptor: Int32, _ port: UInt16) -> Bool {
  withLoopback(port) { bind(descriptor, $0, $1) == 0 }
}

/// Calls the body with the socket address of 127.0.0.1 and a port.
func withLoopback<Value>(_ port: UInt16, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Value) -> Value {
  var address = sockaddr_in()
  address.sin_family = sa_family_t(AF_INET)
  address.sin_port = port.bigEndian
  address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
  return withUnsafePointer(to: &address) { pointer in
    pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(MemoryLayout<sockaddr_in>.size)) }
  }
}
