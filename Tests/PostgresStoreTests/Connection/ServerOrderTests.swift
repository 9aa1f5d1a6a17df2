import Testing

@testable import PostgresStore

@Suite("Order of servers")
struct ServerOrderTests {
  enum Event: Sendable {
    case leads(String)
    /// A server that does not confirm a commit in time.
    case fails(String)
  }

  struct Row: Sendable {
    let events: [Event]
    let writes: String
    let reads: String

    init(_ events: [Event], writes: String, reads: String) {
      (self.events, self.writes, self.reads) = (events, writes, reads)
    }
  }

  @Test(
    "Sessions try the leader's server first and failed servers last, and reads skip servers that the leader has left",
    arguments: [
      Row([], writes: "abc", reads: "abc"),
      Row([.leads("b")], writes: "bac", reads: "bac"),
      // A former primary is cut off, and another server is promoted.
      Row([.leads("a"), .fails("a")], writes: "bca", reads: "abc"),
      Row([.leads("a"), .fails("a"), .leads("b")], writes: "bca", reads: "bc"),
      // The promoted server has a slow commit: reads go on there.
      Row([.leads("a"), .fails("a"), .leads("b"), .fails("b")], writes: "cab", reads: "bc"),
      // No server confirms, so the order rotates.
      Row([.leads("a"), .fails("a"), .fails("b")], writes: "cab", reads: "acb"),
      Row([.leads("a"), .fails("a"), .fails("b"), .fails("a")], writes: "cba", reads: "acb"),
      // One slow commit without a failover.
      Row([.leads("a"), .fails("a"), .leads("a")], writes: "abc", reads: "abc"),
      // A switchover, and the way back.
      Row([.leads("a"), .leads("b")], writes: "bca", reads: "bc"),
      Row([.leads("a"), .leads("b"), .leads("a")], writes: "acb", reads: "ac"),
      // A standby ingest, whose takeover the first server did not confirm.
      Row([.fails("a")], writes: "bca", reads: "bca"),
    ])
  func order(row: Row) throws {
    let hosts = try PostgresAddress("postgresql://a,b,c/onthemap", passwordFile: nil).hosts
    var order = ServerOrder()
    for event in row.events {
      switch event {
      case .leads(let name): order.lead(on: try #require(hosts.first { $0.name == name }))
      case .fails(let name): order.moveLast(try #require(hosts.first { $0.name == name }))
      }
    }
    #expect(order.forWrites(hosts).map(\.name).joined() == row.writes)
    #expect(order.forReads(hosts).map(\.name).joined() == row.reads)
  }
}
