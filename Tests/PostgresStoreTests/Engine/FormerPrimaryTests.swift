import Domain
import PostgresServer
import Store
import StoreTesting
import Testing

@testable import PostgresStore

/// A primary that is alive and accepts writes after its standby server has been promoted.
@Suite("Former primaries that are alive", .timeLimit(.minutes(3)))
struct FormerPrimaryTests {
  /// A primary whose commits wait for its standby server. Both are in the address, the primary first.
  private final class Servers: Sendable {
    let former: TestDatabase
    let address: PostgresAddress
    private let standby: PostgresServer

    init() throws {
      let primary = try PostgresServer(settings: ["synchronous_standby_names": "ANY 1 (a,b)"])
      standby = try primary.makeStandby(name: "b")
      former = try TestDatabase(on: primary)
      address = try PostgresAddress(
        "postgresql://onthemap@127.0.0.1:\(primary.port),127.0.0.1:\(standby.port)/\(former.name)", passwordFile: nil)
    }

    deinit {
      standby.stop()
      former.server.stop()
    }

    /// Cuts the primary off from its standby server.
    func cutOff() throws { try standby.stopReceiving() }

    /// Promotes the standby server, which then waits for no other one.
    func promote() throws {
      try standby.configure(["synchronous_standby_names": ""])
      try standby.promote()
    }

    /// Runs statements on the promoted server.
    func sql(_ text: String) throws -> String { try standby.sql(text, in: former.name) }
  }

  @Test("A write that waits for a cut-off primary completes on the promoted server, and beat and reads follow it")
  func moved() async throws {
    let servers = try Servers()
    let store = try PostgresDatabase(servers.address, logger: servers.former.logger)
    defer { store.close() }
    let account = try await store.addAccount()
    let earlier = try await store.published(2, by: account)
    let list = try store.feed()
    try servers.cutOff()
    async let accepted = store.accepted(by: account).id
    try await servers.former.wait(until: "SELECT count(*) > 0 FROM pg_stat_activity WHERE wait_event = 'SyncRep'")
    try servers.promote()
    let id = try await accepted
    #expect(id > earlier[1])
    #expect(try await store.settled([(id, .verdict(.at(3)))]).map(\.seq) == [list.seq + 1])
    #expect(try store.feed().epoch == list.epoch && store.feed().entries.first?.id == id)
    #expect(try await store.posts([id]).count == 1)
    #expect(try servers.sql("SELECT count(*) FROM post") == "3")
    #expect(try servers.former.sql("SELECT count(*) FROM post") == "2", "The former primary confirms nothing.")
    let beat = "SELECT beat FROM leader_beat"
    let before = try servers.sql(beat)
    let deadline = ContinuousClock.now + .seconds(60)
    while try servers.sql(beat) == before, ContinuousClock.now < deadline {
      try await Task.sleep(for: .milliseconds(50))
    }
    #expect(try servers.sql(beat) != before, "The beat must follow the writer.")
    #expect(store.stopReason == nil)
  }

  @Test("A start that meets a cut-off former primary first leads on the promoted server, and continues the ids")
  func start() async throws {
    let servers = try Servers()
    let earlier = try PostgresDatabase(servers.address, logger: servers.former.logger)
    let account = try await earlier.addAccount()
    let posts = try await earlier.published(1, by: account)
    earlier.close()
    try servers.cutOff()
    try servers.promote()
    let store = try await PostgresDatabase.lead(servers.address, logger: servers.former.logger)
    defer { store.close() }
    #expect(store.generation == earlier.generation + 1)
    #expect(try await store.accepted(by: account).id > posts[0])
    #expect(try servers.sql("SELECT term FROM leader") == "\(store.generation)")
    #expect(try servers.sql("SELECT count(*) FROM post") == "2")
    #expect(try servers.former.sql("SELECT count(*) FROM post") == "1", "The former primary confirms nothing.")
  }
}
