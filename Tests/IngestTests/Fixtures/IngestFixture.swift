import Foundation
import GRDB
import Hummingbird
import InMemoryLogging
import Logging
import SQLiteStore
import Store
import Synchronization

@testable import Domain
@testable import Ingest
@testable import Messaging
@testable import Web

/// Ingest in the test's process, without a server. It has the real store in a temporary folder, the real queue, links
/// and routes, and workers that know the places of `PlaceTable`. It ends when its last reference goes away.
final class IngestFixture: Sendable {
  /// True if the clients of new fixtures use the routes of a gateway in front of ingest.
  @TaskLocal static var isBehindGateway = false

  let folder: TemporaryFolder
  let components: IngestComponents
  /// The routes that clients use: ingest's own, or those of its gateway.
  let application: Application<LoopbackResponder>
  private let configuration: IngestConfiguration
  private let log: InMemoryLogHandler
  /// The gateway in front of ingest. Nil if clients use ingest's own routes.
  private let gateway: Reactor?
  private let workers = Mutex<[Reactor]>([])
  private let hasEnded = Mutex(false)

  /// - Parameters:
  ///   - folder: The store's folder. A new one by default.
  ///   - workers: 0 or 1.
  ///   - loginUnixMs: The time at which the clock of the limit of logins stands still. Nil for the wall clock.
  ///   - configure: Changes the configuration, which by default is open and without limits.
  init(
    in folder: TemporaryFolder? = nil, workers: Int = 1, loginUnixMs: Int64? = nil,
    _ configure: (inout IngestConfiguration) throws -> Void = { _ in }
  ) throws {
    let folder = try folder ?? TemporaryFolder()
    let anyPort = try Endpoint("tcp://127.0.0.1:*")
    var configuration = IngestConfiguration(
      data: folder.path + "/data", host: "", port: 0, jobs: anyPort, changes: anyPort, submit: anyPort, origin: "")
    if Self.isBehindGateway { configuration.gateway = anyPort }
    try configure(&configuration)
    var log = InMemoryLogHandler()
    log.logLevel = .trace
    let handler = log
    let logger = Logger(label: "ingest") { _ in handler }
    let data = configuration.data
    self.configuration = configuration
    components = try IngestComponents.start(
      configuration, try SQLiteDatabase(folder: data, logger: logger), logger: logger,
      loginUnixMs: { loginUnixMs ?? WallClock.unixMs })
    var router = components.router()
    if Self.isBehindGateway, let endpoint = components.endpoints.gateway {
      components.gateways.begin(router)
      var configuration = GatewayConfiguration(ingest: [endpoint], host: "", port: 0)
      configuration.proxies = self.configuration.proxies
      (gateway, _, router) = try GatewayService(configuration, logger: logger, listening: { _ in })
        .start(IngestStatus(), nil)
    } else {
      gateway = nil
    }
    application = Application(
      responder: LoopbackResponder(base: router.buildResponder(), proxies: configuration.proxies), logger: logger)
    self.folder = folder
    self.log = handler
    if workers > 0 { try addWorker() }
  }

  deinit { end() }

  /// A client without a session.
  var client: Client { Client(self) }

  /// Everything that ingest has logged so far, one entry per line: level, message, then `key=value` sorted by key.
  var logged: String {
    log.entries.map { entry in
      let metadata = entry.metadata.sorted { $0.key < $1.key }.map { " \($0.key)=\($0.value)" }.joined()
      return "\(entry.level) \(entry.message)\(metadata)\n"
    }.joined()
  }

  /// Returns a client with an operator's session.
  func operatorClient() async throws -> Client {
    let client = try await client.signedUp(as: "operator@example.org")
    let promotion = AdminRequest.setUser(email: "operator@example.org", .promote)
    _ = try await components.admin.reply(to: promotion, from: AccountID(rawValue: 0))
    return client
  }

  /// Returns the oldest accounts, at most ten, with the numbers of their posts and sessions.
  ///
  /// - Parameter unixMs: The time that decides which sessions have expired.
  func users(unixMs: Int64 = WallClock.unixMs) async throws -> [User] {
    try await components.database.users(email: nil, after: nil, limit: 10, unixMs: unixMs)
  }

  private var path: String { folder.path + "/data/onthemap.sqlite" }

  /// Connects one more worker.
  ///
  /// - Parameter outcome: Called on the worker's thread. MUST not block.
  func addWorker(_ outcome: @escaping @Sendable (Job) -> JobOutcome = PlaceTable.outcome) throws {
    let (jobs, quiet) = (components.endpoints.jobs, Logger(label: "worker") { _ in SwiftLogNoOpLogHandler() })
    let number = UInt8(workers.withLock { $0.count })
    let (reactor, _) = try Reactor.start("worker", wake: WakeupEvent()) { context in
      let client = try JobClient(
        context, connect: [jobs], worker: "worker-\(number)", instance: Array(repeating: number, count: 16),
        software: "test", concurrency: 32, logger: quiet, joined: {}, reply: { job, _ in .outcome(outcome(job)) })
      return ([client], ())
    }
    workers.withLock { $0.append(reactor) }
  }

  /// Disconnects all workers.
  func endWorkers() {
    let workers = workers.withLock { workers in
      defer { workers = [] }
      return workers
    }
    for worker in workers { worker.stop() }
  }

  /// Ends ingest, and starts it again on the same store.
  ///
  /// - Parameters:
  ///   - sql: Statements to run on the store's file before the start. Nil for none.
  ///   - configure: Changes the previous configuration.
  func restarted(
    workers: Int = 1, after sql: String? = nil, _ configure: (inout IngestConfiguration) throws -> Void = { _ in }
  ) throws -> IngestFixture {
    end()
    if let sql {
      try DatabaseQueue(path: path).write { database in
        try database.execute(sql: sql)
      }
    }
    return try IngestFixture(in: folder, workers: workers) { configuration in
      configuration = self.configuration
      try configure(&configuration)
    }
  }

  /// Ends ingest as a signal does. Later calls do nothing.
  func end() {
    let isFirst = hasEnded.withLock { hasEnded in
      defer { hasEnded = true }
      return !hasEnded
    }
    guard isFirst else { return }
    gateway?.stop()
    // Workers end first, because ingest replies to their goodbye.
    endWorkers()
    components.end()
  }

  /// The hash of `Client.password`. One hash per account would take most of the tests' time.
  private static let passwordHash: String = {
    Secrets.prepare()
    guard let memory = HashBuffer(), let hash = PasswordHash.make(Client.password, in: memory) else {
      fatalError("cannot allocate the memory of a password hash")
    }
    return hash
  }()

  /// Returns the account of an address. Creates it for Ada Lovelace with `Client.password` if it is missing.
  func account(_ email: String) async throws -> Account {
    let database = components.database
    if let known = try await database.credentials(email: email) { return known.account }
    let registration = try Registration(
      email: email, password: Client.password, firstName: "Ada", lastName: "Lovelace")
    return try await database.addAccount(
      registration, passwordHash: Self.passwordHash, unixMs: WallClock.unixMs)
  }

  /// Waits until a post is settled, for at most two minutes.
  func settle(_ post: String) async throws {
    guard let id = PostID(post) else { return }
    try await components.queue.settlement(of: id, withinMs: 120_000)
  }

  /// Begins a session of an account, like a login from this host.
  ///
  /// - Returns: The session's token.
  func session(of account: Account) async throws -> String? {
    let source = LoginSource(address: IPAddress("127.0.0.1"), agent: "")
    return try await components.providers.logins.sessions.begin(account, from: source, unixMs: WallClock.unixMs)?.token
  }
}

/// A folder that is removed with its last reference.
final class TemporaryFolder: Sendable {
  let path: String

  init() throws {
    let url = FileManager.default.temporaryDirectory.appending(path: "onthemap-ingest-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    path = url.path
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }
}
