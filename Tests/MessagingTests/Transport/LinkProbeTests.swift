import Foundation
import Testing

@testable import Domain
@testable import Messaging

@Suite("Link probes", .serialized)
struct LinkProbeTests {
  private let ledger = Ledger()
  private let log = LineLog()

  private func probe(
    _ endpoint: Endpoint, _ curve: CurveClient?, as link: LinkName = .jobs
  ) async throws -> LinkProbe.Outcome {
    try await LinkProbe.connect(endpoint, as: link, curve: curve, timeout: .seconds(120))
  }

  @Test("A probe with an allowlisted key connects, and an unknown key is refused")
  func keys() async throws {
    let (mine, other) = (try KeyPair.random(), try KeyPair.random())
    let keys = try TestKeys(mine)
    let server = try TestServer(ledger, curve: keys.curve, logger: log.logger)
    defer { server.reactor.stop() }
    #expect(try await probe(server.endpoint, keys.client(mine)) == .answered(site: nil))
    let refused = try await probe(server.endpoint, keys.client(other))
    #expect(refused == .refused(reason: "key not on its allowlist: add the key and reload"))
  }

  @Test("A probe with a wrong server key or without keys names the mismatch")
  func mismatches() async throws {
    let mine = try KeyPair.random()
    let keys = try TestKeys(mine)
    let server = try TestServer(ledger, curve: keys.curve, logger: log.logger)
    defer { server.reactor.stop() }
    let wrong = try await probe(server.endpoint, CurveClient(keys: mine, server: mine.publicKey))
    guard case .refused(let reason) = wrong else {
      Issue.record("\(wrong)")
      return
    }
    #expect(reason.contains("wrong server key"))
    guard case .refused(let plain) = try await probe(server.endpoint, nil) else {
      Issue.record("A client without keys connects.")
      return
    }
    #expect(plain.contains("keys (CURVE)"))
  }

  @Test("A probe without keys connects to a link without keys")
  func plaintext() async throws {
    let server = try TestServer(ledger, logger: log.logger)
    defer { server.reactor.stop() }
    #expect(try await probe(server.endpoint, nil) == .answered(site: nil))
  }

  @Test("A probe recognizes each link by its answer, and the gateway link has the site")
  func answers() async throws {
    let changes = try TestChangeServer(.sample(1...3))
    defer { changes.reactor.stop() }
    let feed = try TestFeed(pulling: changes.endpoint)
    defer { feed.reactor.stop() }
    let gateway = try Endpoint.lastingPort()
    let ingest = try TestGatewayServer(generation: 1).start(gateway)
    defer { ingest.stop() }
    #expect(try await probe(changes.endpoint, nil, as: .changes) == .answered(site: nil))
    #expect(try await probe(feed.endpoint, nil, as: .feed) == .answered(site: nil))
    #expect(try await probe(gateway, nil, as: .gateway) == .answered(site: .sample))
  }

  @Test("A probe does not take one link of ingest for another")
  func otherLinks() async throws {
    let server = try TestServer(ledger, logger: log.logger)
    defer { server.reactor.stop() }
    let changes = try TestChangeServer(.sample(1...3))
    defer { changes.reactor.stop() }
    #expect(try await probe(server.endpoint, nil, as: .gateway) == .otherLink)
    #expect(try await probe(changes.endpoint, nil, as: .gateway) == .otherLink)
    #expect(try await probe(changes.endpoint, nil, as: .jobs) == .otherLink)
  }

  @Test("A link whose other end accepts the connection and hangs is unanswered")
  func unanswered() async throws {
    let server = try TestServer(ledger, isMute: Shared(true), logger: log.logger)
    defer { server.reactor.stop() }
    // On a busy machine, even the handshake may take longer than a short timeout.
    var outcome = LinkProbe.Outcome.silent
    for ms in [200, 2_000, 20_000, 120_000] where outcome == .silent {
      outcome = try await LinkProbe.connect(server.endpoint, as: .jobs, curve: nil, timeout: .milliseconds(ms))
    }
    #expect(outcome == .unanswered)
  }

  @Test("An address without a listener is silent after the timeout")
  func silent() async throws {
    let outcome = try await LinkProbe.connect(
      try Endpoint("ipc:///nowhere/\(UUID().uuidString)"), as: .jobs, curve: nil, timeout: .milliseconds(50))
    #expect(outcome == .silent)
  }

  @Test("A bound address is in use, and the name of no interface is unusable")
  func bindings() throws {
    let server = try TestServer(ledger, logger: log.logger)
    #expect(try LinkProbe.bind(server.endpoint) == .inUse)
    server.reactor.stop()
    #expect(try LinkProbe.bind(Endpoint("tcp://127.0.0.1:*")) == .free)
    guard case .unusable = try LinkProbe.bind(Endpoint("tcp://nowhere:7701")) else {
      Issue.record("An unknown interface can be bound.")
      return
    }
  }

  @Test("libzmq reports its version and its capabilities")
  func library() {
    #expect(ZeroMQLibrary.version.hasPrefix("4."))
    #expect(ZeroMQLibrary.has("curve") && !ZeroMQLibrary.has("nothing"))
  }
}
