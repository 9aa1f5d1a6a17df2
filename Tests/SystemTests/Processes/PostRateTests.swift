import Foundation
import Testing

@Suite("Posts of an account a minute", .stage)
struct PostRateTests {
  /// Counts the posts and edits of an account that ingest accepts.
  private struct Tally {
    private let perMinute: Int
    private let start = ContinuousClock.now
    private var accepted = 0

    init(perMinute: Int) { self.perMinute = perMinute }

    /// Expects that ingest accepts no more than are allowed at once, and those for which there was time since.
    mutating func add(_ count: Int = 1) throws {
      accepted += count
      let interval = Duration.seconds(60) / perMinute
      let (total, most) = (accepted, perMinute + Int((ContinuousClock.now - start) / interval))
      try #require(total <= most)
    }

    /// Asks until the answer is 429: on a slow machine there may be time for one more post before.
    mutating func refused(_ ask: () async throws -> APIResponse) async throws -> APIResponse {
      let end = ContinuousClock.now + .seconds(120)
      repeat {
        let answer = try await ask()
        if answer.status == 429 { return answer }
        if (200..<300).contains(answer.status) { try add() }
      } while ContinuousClock.now < end
      throw TimeoutError(description: "no post was refused within two minutes")
    }

    /// Submits posts over ZeroMQ until one is refused.
    mutating func refused(by producer: Producer) async throws -> (draft: Draft, receipt: Receipt) {
      let end = ContinuousClock.now + .seconds(120)
      repeat {
        let draft = Draft(key: "\(UUID())")
        // Only once: ingest might accept a second request after it has refused the first.
        let receipt = try #require(try await producer.submit([draft], again: .seconds(120)).receipts.first)
        if receipt.outcome == .busy { return (draft, receipt) }
        #expect(receipt.outcome == .accepted)
        try add()
      } while ContinuousClock.now < end
      throw TimeoutError(description: "no post was refused over ZeroMQ within two minutes")
    }
  }

  @Test("So many are taken and no more, whichever way they come, and another account's are its own")
  func limited() async throws {
    let map = try await SystemFixture.current.up("--posts-per-minute", "4")
    let client = try await map.client.signedUp()
    var tally = Tally(perMinute: 4)
    let post = try await client.post("Oslo", key: "first", wait: 30)
    #expect(post.status == 200)
    let id = try #require(post["id"])
    #expect(try await client.post("Oslo", key: "first").headers["idempotency-replayed"] == "true", "It costs nothing.")
    #expect(try await client.edit(id, "Lima").status == 200)
    try tally.add(2)
    for _ in 0..<3 {
      let refused = try await client.edit(id, "Qwxzzzk Vbbnkl")
      #expect(refused.status == 422, "It changes nothing, and costs nothing: \(refused)")
    }
    // Two are left, and one for each 15 s that this has taken.
    let lines = (0..<3).map { #"{"place":"Bonn","link":"example.org/\#($0)"}"# }.joined(separator: "\n")
    let bulk = try await client.send("POST", "/v2/posts/bulk", body: lines)
    let answers = String(decoding: bulk.body, as: UTF8.self).split(separator: "\n")
    let taken = answers.prefix { $0.contains("202") }.count
    try tally.add(taken)
    #expect(bulk.status == 200 && answers.count == 3 && taken >= 2)
    #expect(answers.dropFirst(taken).allSatisfy { $0.contains("too_many_posts") && $0.contains("429") })

    let late = try await tally.refused { try await client.post("Rome") }
    #expect(late["code"] == "too_many_posts")
    #expect(try await client.post("Oslo", key: "first").headers["idempotency-replayed"] == "true", "Nor is it refused.")
    let rome = JSON.object(["mapString": "Rome", "mediaURL": "https://example.org"])
    let classic = try await tally.refused { try await client.send("POST", "/v1/StudentLocation", body: rome) }
    #expect(classic.isParseError(429, 155) && classic.headers["retry-after"] != nil, "\(classic)")
    _ = try await tally.refused { try await client.edit(id, "Bonn", link: "https://example.org/\(UUID())") }
    let busy = try await tally.refused(by: Producer(try map.submit, token: client.token)).receipt
    #expect(busy.code == "too_many_posts")

    let bob = try await map.client.signedUp(as: "bob@example.org")
    #expect(try await bob.post("Rome").status == 202)
  }

  @Test("A refused post is accepted under its key at the first try after the pause that its answer names")
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
    let later = try await client.post("Rome", key: key)
    #expect(later.status == 202 && later.headers["idempotency-replayed"] == nil, "\(later)")
    try tally.add()

    let producer = Producer(try map.submit, token: client.token)
    let (draft, busy) = try await tally.refused(by: producer)
    #expect((1...5_000).contains(busy.retryAfterMs))
    try await Task.sleep(for: .milliseconds(busy.retryAfterMs))
    let receipts = try await producer.submit([draft], again: .seconds(120)).receipts
    #expect(receipts.map(\.outcome) == [.accepted], "\(receipts)")
    try tally.add()
  }

  @Test("A number that is none is refused", arguments: ["0", "1000001", "1.5", "many"])
  func bad(number: String) async throws {
    let ran = try await SystemFixture.current.run(
      "ingest", "--data", SystemFixture.current.path("data"), "--posts-per-minute", number)
    #expect(ran.status != 0 && ran.logged.contains("--posts-per-minute (ONTHEMAP_POSTS_PER_MINUTE)"), "\(ran.logged)")
  }
}
