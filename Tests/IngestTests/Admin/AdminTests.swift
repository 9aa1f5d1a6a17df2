import Domain
import Foundation
import Testing

@Suite("Operator routes of the queue", .bothFronts)
struct AdminTests {
  private let map: IngestFixture

  init() throws { map = try IngestFixture(workers: 0) }

  /// Creates one post per place, one after the other. A failing worker makes each a dead post.
  ///
  /// - Returns: The ids of the posts.
  private func makeDead(_ places: [String], _ client: Client) async throws -> [String] {
    try map.addWorker { _ in .failed(.init(kind: .permanent, code: "bad_place", detail: "this worker likes no place")) }
    var ids: [String] = []
    for place in places {
      let response = try await client.post(place, wait: 30)
      #expect(response["state"] == "dead", "\(response.object)")
      ids.append(try #require(response["id"]))
    }
    map.endWorkers()
    return ids
  }

  private func ids(_ response: APIResponse) throws -> [String] {
    try #require(response.object["posts"] as? [[String: Any]]).compactMap { $0["id"] as? String }
  }

  @Test("Operator routes refuse clients without a session and accounts without the operator role")
  func refused() async throws {
    let ada = try await map.client.signedUp()
    let routes = [
      ("GET", "status", nil), ("GET", "history", nil), ("GET", "posts", nil), ("GET", "posts/zzzzzzzzzz", nil),
      ("POST", "pause", "{}"), ("POST", "resume", "{}"), ("POST", "posts/retry", "{}"), ("POST", "posts/discard", "{"),
    ]
    for (method, path, body) in routes {
      let stranger = try await map.client.send(method, "/v2/admin/\(path)", body: body)
      #expect(stranger.status == 401 && stranger["code"] == "session_required", "\(path)")
      let response = try await ada.send(method, "/v2/admin/\(path)", body: body)
      #expect(response.status == 403 && response["code"] == "operator_required", "\(path)")
      BadRequest.expectProblem(response, "\(path)")
      let other = try await ada.send("DELETE", "/v2/admin/\(path)")
      #expect(other.status == 405 && other.headers["allow"]?.contains(method) == true, "\(path)")
    }
    #expect(try await ada.get("/readyz").text == "ready\n", "The queue must not be paused.")
  }

  @Test("Dead posts are listed by page, shown with their history, retried and discarded")
  func dead() async throws {
    let (client, boss) = (try await map.client.signedUp(), try await map.operatorClient())
    let dead = try await makeDead(["Oslo", "Lima", "Quito"], client)
    #expect(try ids(try await boss.get("/v2/admin/posts")) == dead)
    #expect(try ids(try await boss.get("/v2/admin/posts?reason=bad_place")) == dead)
    #expect(try ids(try await boss.get("/v2/admin/posts?reason=other")).isEmpty)
    let page = try await boss.get("/v2/admin/posts?state=dead&limit=2")
    #expect(try ids(page) == Array(dead[..<2]) && page["next"] == dead[1])
    #expect(try ids(try await boss.get("/v2/admin/posts?limit=2&after=\(dead[1])")) == [dead[2]])
    let status = try await boss.get("/v2/admin/status").object
    #expect(status["dead"] as? Int == 3 && status["paused"] as? Bool == false)

    let shown = try await boss.get("/v2/admin/posts/\(dead[1])")
    #expect(shown["place"] == "Lima" && shown["state"] == "dead" && shown.text.contains("this worker likes no place"))
    #expect(try await boss.get("/v2/admin/posts/zzzzzzzzzz")["code"] == "post_not_found")
    #expect(try await boss.get("/v2/admin/posts/x")["code"] == "post_not_found")

    let discarded = try await boss.send("POST", "/v2/admin/posts/discard", body: JSON.object(["ids": [dead[1]]]))
    #expect(discarded.status == 200 && discarded.text.contains(dead[1]))
    let post = try await client.get("/v2/posts/\(dead[1])").decoded(OwnPost.self)
    #expect(post.state == "rejected" && post.reason?.code == "discarded")
    #expect(post.reason?.detail == "discarded by the operator: this worker likes no place")

    let retried = try await boss.send("POST", "/v2/admin/posts/retry", body: JSON.object(["ids": [dead[0]]]))
    #expect(retried.status == 200)
    #expect(try await client.get("/v2/posts/\(dead[0])")["state"] == "queued")
    #expect(try ids(try await boss.get("/v2/admin/posts?state=ready")) == [dead[0]])
    let all = try await boss.send("POST", "/v2/admin/posts/retry", body: JSON.object(["all": true]))
    #expect(all.status == 200 && all.text.contains(dead[2]))
    try map.addWorker()
    try await eventually("the retried posts are published") {
      try await client.posts().map(\.state) == ["published", "rejected", "published"]
    }
    let left = try await boss.get("/v2/admin/status").object
    #expect(left["dead"] as? Int == 0)
    #expect(try await boss.get("/v2/admin/posts/\(dead[0])").text.contains("retried"))
  }

  @Test("The log names the operator's account for each queue command")
  func named() async throws {
    let (client, boss) = (try await map.client.signedUp(), try await map.operatorClient())
    let dead = try await makeDead(["Oslo", "Lima"], client)
    for (path, body) in [
      ("pause", [:]), ("resume", [:]), ("posts/retry", ["ids": [dead[0]]]), ("posts/discard", ["ids": [dead[1]]]),
    ] {
      let response = try await boss.send("POST", "/v2/admin/\(path)", body: JSON.object(body))
      #expect(response.status == 200, "\(path): \(response.object)")
    }
    let lines = map.logged.split(separator: "\n")
    for event in ["queue paused", "queue resumed", "dead posts retried", "dead posts discarded"] {
      #expect(lines.contains { $0.contains(event) && $0.contains("operator=account 2") }, "\(event)")
    }
  }

  @Test("A pause holds posts and refuses lookups until the resume, also across a restart")
  func pause() async throws {
    let (client, boss) = (try await map.client.signedUp(), try await map.operatorClient())
    try map.addWorker()
    try await client.expectService()
    let paused = try await boss.send("POST", "/v2/admin/pause")
    #expect(paused.object["paused"] as? Bool == true && paused["pausedAt"] != nil)
    let again = try await boss.send("POST", "/v2/admin/pause")
    #expect(again["pausedAt"] == paused["pausedAt"], "A second pause must keep the first time.")
    #expect(try await client.get("/v2/page")["pausedAt"] == paused["pausedAt"], "The page tells everybody.")
    let operatorName = try await boss.get("/v2/account").object["firstName"] as? String
    let pausedBy = try await boss.get("/v2/admin/status").object["pausedBy"] as? String
    #expect(operatorName != nil && pausedBy == operatorName)
    #expect(try await client.post("Oslo")["state"] == "queued")
    let lookup = try await client.get("/v2/geocode?q=Oslo")
    #expect(lookup.status == 503 && lookup["code"] == "queue_paused")

    let next = try map.restarted()
    let (ada, restartedBoss) = (next.client.with(token: client.token), next.client.with(token: boss.token))
    #expect(next.logged.contains("queue still paused"))
    #expect(try await ada.get("/readyz").text.contains("paused since"))
    let status = try await restartedBoss.get("/v2/admin/status").object
    #expect(status["paused"] as? Bool == true && status["pausedBy"] == nil, "The store has only the time.")
    #expect(try await ada.post("Lima")["state"] == "queued")
    #expect(try await restartedBoss.send("POST", "/v2/admin/resume").object["paused"] as? Bool == false)
    try await eventually("all posts are published") { try await ada.posts().allSatisfy { $0.state == "published" } }
    #expect(try await ada.get("/readyz").text == "ready\n")
    #expect(try await ada.get("/v2/page").object["pausedAt"] is NSNull)
    try await ada.expectService()
  }

  @Test(
    "Errors of operator routes name the invalid parameter",
    arguments: [
      ("posts?state=lost", 400, "invalid_state"), ("posts?limit=0", 400, "invalid_limit"),
      ("posts?limit=1001", 400, "invalid_limit"), ("posts?after=x", 422, "invalid_after"),
      ("posts?state=ready&reason=x", 400, "invalid_reason"), ("history?since=x", 400, "invalid_since"),
      ("history?since=-1", 400, "invalid_since"),
    ])
  func invalid(path: String, status: Int, code: String) async throws {
    let response = try await map.operatorClient().get("/v2/admin/\(path)")
    #expect(response.status == status && response["code"] == code, "\(response.object)")
  }

  @Test("A selection names up to 1,000 posts, or all posts, but not both")
  func selections() async throws {
    let boss = try await map.operatorClient()
    let many = Array(repeating: "zzzzzzzzzz", count: Limits.adminPostsMax + 1)
    for body: [String: Any] in [
      [:], ["ids": [String]()], ["ids": many], ["ids": ["x"]], ["ids": ["zzzzzzzzzz"], "all": true],
      ["ids": ["zzzzzzzzzz"], "reason": "a"],
    ] {
      let response = try await boss.send("POST", "/v2/admin/posts/retry", body: JSON.object(body))
      #expect(response.status == 422 && response["code"] == "invalid_ids", "\(body.keys)")
    }
    #expect(try await boss.send("POST", "/v2/admin/posts/discard", body: JSON.object(["all": true])).status == 422)
  }
}
