import Foundation
import Testing

@Suite("Submission link", .fixture, .sharedServices)
struct SubmitTests {
  private func producer(_ map: Services, _ client: Client) throws -> Producer {
    Producer(try map.submit, token: client.token)
  }

  @Test("A batch is accepted, published and found by its ids, and a repeated one is replayed")
  func life() async throws {
    let map = SystemFixture.shared
    let client = try await map.client.signedUp(as: "producer-1@example.org")
    let producer = try producer(map, client)
    let drafts = [Draft(key: "a", place: "Oslo"), Draft(key: "b", place: "Qwxzzzk Vbbnkl"), Draft(key: "c")]
    let receipts = try await producer.submit(drafts).receipts
    #expect(receipts.map(\.outcome) == [.accepted, .accepted, .accepted])
    let ids = receipts.map(\.id)
    try await eventually("all posts are settled") {
      try await producer.statuses(of: ids).statuses.allSatisfy { $0.state != 1 }
    }
    let statuses = try await producer.statuses(of: ids + ["zzzzzzzzzz"]).statuses
    #expect(statuses.map(\.id) == ids + ["zzzzzzzzzz"] && statuses.map(\.state) == [2, 3, 2, 5])
    #expect(statuses[0].label == "Oslo, Norway" && statuses[1].code == "place_not_found")
    let again = try await producer.submit(drafts + [Draft(key: "d")]).receipts
    #expect(again.map(\.outcome) == [.replayed, .replayed, .replayed, .accepted])
    #expect(Array(again.map(\.id).prefix(3)) == ids)
    #expect(try await client.posts().map(\.id) == ids + [again[3].id])
  }

  @Test("HTTP and ZeroMQ share idempotency keys")
  func bothWays() async throws {
    let map = SystemFixture.shared
    let client = try await map.client.signedUp(as: "producer-2@example.org")
    let producer = try producer(map, client)
    let posted = try await client.post("Oslo", key: "http", wait: 30)
    let sent = try await producer.submit([
      Draft(key: "http"), Draft(key: "http", place: "Lima"), Draft(key: "zmq", latitudeE7: 0, longitudeE7: -5),
    ]).receipts
    #expect(sent[0].outcome == .replayed && sent[0].id == posted["id"])
    #expect(sent[1].outcome == .refused && sent[1].code == "idempotency_key_reused")
    let body = JSON.object([
      "place": "Oslo", "link": "https://example.org/ada", "latitude": 0, "longitude": -0.000_000_5,
    ])
    let again = try await client.send("POST", "/v2/posts", body: body, headers: ["Idempotency-Key": "zmq"])
    #expect(again["id"] == sent[2].id && again.headers["idempotency-replayed"] == "true")
  }

  @Test("ZeroMQ refuses the same posts as HTTP, with the same code, field and detail, and accepts the rest of a batch")
  func refusals() async throws {
    let map = SystemFixture.shared
    let client = try await map.client.signedUp(as: "producer-3@example.org")
    let producer = try producer(map, client)
    func text(_ count: Int, _ unit: String = "a") -> String { String(repeating: unit, count: count) }
    var drafts = ["", "   ", text(257), text(129, "é"), "Os\u{0}lo", "Os\nlo", "Os\u{202E}lo", "\u{200B}Oslo"]
      .map { Draft(key: "k", place: $0) }
    drafts += [
      "", "   ", "https://example.org/" + text(2_029), "javascript:alert(1)", "ftp://example.org", "//example.org",
      "localhost", "https://me:secret@example.org", "https://example.org:0", "https://exa mple.org",
      "https://example.org/<script>", "mailto:a@b.c", "https://-a.org",
    ].map { Draft(key: "k", link: $0) }
    drafts += [(1, nil), (nil, 1), (900_000_001, 0), (-900_000_001, 0), (0, 1_800_000_001), (0, .min), (.max, .max)]
      .map { Draft(key: "k", latitudeE7: $0, longitudeE7: $1) }
    drafts += ["", text(256)].map { Draft(key: $0) }
    let good = [Draft(key: "first"), Draft(key: "last", latitudeE7: 900_000_000, longitudeE7: -1_800_000_000)]
    let receipts = try await producer.submit([good[0]] + drafts + [good[1]]).receipts
    try #require(receipts.count == drafts.count + 2)
    #expect(receipts.first?.outcome == .accepted && receipts.last?.outcome == .accepted)
    for (draft, receipt) in zip(drafts, receipts.dropFirst()) {
      var members: [String: Any] = ["place": draft.place, "link": draft.link]
      if let latitude = draft.latitudeE7 { members["latitude"] = Double(latitude) / 1e7 }
      if let longitude = draft.longitudeE7 { members["longitude"] = Double(longitude) / 1e7 }
      let response = try await client.send(
        "POST", "/v2/posts", body: JSON.object(members), headers: ["Idempotency-Key": draft.key])
      let name: Comment = "\(draft.place.prefix(20)) \(draft.link.prefix(40)) \(draft.key.count)"
      #expect((400..<500).contains(response.status), name)
      #expect(receipt.outcome == .refused && receipt.code == response["code"], name)
      #expect(receipt.detail == response["detail"] && receipt.field == response["field"] ?? "", name)
    }
    let beyond = zip(drafts, receipts.dropFirst()).first { $0.0.longitudeE7 == 1_800_000_001 }?.1
    #expect(beyond?.code == "invalid_longitude" && beyond?.field == "longitude")
    #expect(try await client.posts().map(\.id) == [receipts[0].id, try #require(receipts.last).id])
  }

  @Test("Posts and batches at the limits are accepted")
  func edges() async throws {
    let map = SystemFixture.shared
    let client = try await map.client.signedUp(as: "producer-4@example.org")
    func text(_ count: Int, _ unit: String = "a") -> String { String(repeating: unit, count: count) }
    let edges = [
      Draft(key: "1", place: text(256)), Draft(key: "2", place: text(128, "é")), Draft(key: text(255)),
      Draft(key: "4", link: "https://example.org/" + text(2_028)), Draft(key: "5", place: "  Oslo  "),
    ]
    let producer = try producer(map, client)
    #expect(try await producer.submit(edges).receipts.allSatisfy { $0.outcome == .accepted })
    let most = (0..<256).map { Draft(key: "most \($0)") }
    #expect(try await producer.submit(most).receipts.filter { $0.outcome == .accepted }.count == 256)
    let outOfRange: UInt64 = 5
    #expect(try await producer.submit(most + [Draft(key: "more")]).error == outOfRange)
    #expect(try await producer.submit([]).error == outOfRange)
    #expect(try await client.posts().count == 5 + 256)
  }

  @Test("Submitting needs a live session")
  func sessions() async throws {
    let map = SystemFixture.shared
    let client = try await map.client.signedUp(as: "producer-5@example.org")
    let unauthorized: UInt64 = 4
    for token in [nil, "", "x", String(repeating: "A", count: 43)] {
      let stranger = Producer(try map.submit, token: token)
      #expect(try await stranger.submit([Draft(key: "k")]).error == unauthorized)
    }
    let producer = try producer(map, client)
    #expect(try await producer.submit([Draft(key: "k")]).receipts.first?.outcome == .accepted)
    #expect(try await client.send("DELETE", "/v2/session").status < 300)
    var number = 0
    try await eventually("the producer is refused") {
      number += 1
      return try await producer.submit([Draft(key: "after \(number)")]).error == unauthorized
    }
  }

  @Test("Another account's posts are invisible until they are published")
  func privacy() async throws {
    let map = try await SystemFixture.current.roles(workers: 0)
    let (ada, bob) = (try await map.client.signedUp(), try await map.client.signedUp(as: "bob@example.org"))
    let (adas, bobs) = (try producer(map, ada), try producer(map, bob))
    let ids = try await adas.submit([Draft(key: "a"), Draft(key: "b", place: "Qwxzzzk Vbbnkl")]).receipts.map(\.id)
    #expect(try await adas.statuses(of: ids).statuses.map(\.state) == [1, 1])
    #expect(try await bobs.statuses(of: ids).statuses.map(\.state) == [5, 5])
    _ = try await SystemFixture.current.worker(of: map)
    try await eventually("both posts are settled") { try await adas.statuses(of: ids).statuses.map(\.state) == [2, 3] }
    #expect(try await bobs.statuses(of: ids).statuses.map(\.state) == [2, 5])
  }

  @Test("Every accepted batch survives a kill -9 right after its reply")
  func rightBehind() async throws {
    let map = try await SystemFixture.current.roles(workers: 0)
    let client = try await map.client.signedUp()
    let producer = try producer(map, client)
    var accepted: [String] = []
    for round in 1...20 {
      let drafts = (0..<64).map { Draft(key: "\(round)-\($0)") }
      let receipts = try await producer.submit(drafts, resendingEvery: .milliseconds(200)).receipts
      try await map.ingest.kill()
      #expect(receipts.count == 64 && receipts.allSatisfy { $0.outcome == .accepted || $0.outcome == .replayed })
      accepted += receipts.map(\.id)
      try await map.ingest.startAndWait()
      #expect(try await client.posts().map(\.id) == accepted, "round \(round)")
    }
    _ = try await SystemFixture.current.worker(of: map)
    try await eventually("all posts are published") { try await client.list().seq == 20 * 64 }
    #expect(Set(try await client.posts().compactMap(\.seq)).count == 20 * 64)
  }

  @Test("A load over ZeroMQ loses and duplicates no post while each role is killed")
  func load() async throws {
    let map = try await SystemFixture.current.roles(workers: 1)
    let program = try SystemFixture.current.program([
      "load", "--server", try map.client.base, "--feed", try map.publish, "--submit", try map.submit, "--rate", "300",
      "--duration", "6", "--batch", "32", "--json",
    ])
    try program.start()
    let feed = try #require(map.feed)
    for (seq, victim) in [(100, map.ingest), (600, map.workers[0]), (900, feed)] as [(UInt64, Program)] {
      try await eventually("\(seq) posts are published") {
        try await map.client.list().seq >= seq
      }
      try await victim.restart()
    }
    let figures = try await Load(program: program).figures(within: .seconds(180))
    #expect(figures.accepted == 1_800 && figures.published + figures.queued <= 1_800)
    #expect(figures.lost == 0 && figures.duplicated == 0 && figures.queued == 0 && figures.listEqual)
  }
}
