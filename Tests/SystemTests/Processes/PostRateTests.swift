import Foundation
import Testing

@Suite("Posts of an account a minute", .stage)
struct PostRateTests {
  @Test("So many are taken and no more, whichever way they come, and another account's are its own")
  func limited() async throws {
    let map = try await Stage.current.up("--posts-per-minute", "4")
    let client = try await map.client.signedUp()
    let post = try await client.post("Oslo", key: "first", wait: 10)
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
    // Two are left.
    let lines = (0..<3).map { #"{"place":"Bonn","link":"example.org/\#($0)"}"# }.joined(separator: "\n")
    let bulk = try await client.send("POST", "/v2/posts/bulk", body: lines)
    let answers = String(decoding: bulk.body, as: UTF8.self).split(separator: "\n")
    #expect(bulk.status == 200 && answers.count == 3 && answers[1].contains("202"))
    #expect(answers.last?.contains("too_many_posts") == true && answers.last?.contains("429") == true)

    let refused = try await client.post("Rome", key: "late")
    #expect(refused.status == 429 && refused["code"] == "too_many_posts")
    #expect(Int(refused.headers["retry-after"] ?? "").map { (1...15).contains($0) } == true)
    #expect(try await client.post("Oslo", key: "first").headers["idempotency-replayed"] == "true", "Nor is it refused.")
    let classic = try await client.send(
      "POST", "/v1/StudentLocation", body: JSON.object(["mapString": "Rome", "mediaURL": "https://example.org"]))
    #expect(classic.isParseError(429, 155) && classic.headers["retry-after"] != nil, "\(classic)")
    let path = "/v2/posts/\(try #require(post["id"]))"
    let again = try await client.send("PUT", path, body: JSON.object(["place": "Bonn", "link": "example.org"]))
    #expect(again.status == 429)
    let producer = Producer(try map.submit, token: client.token)
    let receipts = try await producer.submit([Draft(key: "late")]).receipts
    #expect(receipts.map(\.outcome) == [.busy] && receipts[0].code == "too_many_posts")
    #expect((1...15_000).contains(receipts[0].retryAfterMs))

    let bob = try await map.client.signedUp(as: "bob@example.org")
    #expect(try await bob.post("Rome").status == 202)
    let pause = receipts[0].retryAfterMs
    try await eventually("The time is over", within: .milliseconds(Int64(pause) + 5_000)) {
      try await client.post("Rome", key: "late").status == 202
    }
  }

  @Test("A number that is none is refused", arguments: ["0", "1000001", "1.5", "many"])
  func bad(number: String) async throws {
    let ran = try await Stage.current.run(
      "ingest", "--data", Stage.current.path("data"), "--posts-per-minute", number)
    #expect(ran.status != 0 && ran.logged.contains("--posts-per-minute (ONTHEMAP_POSTS_PER_MINUTE)"), "\(ran.logged)")
  }
}
