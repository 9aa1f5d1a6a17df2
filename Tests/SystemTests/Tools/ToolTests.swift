import Foundation
import Testing

@Suite("Tools", .stage)
struct ToolTests {
  @Test("The command post publishes and deletes a post, and health checks a service")
  func tools() async throws {
    let stage = SystemFixture.current
    let map = try await stage.up()
    let server = try map.client.base
    let environment = ["ONTHEMAP_PASSWORD": Client.password, "ONTHEMAP_SERVER": server]
    let post = ["post", "--user", "ada@example.org", "--link", "example.org", "--log-level", "trace"]
    let first = try await stage.run(
      post + ["--sign-up", "Ada Lovelace", "--place", "Seattle, WA", "--wait"], environment: environment)
    #expect(first.status == 0 && first.said.contains("on the map: Seattle, Washington, United States"))
    let second = try await stage.run(post + ["--place", "Oslo"], environment: environment)
    #expect(second.status == 0 && second.said.contains("/v2/posts/"))
    let unknown = try await stage.run(post + ["--place", "Qwxzzzk", "--wait"], environment: environment)
    #expect(unknown.status > 0 && unknown.logged.contains("Qwxzzzk"))
    let wrong = try await stage.run(
      post + ["--place", "Oslo"], environment: environment.merging(["ONTHEMAP_PASSWORD": "not the password"]) { $1 })
    #expect(wrong.status > 0 && wrong.logged.contains("no account has this e-mail address and password"))
    let id = String(first.said.prefix(10))
    let remove = ["post", "--user", "ada@example.org", "--delete", id]
    let removed = try await stage.run(remove, environment: environment)
    #expect(removed.status == 0 && removed.said == "\(id) is deleted.\n")
    #expect(try await map.client.get("/v2/posts/\(id)").status == 404)
    let again = try await stage.run(remove, environment: environment)
    #expect(again.status == 1 && again.logged.contains("there is no post with this id"))
    for (arguments, words) in [
      (remove + ["--place", "Oslo"], "--delete cannot be combined with --place"),
      (["post", "--delete", "x"], "is not a post id"),
      (["post", "--place", "Oslo"], "--link is missing"), (["post", "--link", "x.org"], "--place is missing"),
    ] {
      let ran = try await stage.run(arguments, environment: environment)
      #expect(ran.status == 64 && ran.logged.contains(words), "\(ran.logged)")
    }
    for run in [first, second, unknown, wrong, removed, again] {
      #expect(!(run.said + run.logged + map.ingest.standardError).contains(Client.password))
    }

    #expect(try await stage.run("health", server + "/livez").status == 0)
    try await map.ingest.kill()
    let health = try await stage.run("health", server + "/livez")
    #expect(health.status == 1 && health.logged.contains("is unhealthy: connection refused."))
    let nobody = try await stage.run(post + ["--place", "Oslo"], environment: environment)
    #expect(nobody.status > 0 && nobody.logged.contains(server))
  }

  @Test("The command watch ends when its reader has gone, even if no post arrives")
  func reader() async throws {
    let stage = SystemFixture.current
    let map = try await stage.up()
    let ada = try await map.client.signedUp()
    #expect(try await ada.post("Oslo", wait: 30)["state"] == "published")
    let pipe = try stage.program(
      ["-c", "\"$0\" watch --feed \"$1\" | head -1", Program.binary.path, try map.publish],
      executable: URL(fileURLWithPath: "/bin/sh"))
    try pipe.start()
    // No post arrives meanwhile.
    #expect(try await pipe.exit() == 0)
    #expect(pipe.standardOutput.contains("Oslo"))
  }

  @Test("A worker that loses its session is live but not ready until it reconnects")
  func seats() async throws {
    let stage = SystemFixture.current
    let map = try await stage.roles(workers: 1)
    let worker = try map.operations[2]
    #expect(try await worker.get("/readyz").status == 200)
    #expect(try await Scrape(worker)["onthemap_ready"] == 1)
    try await map.ingest.kill()
    try await eventually("the worker is not ready") {
      let answer = try await worker.get("/readyz")
      return answer.status == 503 && answer["code"] == "no_worker_session"
    }
    #expect(try await worker.get("/livez").status == 204)
    #expect(try await Scrape(worker)["onthemap_ready"] == 0)
    let health = try await stage.run("health", worker.base + "/readyz")
    #expect(health.status == 1 && health.logged.contains("no_worker_session"), "\(health.logged)")
    try await map.ingest.startAndWait()
    try await eventually("the worker is ready again") {
      try await worker.get("/readyz").status == 200
    }
    #expect(try await stage.run("health", worker.base + "/readyz").status == 0)
  }

  @Test("The command load verifies a run and prints its figures")
  func load() async throws {
    let map = try await SystemFixture.current.up()
    let (status, said, logged) = try await SystemFixture.current.run(
      "load", "--server", try map.client.base, "--feed", try map.publish, "--rate", "50", "--duration", "4", "--json")
    #expect(status == 0, "\(logged)")
    let figures = try #require(JSONSerialization.jsonObject(with: Data(said.utf8)) as? [String: Any])
    for (name, value) in [("accepted", 200), ("published", 200), ("lost", 0), ("duplicated", 0)] {
      #expect(figures[name] as? Int == value, "\(name): \(figures)")
    }
    #expect(try await map.client.list().seq == 200)
  }
}
