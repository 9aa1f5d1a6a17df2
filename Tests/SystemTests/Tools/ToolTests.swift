import Foundation
import Testing

@Suite("Tools", .fixture)
struct ToolTests {
  @Test("The command post publishes and deletes a post, and health checks a service")
  func tools() async throws {
    let fixture = SystemFixture.current
    let map = try await fixture.up()
    let server = try map.client.base
    let environment = ["ONTHEMAP_PASSWORD": Client.password, "ONTHEMAP_SERVER": server]
    let post = ["post", "--user", "ada@example.org", "--link", "example.org", "--log-level", "trace"]
    let first = try await fixture.run(
      post + ["--sign-up", "Ada Lovelace", "--place", "Seattle, WA", "--wait"], environment: environment)
    #expect(first.status == 0 && first.output.contains("on the map: Seattle, Washington, United States"))
    let second = try await fixture.run(post + ["--place", "Oslo"], environment: environment)
    #expect(second.status == 0)
    #expect(second.output.hasSuffix(" is accepted. Its state is under My posts at \(server)/#posts\n"))
    let unknown = try await fixture.run(post + ["--place", "Qwxzzzk", "--wait"], environment: environment)
    #expect(unknown.status > 0 && unknown.log.contains("Qwxzzzk"))
    let wrong = try await fixture.run(
      post + ["--place", "Oslo"], environment: environment.merging(["ONTHEMAP_PASSWORD": "not the password"]) { $1 })
    #expect(wrong.status > 0 && wrong.log.contains("no account has this email address and password"))
    let id = String(first.output.prefix(10))
    let remove = ["post", "--user", "ada@example.org", "--delete", id]
    let removed = try await fixture.run(remove, environment: environment)
    #expect(removed.status == 0 && removed.output == "\(id) is deleted.\n")
    #expect(try await map.client.get("/v2/posts/\(id)").status == 404)
    let again = try await fixture.run(remove, environment: environment)
    #expect(again.status == 1 && again.log.contains("there is no post with this id"))
    for (arguments, words) in [
      (remove + ["--place", "Oslo"], "--delete cannot be combined with --place"),
      (["post", "--delete", "x"], "is not a post id"),
      (["post", "--place", "Oslo"], "--link is missing"), (["post", "--link", "x.org"], "--place is missing"),
    ] {
      let ran = try await fixture.run(arguments, environment: environment)
      #expect(ran.status == 64 && ran.log.contains(words), "\(ran.log)")
    }
    for run in [first, second, unknown, wrong, removed, again] {
      #expect(!(run.output + run.log + map.ingest.standardError).contains(Client.password))
    }

    #expect(try await fixture.run("health", server + "/livez").status == 0)
    try await map.ingest.kill()
    let health = try await fixture.run("health", server + "/livez")
    #expect(health.status == 1 && health.log.contains("is unhealthy: connection refused."))
    let nobody = try await fixture.run(post + ["--place", "Oslo"], environment: environment)
    #expect(nobody.status > 0 && nobody.log.contains(server))
  }

  @Test("The command watch ends when its reader has gone, even if no post arrives")
  func reader() async throws {
    let fixture = SystemFixture.current
    let map = try await fixture.up()
    let ada = try await map.client.signedUp()
    #expect(try await ada.post("Oslo", wait: 30)["state"] == "published")
    let pipe = try fixture.program(
      ["-c", "\"$0\" watch --feed \"$1\" | head -1", Program.binary.path, try map.publish],
      executable: URL(fileURLWithPath: "/bin/sh"))
    try pipe.start()
    // No post arrives meanwhile.
    #expect(try await pipe.exit() == 0)
    #expect(pipe.standardOutput.contains("Oslo"))
  }

  @Test("A worker that loses its session is live but not ready until it reconnects")
  func readiness() async throws {
    let fixture = SystemFixture.current
    let map = try await fixture.roles(workers: 1)
    let worker = try map.operations[2]
    #expect(try await worker.get("/readyz").status == 200)
    #expect(try await Scrape(worker)["onthemap_ready"] == 1)
    try await map.ingest.kill()
    try await eventually("the worker is not ready") {
      let response = try await worker.get("/readyz")
      return response.status == 503 && response["code"] == "no_worker_session"
    }
    #expect(try await worker.get("/livez").status == 204)
    #expect(try await Scrape(worker)["onthemap_ready"] == 0)
    let health = try await fixture.run("health", worker.base)
    #expect(health.status == 1 && health.log.contains("no_worker_session"), "\(health.log)")
    try await map.ingest.startAndWait()
    try await eventually("the worker is ready again") {
      try await worker.get("/readyz").status == 200
    }
    #expect(try await fixture.run("health", worker.base + "/readyz").status == 0)
  }

  @Test("A worker that has never had a session reports no_worker_session, and not that it is starting")
  func neverReady() async throws {
    let fixture = SystemFixture.current
    let port = try Port.free()
    let worker = try fixture.program([
      "worker", "--ingest", "tcp://127.0.0.1:\(try Port.free())", "--operations", "127.0.0.1:\(port)",
    ])
    try worker.start()
    let client = Client("http://127.0.0.1:\(port)")
    try await eventually("the worker listens") { (try? await client.get("/livez").status) == 204 }
    let response = try await client.get("/readyz")
    #expect(response.status == 503 && response["code"] == "no_worker_session")
    #expect(worker.ready.isEmpty)
  }

  @Test("The command load verifies a run and prints its figures, and continues past an address without a server")
  func load() async throws {
    let map = try await SystemFixture.current.up()
    let servers = "\(try map.client.base),http://127.0.0.1:\(try Port.free())"
    let (status, output, log) = try await SystemFixture.current.run(
      "load", "--server", servers, "--feed", try map.publish, "--rate", "50", "--duration", "4", "--json")
    #expect(status == 0, "\(log)")
    let figures = try #require(JSONSerialization.jsonObject(with: Data(output.utf8)) as? [String: Any])
    for (name, value) in [("accepted", 200), ("published", 200), ("lost", 0), ("duplicated", 0)] {
      #expect(figures[name] as? Int == value, "\(name): \(figures)")
    }
    let kinds = try #require(figures["errorKinds"] as? [String: Int])
    #expect(Array(kinds.keys) == ["cannot connect"], "\(kinds)")
    #expect(try await map.client.list().seq == 200)
  }
}
