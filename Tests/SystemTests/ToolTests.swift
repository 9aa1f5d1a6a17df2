import Foundation
import Testing

@Suite("Tools", .stage)
struct ToolTests {
  @Test("post puts somebody on the map and says where, and health tells whether a service is there")
  func tools() async throws {
    let stage = Stage.current
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
    #expect(removed.status == 0 && removed.said == "\(id) is off the map.\n")
    #expect(try await map.client.get("/v2/posts/\(id)").status == 404)
    let again = try await stage.run(remove, environment: environment)
    #expect(again.status == 1 && again.logged.contains("there is no post with this id"))
    for (arguments, words) in [
      (remove + ["--place", "Oslo"], "--delete takes no --place"), (["post", "--delete", "x"], "is not the id"),
      (["post", "--place", "Oslo"], "--link is missing"), (["post", "--link", "x.org"], "--place is missing"),
    ] {
      let ran = try await stage.run(arguments, environment: environment)
      #expect(ran.status == 64 && ran.logged.contains(words), "\(ran.logged)")
    }
    for run in [first, second, unknown, wrong, removed, again] {
      #expect(!(run.said + run.logged + map.ingest.logged).contains(Client.password))
    }

    #expect(try await stage.run("health", server + "/livez").status == 0)
    try await map.ingest.kill()
    #expect(try await stage.run("health", server + "/livez").status == 1)
    let nobody = try await stage.run(post + ["--place", "Oslo"], environment: environment)
    #expect(nobody.status > 0 && nobody.logged.contains(server))
  }

  @Test("load proves that a run was whole, and says so in its figures")
  func load() async throws {
    let map = try await Stage.current.up()
    let (status, said, logged) = try await Stage.current.run(
      "load", "--server", try map.client.base, "--feed", try map.publish, "--rate", "50", "--duration", "4", "--json",
      within: .seconds(40))
    #expect(status == 0, "\(logged)")
    let figures = try #require(JSONSerialization.jsonObject(with: Data(said.utf8)) as? [String: Any])
    for (name, value) in [("accepted", 200), ("published", 200), ("lost", 0), ("duplicated", 0)] {
      #expect(figures[name] as? Int == value, "\(name): \(figures)")
    }
    #expect(try await map.client.list().seq == 200)
  }
}
