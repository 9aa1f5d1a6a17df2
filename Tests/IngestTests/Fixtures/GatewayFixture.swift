import Hummingbird
import Logging
import Store

@testable import Domain
@testable import Ingest
@testable import Messaging

/// A gateway in the test's process, without a server. It has the real routes and the real link to an ingest. The test
/// plays the feed. The gateway ends when its last reference goes away.
final class GatewayFixture: Sendable {
  let ingest: IngestFixture
  /// Ingest's state, as the gateway knows it.
  let status = IngestStatus()
  let list: GatewayList
  private let application: Application<LoopbackResponder>
  private let reactor: Reactor

  /// - Parameters:
  ///   - isConnected: True for a gateway that is connected on return. False for one that finds no ingest.
  ///   - configure: Changes ingest's configuration.
  init(isConnected: Bool = true, _ configure: (inout IngestConfiguration) throws -> Void = { _ in }) async throws {
    let quiet = Logger(label: "gateway") { _ in SwiftLogNoOpLogHandler() }
    ingest = try IngestFixture { configuration in
      configuration.gateway = try Endpoint("tcp://127.0.0.1:*")
      try configure(&configuration)
    }
    ingest.components.gateways.begin(ingest.components.router())
    list = GatewayList(ingest: status)
    let endpoint = isConnected ? ingest.components.endpoints.gateway : nil
    let service = GatewayService(
      GatewayConfiguration(ingest: [try endpoint ?? Endpoint("tcp://127.0.0.1:1")], host: "", port: 0),
      logger: quiet, listening: { _ in })
    let (reactor, _, router) = try service.start(status, list)
    self.reactor = reactor
    application = Application(
      responder: LoopbackResponder(base: router.buildResponder(), proxies: .init()), logger: quiet)
    if isConnected { try await eventually("the gateway is connected") { status.current.isAvailable } }
  }

  deinit { reactor.stop() }

  /// A client of the gateway, without a session.
  var client: Client {
    var client = Client(ingest)
    client.application = application
    return client
  }

  /// Sends an event of the feed to the gateway.
  func feed(_ event: FeedSubscription.Event) {
    list.receive(event, logger: Logger(label: "gateway") { _ in SwiftLogNoOpLogHandler() })
  }

  /// Returns ingest's list.
  func latest() async throws -> FeedState { try await ingest.components.database.latest() }

  /// Sends a list without posts, which differs from ingest's list by its sequence number.
  func feedEmptyList(seq: UInt64 = 99, epoch: Epoch? = nil, isStale: Bool = false) async throws {
    let own = try await latest().epoch
    feed(.list(FeedState(epoch: epoch ?? own, seq: seq, entries: []), isStale: isStale))
  }
}
