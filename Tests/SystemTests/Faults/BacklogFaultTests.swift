import Foundation
import Testing

@Suite("Faults: large backlog", .fixture, .serialized)
struct BacklogFaultTests {
  /// The maximum time from the start to the ready line. Only full runs check it. Debug builds get three times as long.
  private static let readyWithin = Program.binary.path.contains("release") ? Duration.seconds(2) : .seconds(6)

  @Test("Ingest with 100,000 queued posts is ready soon after kill -9", .enabled(if: SQL.isAvailable))
  func ready() async throws {
    let map = try await SystemFixture.current.roles(workers: 0)
    let client = try await map.client.signedUp()
    try await map.ingest.kill()
    try SQL(Trial.data + "/onthemap.sqlite").run(
      """
      WITH RECURSIVE number(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < 99000)
      INSERT INTO post (id, account, place, link, state, created_ms, updated_ms)
      SELECT n, (SELECT id FROM account), 'Oslo', 'https://example.org/' || n, 0, 1, 1 FROM number
      """)
    try await map.ingest.startAndWait()
    let producer = Producer(try map.submit, token: client.token)
    for batch in 0..<10 {
      let drafts = (0..<100).map { Draft(key: "\(batch)-\($0)") }
      #expect(try await producer.submit(drafts).receipts.allSatisfy { $0.outcome == .accepted })
    }
    var (slowest, ticks) = (Duration.zero, 0)
    for _ in 0..<3 {
      try await map.ingest.kill()
      let begun = ContinuousClock.now
      try await map.ingest.startAndWait()
      ticks = max(ticks, try map.ingest.cpuTicks)
      slowest = max(slowest, begun.duration(to: .now))
    }
    let build = Program.binary.path.contains("release") ? "release" : "debug"
    Fault.printLine("ready \(slowest) after kill -9 with 100,000 queued posts (\(build), slowest of 3)")
    #expect(ticks < 600, "\(ticks) hundredths of a second of CPU time")
    if Fault.isFull { #expect(slowest < Self.readyWithin) }
    #expect(map.ingest.standardError.contains("count=100000"))
  }
}
