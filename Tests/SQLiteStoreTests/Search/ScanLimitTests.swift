import Foundation
import GRDB
import Store
import StoreTesting
import Testing

@testable import Domain
@testable import SQLiteStore

@Suite("Scan limits")
struct ScanLimitTests {
  private let folder = Folder()

  private func condition(_ text: String) throws -> ListCondition {
    try ListCondition(try JSONDecoder().decode(JSONValue.self, from: Data(text.utf8)))
  }

  @Test("A search page scans at most 5,000 posts, and an empty page returns the next position too")
  func scan() async throws {
    let database = try folder.open()
    let account = try await database.addAccount()
    let first = try await database.accepted("needle", by: account).id
    try await database.settled([(first, .verdict(.at(1)))])
    let hay = Limits.searchScanMax
    try await folder.outside(readonly: false).write { db in
      try db.execute(
        sql: """
          WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
          INSERT INTO post
            (id, account, place, link, state, lat_e7, lon_e7, label, country, seq, created_ms, updated_ms)
            SELECT ? + i, ?, 'hay', '', 1, 1, 1, '', '', 1 + i, 1, 1 FROM n
          """, arguments: [hay, Int64(first.rawValue), account.rawValue])
    }
    let needle = PostFilter(text: "NEEDLE")
    let page = try await database.published(needle, below: nil, limit: 10)
    #expect(page.entries.isEmpty && page.next == 2)
    let next = try await database.published(needle, below: page.next, limit: 10)
    #expect(next.entries.map(\.id) == [first] && next.next == nil)
    let all = try await database.published(PostFilter(), below: nil, limit: hay)
    #expect(all.entries.count == hay && all.next == 2)
    #expect(try await database.published(PostFilter(), below: 1, limit: 1).entries.isEmpty)
  }

  @Test("A listing by condition scans at most the latest 100,000 posts")
  func conditions() async throws {
    let database = try folder.open()
    let account = try await database.addAccount()
    let first = try await database.accepted("needle", by: account).id
    let second = try await database.accepted("needle", by: account).id
    try await database.settled([(first, .verdict(.at(1))), (second, .verdict(.at(1)))])
    try await folder.outside(readonly: false).write { db in
      try db.execute(
        sql: """
          WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
          INSERT INTO post
            (id, account, place, link, state, lat_e7, lon_e7, label, country, seq, created_ms, updated_ms)
            SELECT ? + i, ?, 'hay', '', 1, 1, 1, '', '', 2 + i, 1, 1 FROM n
          """, arguments: [Limits.whereScanMax - 1, Int64(second.rawValue), account.rawValue])
    }
    for text in ["{\"mapString\":\"needle\"}", "{\"mapString\":\"needle\",\"uniqueKey\":\"\(account.rawValue)\"}"] {
      #expect(try await database.listed(ListQuery(condition: try condition(text))).map(\.entry.id) == [second])
    }
    #expect(try await database.listed(ListQuery(skip: Limits.whereScanMax)).map(\.entry.id) == [first])
  }
}
