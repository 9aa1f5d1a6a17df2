import ArgumentParser
import Domain
import Ingest
import Messaging
import Testing

@testable import Commands

@Suite("Listening addresses")
struct ListeningAddressTests {
  @Test(
    "Two addresses collide if only one of them can be bound",
    arguments: [
      ("tcp://127.0.0.1:1", "tcp://127.0.0.1:1", true), ("tcp://127.0.0.1:1", "tcp://127.0.0.1:2", false),
      ("tcp://10.0.0.1:1", "tcp://127.0.0.1:1", false), ("tcp://*:1", "tcp://127.0.0.1:1", true),
      ("tcp://0.0.0.0:1", "tcp://localhost:1", true), ("tcp://localhost:1", "tcp://127.0.0.1:1", true),
      ("tcp://[::]:1", "tcp://127.0.0.1:1", true), ("tcp://0.0.0.0:1", "tcp://[::1]:1", false),
      ("tcp://127.0.0.1:*", "tcp://127.0.0.1:*", false), ("tcp://*:0", "tcp://127.0.0.1:1", false),
      ("ipc:///run/x", "ipc:///run/x", true), ("ipc:///run/x", "ipc:///run/y", false),
      ("ipc:///run/x", "tcp://127.0.0.1:1", false),
    ])
  func collisions(one: String, other: String, collide: Bool) throws {
    let (one, other) = (ListeningAddress(.jobs, try Endpoint(one)), ListeningAddress(.changes, try Endpoint(other)))
    #expect(one.collides(with: other) == collide && other.collides(with: one) == collide)
  }

  @Test("An HTTP address collides with a link at its port, and a free port never does")
  func http() throws {
    let link = ListeningAddress(.jobs, try Endpoint("tcp://127.0.0.1:8080"))
    #expect(ListeningAddress(.http, host: "0.0.0.0", port: 8_080).collides(with: link))
    #expect(!ListeningAddress(.http, host: "::1", port: 8_080).collides(with: link))
    #expect(!ListeningAddress(.http, host: "127.0.0.1", port: 0).collides(with: link))
  }

  /// Returns the error of a command with these options. Nil if the settings are valid.
  private func error(_ command: (some ServiceCommand).Type, _ options: String...) async throws -> String? {
    do { _ = try await command.parse(options + ["--operations", "none"]).prepare() } catch let error as SettingError {
      return error.description
    }
    return nil
  }

  @Test("A service refuses two settings with one address, and names both")
  func refused() async throws {
    let jobs = try await error(IngestCommand.self, "--jobs", "tcp://127.0.0.1:7702")
    #expect(
      jobs == "--jobs (ONTHEMAP_JOBS) and --changes (ONTHEMAP_CHANGES) must be different addresses, "
        + "not tcp://127.0.0.1:7702 and tcp://127.0.0.1:7702.")
    let http = try await error(IngestCommand.self, "--http", "127.0.0.1:7701")
    #expect(http?.contains("not 127.0.0.1:7701 and tcp://127.0.0.1:7701") == true)
    // The default address of queries is the port after that of snapshots.
    let query = try await error(FeedCommand.self, "--publish", "tcp://127.0.0.1:5000", "--http", "127.0.0.1:5001")
    #expect(query?.contains("--query (ONTHEMAP_QUERY)") == true)
    #expect(try await error(FeedCommand.self, "--publish", "tcp://127.0.0.1:5000", "--http", "127.0.0.1:5002") == nil)
  }

  @Test("A chosen address for operators must differ too, and the default one is only a preference")
  func operations() async throws {
    let settings = try await Settings(CommonOptions.parse([]))
    let keys = try LinkKeys(settings, keyFile: nil)
    var configuration = GatewayConfiguration(ingest: [], host: "127.0.0.1", port: 9_467)
    configuration.passwordHashesMax = 0
    let plan = ServicePlan(gateway: configuration, operations: ("127.0.0.1", 9_467), keys: keys)
    _ = try settings.address(.gatewayOperations, flag: nil)
    try plan.checkListeningAddresses(settings)
    let chosen = try await Settings(CommonOptions.parse([]))
    _ = try chosen.address(.gatewayOperations, flag: "127.0.0.1:9467")
    let error = #expect(throws: SettingError.self) { try plan.checkListeningAddresses(chosen) }
    #expect(error?.description.contains("--operations (ONTHEMAP_GATEWAY_OPERATIONS) must be different") == true)
  }

  @Test("An HTTP address has no scheme", arguments: ["tcp://127.0.0.1:8095", "http://127.0.0.1:8095", "127.0.0.1/x:1"])
  func scheme(text: String) async throws {
    let settings = try await Settings(CommonOptions.parse([]))
    let error = #expect(throws: SettingError.self) { try settings.address(.gatewayHTTP, flag: text) }
    #expect(error?.description.contains("HOST:PORT such as 127.0.0.1:8090") == true)
  }
}
