import Foundation
import Glibc
import Testing

@Suite("Lists of gateways", .fixture)
struct GatewayListTests {
  @Test("A gateway serves the list of its feed, also while ingest stays away, and follows ingest's return")
  func away() async throws {
    let map = try await Deployment()
    let client = try await map.client.signedUp()
    #expect(try await client.post("Oslo", wait: 30)["state"] == "published")
    try await eventually("the gateway has the post") { try await client.list().entries.count == 1 }
    try await eventually("the feed has the post") { try await map.feedClient.list().entries.count == 1 }

    map.ingest.signal(SIGKILL)
    _ = try await map.ingest.exit()
    // The responses of the gateway's memory do not wait for ingest, and other requests end after the hold.
    #expect(try await client.list().entries.count == 1)
    #expect(try await client.get("/v2/limits").status == 503)
    try await eventually("the feed marks its list as stale") {
      try await map.feedClient.get("/v2/feed").object["stale"] as? Bool == true
    }
    try await eventually("the gateway serves the stale list") {
      try await client.get("/v2/feed").object["stale"] as? Bool == true
    }
    let (own, feed) = (try await client.get("/v2/feed"), try await map.feedClient.get("/v2/feed"))
    #expect(own.status == 200 && own.body == feed.body && own.headers["etag"] == feed.headers["etag"])

    try await map.ingest.startAndWait()
    try await eventually("the list is fresh") { try await client.get("/v2/feed").object["stale"] as? Bool == false }
    #expect(try await client.post("Bergen", wait: 30)["state"] == "published")
    try await eventually("the gateway has the second post") { try await client.list().entries.count == 2 }
    try await eventually("the gateway and the feed have the same bytes") {
      try await client.get("/v2/feed").body == map.feedClient.get("/v2/feed").body
    }
  }

  @Test("A deleted post leaves the gateway's list, and does not come back while ingest is away")
  func deletion() async throws {
    let map = try await Deployment()
    let client = try await map.client.signedUp()
    let id = try #require(try await client.post("Oslo", wait: 30)["id"])
    try await eventually("the gateway has the post") { try await client.list().entries.map(\.id) == [id] }
    #expect(try await client.send("DELETE", "/v2/posts/\(id)").status == 204)
    try await eventually("the post has left the gateway's list") { try await client.list().entries.isEmpty }
    try await eventually("the post has left the feed's list") { try await map.feedClient.list().entries.isEmpty }
    map.ingest.signal(SIGKILL)
    _ = try await map.ingest.exit()
    #expect(try await client.list().entries.isEmpty)
  }

  @Test("A gateway shows no list of a map that has become members-only, whether ingest runs or not")
  func membersOnly() async throws {
    let map = try await Deployment()
    let client = try await map.client.signedUp()
    #expect(try await client.post("Oslo", wait: 30)["state"] == "published")
    try await eventually("the gateway has the post") { try await client.list().entries.count == 1 }
    map.ingest.signal(SIGTERM)
    #expect(try await map.ingest.exit() == 0)
    let members = try SystemFixture.current.program(map.ingest.arguments + ["--map-access", "members"])
    try await members.startAndWait()
    try await eventually("the gateway requires a session") { try await map.client.get("/v2/feed").status == 401 }
    #expect(try await client.list().entries.count == 1)
    members.signal(SIGKILL)
    _ = try await members.exit()
    let response = try await map.client.get("/v2/feed")
    #expect(response.status == 503 && response["code"] == "ingest_unavailable")
  }

  @Test("A gateway without a running feed logs its address, and forwards requests for the list")
  func noFeed() async throws {
    let map = try await SystemFixture.current.up("--gateways", "tcp://127.0.0.1:*")
    let nowhere = "tcp://127.0.0.1:\(try Port.free())"
    let gateway = try await SystemFixture.current.gateway(
      at: try #require(map.ingest.ready["gateways"]), ["--feed", nowhere])
    let client = try await Client(try #require(gateway.ready["http"])).signedUp()
    #expect(try await client.post("Oslo", wait: 30)["state"] == "published")
    #expect(try await client.list().entries.count == 1)
    let readiness = try await Client(try #require(gateway.ready["operations"])).get("/readyz")
    #expect(readiness.status == 200)
    #expect(String(decoding: readiness.body, as: UTF8.self).contains("the feeds have no current list"))
    try await eventually("the gateway logs the feed's address") {
      gateway.standardError.contains("cannot connect endpoint=\(nowhere) link=feed")
    }
  }

  @Test("An invalid list of feeds is refused, and so is a key of the feed that is not one")
  func settings() async throws {
    for (arguments, reason) in [
      (["--feed", "feed:7710"], "--feed (ONTHEMAP_GATEWAY_FEED) must be tcp://HOST:PORT"),
      (["--feed", "tcp://127.0.0.1:7710,"], "contains an empty address"),
      (["--feed", "tcp://127.0.0.1:7710", "--feed-key", "short"], "--feed-key (ONTHEMAP_FEED_KEY)"),
      (["--feed-key", "short"], "no link uses it. Set --feed (ONTHEMAP_GATEWAY_FEED) too."),
    ] {
      let run = try await SystemFixture.current.run(["config", "gateway"] + arguments)
      #expect(run.status == 78 && run.log.contains(reason), "\(run.log)")
    }
    let run = try await SystemFixture.current.run("config", "gateway", "--feed", "tcp://10.0.0.3:7710")
    #expect(run.status == 0 && run.output.contains("ONTHEMAP_GATEWAY_FEED"))
  }
}

/// Ingest, a worker, a feed and a gateway, each in its own process, on ports that stay the same after a restart. The
/// gateway follows the feed and an address without one.
private struct Deployment {
  let ingest: Program
  let feed: Program
  let gateway: Program

  init() async throws {
    let fixture = SystemFixture.current
    let (jobs, changes) = ("tcp://127.0.0.1:\(try Port.free())", "tcp://127.0.0.1:\(try Port.free())")
    let (link, publish) = ("tcp://127.0.0.1:\(try Port.free())", "tcp://127.0.0.1:\(try Port.free())")
    ingest = try fixture.program([
      "ingest", "--data", fixture.path("data"), "--http", "127.0.0.1:\(try Port.free())", "--jobs", jobs, "--changes",
      changes, "--submit", "tcp://127.0.0.1:*", "--gateways", link, "--operations", "none",
    ])
    try await ingest.startAndWait()
    let worker = try fixture.program(["worker", "--ingest", jobs, "--operations", "none"])
    try await worker.startAndWait()
    feed = try fixture.program([
      "feed", "--ingest", changes, "--publish", publish, "--query", "tcp://127.0.0.1:\(try Port.free())", "--http",
      "127.0.0.1:\(try Port.free())", "--operations", "none", "--data", fixture.path("feed"),
    ])
    try await feed.startAndWait()
    gateway = try await fixture.gateway(
      at: link, ["--feed", "tcp://127.0.0.1:\(try Port.free()),\(publish)"])
    let program = gateway
    try await eventually("the gateway has the feed's list") { program.standardError.contains("list received") }
  }

  /// A client of the gateway, without a session.
  var client: Client { get throws { Client(try #require(gateway.ready["http"])) } }
  var feedClient: Client { get throws { Client(try #require(feed.ready["feed-http"])) } }
}
