import Hummingbird
import Logging
import Synchronization
import Testing

@testable import Domain
@testable import Ingest
@testable import Messaging

/// A gateway of an `IngestFixture`, over the real link. The test computes its password hashes.
final class HashingGatewayFixture: Sendable {
  /// Behaviour of the gateway when ingest requests a hash.
  enum Hashing: Sendable {
    /// The gateway is too old to compute hashes.
    case old
    /// The gateway computes hashes of its own kind (`HashingGatewayFixture.hash`).
    case own
    case busy, silent
  }

  private let commands: CommandQueue<GatewayClient.Command>
  private let reactor: Reactor
  private let works: WorkList
  private let last = Atomic<UInt64>(0)

  private final class WorkList: Sendable {
    let value = Mutex<[PasswordHashWork]>([])
  }

  /// Starts a gateway. The fixture MUST have an endpoint for gateways, and routes for them.
  init(_ fixture: IngestFixture, hashing: Hashing) throws {
    let endpoint = try #require(fixture.components.endpoints.gateway)
    let wake = WakeupEvent()
    let (commands, works) = (CommandQueue<GatewayClient.Command>(wake), WorkList())
    (self.commands, self.works) = (commands, works)
    let link = GatewayClient.Hashing(parallelMax: 2) { work, completion in
      works.value.withLock { $0.append(work) }
      switch hashing {
      case .own: completion(HashingGatewayFixture.hash(work))
      case .busy: completion(nil)
      case .old, .silent: break
      }
    }
    let logger = Logger(label: "gateway") { _ in SwiftLogNoOpLogHandler() }
    reactor = try Reactor.start("gateway", wake: wake) { context in
      let client = try GatewayClient(
        context, connect: [endpoint], gateway: "test", commands: commands,
        hashing: { if case .old = hashing { nil } else { link } }(), logger: logger,
        welcomed: { _, _ in }, turnedAvailable: { _ in })
      return ([client], ())
    }.reactor
  }

  deinit { reactor.stop() }

  /// The hashes that ingest has requested from the gateway.
  var hashes: [PasswordHashWork] { works.value.withLock { $0 } }

  /// A function that is no argon2id, so that a test sees which end computed a hash.
  static func hash(_ work: PasswordHashWork) -> [UInt8] { Secrets.hash(work.password.text + hexadecimal(work.salt)) }

  /// Forwards a request of a client at 192.0.2.1.
  func send(
    _ method: String, _ path: String, _ members: [String: Any], token: String? = nil
  ) async throws -> ForwardedResponse {
    var headers = [ForwardedRequest.Header(name: "Content-Type", value: "application/json")]
    if let token { headers.append(.init(name: "Authorization", value: "Bearer \(token)")) }
    let request = ForwardedRequest(
      method: method, target: path, authority: "localhost", headers: headers, body: Array(JSON.object(members).utf8),
      clientAddress: "192.0.2.1")
    let number = last.add(1, ordering: .relaxed).newValue
    return try await withCheckedContinuation { continuation in
      commands.enqueue(.request(number, request, isRepeatable: false) { continuation.resume(returning: $0) })
    }.get()
  }

  func signUp(_ email: String) async throws -> ForwardedResponse {
    try await send(
      "POST", "/v2/accounts",
      ["email": email, "password": Client.password, "firstName": "Ada", "lastName": "Lovelace"])
  }

  func logIn(_ email: String, password: String = Client.password) async throws -> ForwardedResponse {
    try await send("POST", "/v2/session", ["email": email, "password": password])
  }
}

extension IngestFixture {
  /// Starts ingest with routes for gateways.
  ///
  /// - Parameter loginUnixMs: The time at which the clock of the limit of logins stands still. Nil for the wall clock.
  static func withGateways(loginUnixMs: Int64? = nil) throws -> IngestFixture {
    let fixture = try IngestFixture(workers: 0, loginUnixMs: loginUnixMs) {
      $0.gateway = try Endpoint("tcp://127.0.0.1:*")
    }
    fixture.components.gateways.begin(fixture.components.router())
    return fixture
  }
}
