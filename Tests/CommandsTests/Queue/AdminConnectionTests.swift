import Messaging
import Testing

@testable import Commands

@Suite("Admin connection")
struct AdminConnectionTests {
  @Test("A missing socket names the address, the data folder and the leader's host")
  func missing() throws {
    let endpoint = try Endpoint("ipc:///nowhere/admin.sock")
    #expect {
      _ = try AdminConnection(endpoint)
    } throws: { error in
      "\(error)".contains("no ingest is listening at /nowhere/admin.sock. Start it, or set its data folder")
        && "\(error)".contains("If this host's ingest is a standby, run the command on the leader's host.")
    }
  }
}
