import Dispatch
import Foundation
import Glibc
import PostgresServer
import Synchronization
import Testing

/// Two of each service and three PostgreSQL servers, on ports that stay the same after a restart.
///
/// The tests act as the service manager of ingest. They also act as the failover manager of the servers, unless Patroni
/// does.
final class FailoverDeployment: Sendable {
  let ingests: [Program]
  let gateways: [Program]
  let feeds: [Program]
  let workers: [Program]
  /// The database on the primary of the moment.
  let database: FailoverDatabase
  private let state: Mutex<State>
  private let name: String

  private struct State {
    /// The primary. Nil with Patroni, and then there are no standbys here either.
    var primary: PostgresServer?
    var standbys: [PostgresServer]
    /// Former primaries that do not follow the primary yet.
    var fallen: [PostgresServer] = []
    /// Ingests that the service manager leaves alone, by index.
    var held: Set<Int> = []
    var manager: Task<Void, any Error>?
  }

  /// Starts everything, with servers whose failover manager is the test.
  ///
  /// - Parameters:
  ///   - synchronous: False for servers that confirm commits which no standby has.
  ///   - holdsSockets: True if the tests hold the gateways' HTTP sockets, as systemd does.
  convenience init(synchronous: Bool = true, holdsSockets: Bool = false) async throws {
    let (servers, name) = try await blocking { try Self.servers(synchronous: synchronous) }
    try await self.init(ports: servers.map(\.port), database: name, servers: servers, holdsSockets: holdsSockets)
  }

  /// Starts the services on running servers. The first ingest leads on return, and the second one is its standby.
  ///
  /// - Parameters:
  ///   - ports: The ports of all servers.
  ///   - name: The name of an empty database.
  ///   - servers: The primary, and then its standbys. Empty with Patroni.
  ///   - holdsSockets: True if the tests hold the gateways' HTTP sockets, as systemd does.
  init(
    ports: [Int], database name: String, servers: [PostgresServer] = [], holdsSockets: Bool = false
  ) async throws {
    let hosts = ports.map { "127.0.0.1:\($0)" }.joined(separator: ",")
    let url = "postgresql://onthemap@\(hosts)/\(name)?sslmode=disable"
    let addresses = try (0..<2).map { _ in try IngestAddresses() }
    func list(_ address: KeyPath<IngestAddresses, String>) -> String {
      addresses.map { $0[keyPath: address] }.joined(separator: ",")
    }
    self.name = name
    database = FailoverDatabase(ports: ports, name: name)
    state = Mutex(State(primary: servers.first, standbys: Array(servers.dropFirst())))
    let fixture = SystemFixture.current
    ingests = try addresses.enumerated().map { index, addresses in
      try fixture.program(
        ["ingest", "--data", fixture.path("ingest-\(index)"), "--store", url] + addresses.arguments)
    }
    try await ingests[0].startAndWait()
    try ingests[1].start()
    feeds = try (0..<2).map { index in
      try fixture.program([
        "feed", "--ingest", list(\.changes), "--publish", "tcp://127.0.0.1:\(try Port.free())", "--query",
        "tcp://127.0.0.1:\(try Port.free())", "--http", "127.0.0.1:\(try Port.free())", "--operations",
        "127.0.0.1:0", "--data", fixture.path("feed-\(index)"),
      ])
    }
    workers = try (0..<2).map { _ in
      try fixture.program(["worker", "--ingest", list(\.jobs), "--operations", "127.0.0.1:0"])
    }
    for program in feeds + workers { try await program.startAndWait() }
    var gateways: [Program] = []
    for _ in 0..<2 { gateways.append(try await fixture.gateway(at: list(\.gateways), holds: holdsSockets)) }
    self.gateways = gateways
    try await waitForStandby()
  }

  /// The ports of one ingest.
  private struct IngestAddresses {
    let jobs: String
    let changes: String
    let gateways: String
    let submit: String
    let http: String

    init() throws {
      func link() throws -> String { "tcp://127.0.0.1:\(try Port.free())" }
      (jobs, changes, gateways, submit) = (try link(), try link(), try link(), try link())
      http = "127.0.0.1:\(try Port.free())"
    }

    var arguments: [String] {
      [
        "--jobs", jobs, "--changes", changes, "--gateways", gateways, "--submit", submit, "--http", http,
        "--operations", "none",
      ]
    }
  }

  /// Starts a primary with two standbys and an empty database. The disks are real, and each commit waits for a standby.
  private static func servers(synchronous: Bool) throws -> (servers: [PostgresServer], database: String) {
    let primary = try PostgresServer(
      name: "a",
      settings: [
        "fsync": "on", "hot_standby_feedback": "off", "restart_after_crash": "off", "shared_buffers": "16MB",
        "synchronous_commit": "on", "synchronous_standby_names": synchronous ? "ANY 1 (a,b,c)" : "",
      ])
    let standbys = try ["b", "c"].map { try primary.makeStandby(name: $0) }
    return ([primary] + standbys, try primary.createDatabase())
  }

  var primary: PostgresServer {
    guard let primary = state.withLock(\.primary) else { preconditionFailure("Patroni has the servers.") }
    return primary
  }

  var standbys: [PostgresServer] { state.withLock(\.standbys) }

  /// The HTTP ports of the gateways.
  var gatewayPorts: [UInt16] { get throws { try gateways.map { try Client(#require($0.ready["http"])).port } } }

  /// Clients of the feeds.
  var feedClients: [Client] { get throws { try feeds.map { Client(try #require($0.ready["feed-http"])) } } }

  /// The index of the ingest that leads, or led last.
  var leader: Int {
    get throws { try #require(ingests.firstIndex { $0.pid != nil && !$0.ready.isEmpty }) }
  }

  /// The number of times that an ingest has found the loss of confirmed commits.
  var lossCount: Int { count(ofLog: "database lost confirmed commits: new epoch") }

  /// The number of times that an ingest has begun to repeat a commit whose outcome was unknown.
  var repetitionCount: Int { count(ofLog: "commit not confirmed: repeating it") }

  private func count(ofLog event: String) -> Int {
    ingests.map { $0.standardError.ranges(of: event).count }.reduce(0, +)
  }

  /// Starts a subscriber of each feed, and a record of all lists.
  func history() async throws -> FeedHistory {
    let watchers = try feeds.map { feed in
      let address = try #require(feed.ready["feed"])
      return Watcher(program: try SystemFixture.current.program(["watch", "--json", "--feed", address]))
    }
    for watcher in watchers { try watcher.program.start() }
    for watcher in watchers { try await eventually("the subscriber has a list") { try watcher.list != nil } }
    return FeedHistory(ports: try gatewayPorts + feedClients.map { try $0.port }, watchers: watchers)
  }

  // MARK: - Service manager of ingest

  /// Starts each ingest again after its end, except a held one. An ingest ends when another one has taken over.
  func manage() {
    let task = Task { [ingests, weak self] in
      while let self {
        let held = self.state.withLock(\.held)
        for (index, ingest) in ingests.enumerated() where !held.contains(index) && ingest.pid == nil {
          try ingest.start()
        }
        try await Task.sleep(for: .milliseconds(200))
      }
    }
    state.withLock { $0.manager = task }
  }

  /// Ends the service manager. The fixture ends all programs.
  func end() async {
    let task = state.withLock(\.manager)
    task?.cancel()
    _ = await task?.result
  }

  /// Leaves an ingest alone, so that a test sees its end.
  func hold(_ ingest: Int) { state.withLock { _ = $0.held.insert(ingest) } }

  func release(_ ingest: Int) { state.withLock { _ = $0.held.remove(ingest) } }

  /// Restarts an ingest gracefully. Returns when the other one leads, and this one is its standby.
  func restart(ingest index: Int) async throws {
    let (ingest, other) = (ingests[index], ingests[1 - index])
    let count = ingest.standardError.ranges(of: Self.standbyLine).count
    hold(index)
    ingest.signal(SIGTERM)
    #expect(try await ingest.exit() == 0, "Ingest \(index) must end gracefully.")
    // On a slow machine, the former leader could otherwise be faster than the standby.
    try await eventually("the other ingest leads") { other.pid != nil && !other.ready.isEmpty }
    try ingest.start()
    release(index)
    // The log has all starts.
    try await eventually("the restarted ingest is the standby") {
      ingest.pid != nil && ingest.standardError.ranges(of: Self.standbyLine).count > count
    }
  }

  /// Waits until one ingest leads and the other one is its standby.
  func waitForStandby() async throws {
    try await eventually("one ingest leads, and the other one is its standby") {
      ingests.contains { $0.pid != nil && !$0.ready.isEmpty } && ingests.contains { $0.pid != nil && isStandby($0) }
    }
  }

  /// Returns true if the latest line of an ingest's log about its role says that it waits as the standby.
  private func isStandby(_ ingest: Program) -> Bool {
    let lines = ingest.standardError.split(separator: "\n")
    let last = lines.last { $0.contains(Self.standbyLine) || $0.contains("database opened") }
    return last?.contains(Self.standbyLine) == true
  }

  private static let standbyLine = "standby: the leader has not ended its term"

  // MARK: - Failover manager of the servers

  /// Promotes the standby that has received most. The primary may be dead, frozen or cut off.
  func failOver() async throws {
    let (former, standbys) = (primary, standbys)
    let primary = try await blocking { try PostgresServer.failOver(to: standbys) }
    state.withLock { state in
      state.primary = primary
      state.standbys = standbys.filter { $0 !== primary }
      state.fallen.append(former)
    }
  }

  /// Restarts the standby servers, one after the other.
  func restartStandbys() async throws {
    let (primary, standbys) = (primary, standbys)
    for standby in standbys { try await blocking { try standby.restart(following: primary) } }
  }

  /// Shuts the primary down, and promotes its first standby. The former primary follows on return, with its own data.
  func switchOver() async throws {
    let (former, standbys) = (primary, standbys)
    let (primary, others) = (standbys[0], Array(standbys.dropFirst()))
    try await blocking { try former.switchOver(to: primary, others: others) }
    state.withLock { ($0.primary, $0.standbys) = (primary, others) }
    try await blocking { try former.rejoin(primary) }
    state.withLock { $0.standbys.append(former) }
  }

  /// Makes each former primary a standby, with a new copy of the data.
  func repair() async throws {
    let (primary, fallen) = (primary, state.withLock(\.fallen))
    for server in fallen { try await blocking { try server.followPrimary(primary) } }
    state.withLock { state in
      state.standbys += state.fallen
      state.fallen = []
    }
  }

  /// Runs a query on the primary.
  func query(_ text: String) async throws -> String {
    let primary = primary
    return try await blocking { [name] in try primary.sql(text, in: name) }
  }

  /// Stops the processes that send the primary's log, so that nothing leaves the primary.
  ///
  /// A stopped receiver would not do. Its socket has data that it writes later.
  func stopSenders() async throws {
    let pids = try await query("SELECT pid FROM pg_stat_replication").split(separator: "\n").compactMap { pid_t($0) }
    #expect(pids.count == 2, "Both standbys must be connected.")
    for pid in pids { kill(pid, SIGSTOP) }
    for pid in pids {
      try await eventually("a sender is stopped") {
        let stat = try String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8)
        return stat.split(separator: ")").last?.hasPrefix(" T") == true
      }
    }
  }
}

/// Runs blocking work outside the threads of the tests' tasks.
func blocking<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
  try await withCheckedThrowingContinuation { continuation in
    DispatchQueue.global().async { continuation.resume(with: Result { try body() }) }
  }
}
