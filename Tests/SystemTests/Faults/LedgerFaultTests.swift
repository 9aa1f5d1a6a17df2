import Foundation
import Testing

/// Tests of the ledger. It must detect each kind of fault, or a trial without a fault proves nothing.
@Suite("Faults: ledger", .fixture)
struct LedgerFaultTests {
  /// Stores and settles twenty posts in a database that no program has open afterwards.
  private func settled() async throws -> Ledger {
    let map = try await SystemFixture.current.up()
    let client = try await map.client.signedUp()
    let ledger = Ledger()
    for _ in 0..<20 {
      let (number, sent) = ledger.next()
      let response = try await client.post(sent.place, link: sent.link, key: sent.key, wait: 30)
      ledger.accept(number, id: try #require(response["id"]))
    }
    map.ingest.signal(SIGTERM)
    #expect(try await map.ingest.exit() == 0)
    return ledger
  }

  private func verdict(_ ledger: Ledger) throws -> [Ledger.Class: Int] {
    ledger.classify(try Ledger.posts(in: Trial.data)).counts
  }

  @Test("The ledger detects each kind of damage to stored posts", .enabled(if: SQL.isAvailable))
  func controls() async throws {
    let ledger = try await settled()
    let database = SQL(Trial.data + "/onthemap.sqlite")
    let path = Trial.data + "/onthemap.sqlite"
    #expect(try verdict(ledger) == [.ok: 20])
    #expect(try Ledger.violations(in: Trial.data) == [])
    let whole = try Data(contentsOf: URL(fileURLWithPath: path))
    func control(_ statement: String, _ expected: [Ledger.Class: Int]) throws {
      try database.run("PRAGMA foreign_keys = OFF")
      try database.run(statement)
      #expect(try verdict(ledger) == expected, "\(statement)")
      #expect(expected.keys.contains { $0.isFault })
      try whole.write(to: URL(fileURLWithPath: path))
    }
    let first = "(SELECT min(id) FROM post)"
    try control("DELETE FROM post WHERE id = \(first)", [.ok: 19, .lost: 1])
    let columns = "account, place, link, state, lat_e7, lon_e7, label, created_ms, updated_ms"
    try control(
      "INSERT INTO post (id, \(columns)) SELECT id - 1, \(columns) FROM post WHERE id = \(first)",
      [.ok: 19, .duplicated: 1])
    try control("UPDATE post SET place = 'Elsewhere' WHERE id = \(first)", [.ok: 19, .mangled: 1])
    try control("UPDATE post SET id = id - 1 WHERE id = \(first)", [.ok: 19, .mangled: 1])
    try control(
      "INSERT INTO post (id, \(columns)) SELECT id - 1, \(columns.replacingOccurrences(of: "link", with: "'x'")) "
        + "FROM post WHERE id = \(first)", [.ok: 20, .phantom: 1])
    #expect(try verdict(ledger) == [.ok: 20])

    // The invariants of the tables.
    try database.run("UPDATE post SET seq = NULL WHERE id = \(first)")
    #expect(try Ledger.violations(in: Trial.data).count == 1)
  }

  @Test(
    "The ledger detects a false acceptance, a stored refusal and a second publication", .enabled(if: SQL.isAvailable))
  func responses() async throws {
    let ledger = try await settled()
    // One post that no service has accepted.
    ledger.accept(ledger.next().number, id: "0000000001")
    #expect(try verdict(ledger) == [.ok: 20, .lost: 1])
    // One post without a response and one refused post, both correctly not stored.
    ledger.markUnknown(ledger.next().number)
    ledger.refuse(ledger.next().number)
    #expect(try verdict(ledger) == [.ok: 20, .lost: 1, .unknownAbsent: 1, .refused: 1])
    // One stored post that was refused, and one stored post that got no response.
    let (refused, unknown) = (ledger.next(), ledger.next())
    ledger.refuse(refused.number)
    ledger.markUnknown(unknown.number)
    for (index, post) in [refused, unknown].enumerated() {
      try SQL(Trial.data + "/onthemap.sqlite").run(
        """
        INSERT INTO post (id, account, place, link, state, created_ms, updated_ms)
        VALUES (\(index + 1), 1, '\(post.sent.place)', '\(post.sent.link)', 0, 1, 1)
        """)
    }
    let counts = try verdict(ledger)
    #expect(counts[.refusedPresent] == 1 && counts[.unknownPresent] == 1)
    // One post that is published under two sequence numbers.
    let found = try Ledger.posts(in: Trial.data)
    let post = try #require(found.first { $0.seq != nil })
    for seq in [post.seq ?? 0, 999] {
      ledger.publish(
        FeedList.Entry(
          id: post.id, seq: seq, firstName: "", place: "", label: "", link: "", latitude: 0, longitude: 0))
    }
    #expect(try verdict(ledger)[.duplicated] == 1)
  }
}
