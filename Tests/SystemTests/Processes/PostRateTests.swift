import Foundation
import Testing

@Suite("Rate limit of posts", .fixture)
struct PostRateTests {
  /// A count of the accepted posts and edits of an account.
  private struct Tally {
    private let perMinute: Int
    private let start = ContinuousClock.now
    private var accepted = 0

    init(perMinute: Int) { self.perMinute = perMinute }

    /// Expects ingest to have accepted at most the burst and the posts that the elapsed time allows.
    mutating func add(_ count: Int = 1) throws {
      accepted += count
      let interval = Duration.seconds(60) / perMinute
      let (total, most) = (accepted, perMinute + Int((ContinuousClock.now - start) / interval))
      try #require(total <= most)
    }

    /// Repeats a request until its response is 429: on a slow machine the elapsed time may allow one more post.
    mutating func refused(_ send: () async throws -> APIResponse) async throws -> APIResponse {
      let end = ContinuousClock.now + .seconds(120)
      repeat {
        let response = try await send()
        if response.status == 429 { return response }
        if (200..<300).contains(response.status) { try add() }
      } while ContinuousClock.now < end
      throw TimeoutError(description: "no post was refused within two minutes")
    }

    /// Submits posts over ZeroMQ until one is refused.
    mutating func refused(by producer: Producer) async throws -> (draft: Draft, receipt: Receipt) {
      let end = ContinuousClock.now + .seconds(120)
      repeat {
        let draft = Draft(key: "\(UUID())")
        // Send only once: ingest might accept a repeated request after it refused the first.
        let receipt = try #require(try await producer.submit([draft], resendingEvery: .seconds(120)).receipts.first)
        if receipt.outcome == .busy { return (draft, receipt) }
        #expect(receipt.outcome == .accepted)
        try add()
      } while ContinuousClock.now < end
      throw TimeoutError(description: "no post was refused over ZeroMQ within two minutes")
    }
  }

  @Test("The rate limit counts posts and edits of every API for each account")
  func limited() async throws {
    let map = try await SystemFixture.current.up("--posts-per-minute", "4")
    let client = try await map.client.signedUp()
    var tally = Tally(perMinute: 4)
    let post = try await client.post("Oslo", key: "first", wait: 30)
    #expect(post.status == 200)
    let id = try #require(post["id"])
    #expect(
      try await client.post("Oslo", key: "first").headers["idempotency-replayed"] == "true", "A replay must not count.")
    #expect(try await client.edit(id, "Lima").status == 200)
    try tally.add(2)
    for _ in 0..<3 {
      let refused = try await client.edit(id, "Qwxzzzk Vbbnkl")
      #expect(refused.status == 422, "A failed edit must not count: \(refused)")
    }
    // Two posts remain, and one more for each 15 s that have passed.
    let lines = (0..<3).map { #"{"place":"Bonn","link":"example.org/\#($0)"}"# }.joined(separator: "\n")
    let bulk = try await client.send("POST", "/v2/posts/bulk", body: lines)
    let responses = String(decoding: bulk.body, as: UTF8.self).split(separator: "\n")
    let accepted = responses.prefix { $0.contains("202") }.count
    try tally.add(accepted)
    #expect(bulk.status == 200 && responses.count == 3 && accepted >= 2)
    #expect(responses.dropFirst(accepted).allSatisfy { $0.contains("too_many_posts") && $0.contains("429") })

    let late = try await tally.refused { try await client.post("Rome") }
    #expect(late["code"] == "too_many_posts")
    #expect(
      try await client.post("Oslo", key: "first").headers["idempotency-replayed"] == "true",
      "A replay must not be refused.")
    let rome = JSON.object(["mapString": "Rome", "mediaURL": "https://example.org"])
    let compat = try await tally.refused { try await client.send("POST", "/v1/StudentLocation", body: rome) }
    #expect(compat.isParseError(429, 155) && compat.headers["retry-after"] != nil, "\(compat)")
    _ = try await tally.refused { try await client.edit(id, "Bonn", link: "https://example.org/\(UUID())") }
    let busy = try await tally.refused(by: Producer(try map.submit, token: client.token)).receipt
    #expect(busy.code == "too_many_posts")

    let bob = try await map.client.signedUp(as: "bob@example.org")
    #expect(try await bob.post("Rome").status == 202)
  }

  @Test("A refused post is accepted under its key after the named pause")
  func pause() async throws {
    let map = try await SystemFixture.current.up("--posts-per-minute", "12")
    let client = try await map.client.signedUp()
    var tally = Tally(perMinute: 12)
    var key = ""
    let refused = try await tally.refused {
      key = "\(UUID())"
      return try await client.post("Rome", key: key)
    }
    let pause = try #require(Int(refused.headers["retry-after"] ?? ""))
    #expect((1...5).contains(pause))
    try await Task.sleep(for: .seconds(pause))
    let retried = try await client.post("Rome", key: key)
    #expect(retried.status == 202 && retried.headers["idempotency-replayed"] == nil, "\(retried)")
    try tally.add()

    let producer = Producer(try map.submit, token: client.token)
    let (draft, busy) = try await tally.refused(by: producer)
    #expect((1...5_000).contains(busy.retryAfterMs))
    try await Task.sleep(for: .milliseconds(busy.retryAfterMs))
    let receipts = try await producer.submit([draft], resendingEvery: .seconds(120)).receipts
    #expect(receipts.map(\.outcome) == [.accepted], "\(receipts)")
    try tally.add()
  }

  @Test("An invalid --posts-per-minute is refused at start", arguments: ["0", "1000001", "1.5", "many"])
  func bad(number: String) async throws {
    let ran = try await SystemFixture.current.run(
      "ingest", "--data", SystemFixture.current.path("data"), "--posts-per-minute", number)
    #expect(ran.status != 0 && ran.log.contains("--posts-per-minute (ONTHEMAP_POSTS_PER_MINUTE)"), "\(ran.log)")
  }
}
