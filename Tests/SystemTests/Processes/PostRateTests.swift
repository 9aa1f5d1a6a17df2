import Foundation
import Testing

@Suite("Posts of an account a minute", .stage)
struct PostRateTests {
  /// Time for one more post, at four a minute.
  private static let interval = Duration.seconds(15)

  /// Asks until the answer is 429: on a slow machine there may be time for one more post before.
  private func refused(_ ask: () async throws -> Answer) async throws -> Answer {
    try await eventually("it is refused") { () -> Answer? in
      let answer = try await ask()
      return answer.status == 429 ? answer : nil
    }
  }

  @Test("So many are taken and no more, whichever way they come, and another account's are its own")
  func limited() async throws {
    let map = try await Stage.current.up("--posts-per-minute", "4")
    let client = try await map.client.signedUp()
    let start = ContinuousClock.now
    let post = try await client.post("Oslo", key: "first", wait: 30)
    #expect(post.status == 200)
    #expect(try await client.post("Oslo", key: "first").headers["idempotency-replayed"] == "true", "It costs nothing.")
    let edited = try await client.send(
      "PUT", "/v2/posts/\(try #require(post["id"]))", body: JSON.object(["place": "Lima", "link": "example.org"]))
    #expect(edited.status == 200)
    for _ in 0..<3 {
      let body = JSON.object(["place": "Qwxzzzk Vbbnkl", "link": "example.org"])
      let refused = try await client.send("PUT", "/v2/posts/\(try #require(post["id"]))", body: body)
      #expect(refused.status == 422, "It changes nothing, and costs nothing: \(refused)")
    }
    // Two are left, and one for each 15 s that this has taken.
    let lines = (0..<3).map { #"{"place":"Bonn","link":"example.org/\#($0)"}"# }.joined(separator: "\n")
    let bulk = try await client.send("POST", "/v2/posts/bulk", body: lines)
    let most = 2 + Int((ContinuousClock.now - start) / Self.interval)
    let answers = String(decoding: bulk.body, as: UTF8.self).split(separator: "\n")
    let taken = answers.prefix { $0.contains("202") }.count
    #expect(bulk.status == 200 && answers.count == 3 && taken >= 2 && taken <= most)
    #expect(answers.dropFirst(taken).allSatisfy { $0.contains("too_many_posts") && $0.contains("429") })

    let late = try await refused { try await client.post("Rome") }
    #expect(late["code"] == "too_many_posts")
    #expect(Int(late.headers["retry-after"] ?? "").map { (1...15).contains($0) } == true)
    #expect(try await client.post("Oslo", key: "first").headers["idempotency-replayed"] == "true", "Nor is it refused.")
    let rome = JSON.object(["mapString": "Rome", "mediaURL": "https://example.org"])
    let classic = try await refused { try await client.send("POST", "/v1/StudentLocation", body: rome) }
    #expect(classic.isParseError(429, 155) && classic.headers["retry-after"] != nil, "\(classic)")
    let path = "/v2/posts/\(try #require(post["id"]))"
    _ = try await refused {
      let body = JSON.object(["place": "Bonn", "link": "example.org/\(UUID())"])
      return try await client.send("PUT", path, body: body)
    }
    let producer = Producer(try map.submit, token: client.token)
    let busy = try await eventually("it is refused over ZeroMQ") { () -> Receipt? in
      let receipts = try await producer.submit([Draft(key: "\(UUID())")]).receipts
      return receipts.first { $0.outcome == .busy }
    }
    #expect(busy.code == "too_many_posts" && (1...15_000).contains(busy.retryAfterMs))

    let bob = try await map.client.signedUp(as: "bob@example.org")
    #expect(try await bob.post("Rome").status == 202)
    try await eventually("there is time for one more post") { try await client.post("Rome").status == 202 }
  }

  @Test("A number that is none is refused", arguments: ["0", "1000001", "1.5", "many"])
  func bad(number: String) async throws {
    let ran = try await Stage.current.run(
      "ingest", "--data", Stage.current.path("data"), "--posts-per-minute", number)
    #expect(ran.status != 0 && ran.logged.contains("--posts-per-minute (ONTHEMAP_POSTS_PER_MINUTE)"), "\(ran.logged)")
  }
}
