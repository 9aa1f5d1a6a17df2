import Foundation
import StubServers
import Synchronization
import Testing

@Suite("Streets and houses from a remote provider", .stage)
struct StreetTests {
  private static let text = "7 Storgata, Oslo"

  private func ask(_ client: Client, _ text: String = StreetTests.text) async throws -> APIResponse {
    try await client.get(
      "/v2/geocode?q=" + (text.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""))
  }

  private func best(_ answer: APIResponse) throws -> [String: Any] {
    try #require((answer.object["places"] as? [[String: Any]])?.first, "\(answer)")
  }

  @Test("A street address is the provider's, and says so; a town is the gazetteer's; a post gets its house")
  func found() async throws {
    let server = try StubServer { _ in .answer(body: ProviderSamples.nominatimHouse) }
    let map = try await SystemFixture.current.up(
      "--remote", "nominatim", "--remote-url", server.url, "--remote-contact", "ops@example.org")
    let answer = try await ask(map.client)
    let place = try best(answer)
    #expect(place["provider"] as? String == "nominatim" && place["level"] as? String == "house")
    #expect(place["degraded"] == nil)
    #expect((answer["attribution"] ?? "").contains("OpenStreetMap"))
    #expect(try best(await ask(map.client, "Oslo"))["provider"] as? String == "gazetteer")
    #expect(server.requests.map { $0.parameter("q") } == [Self.text])
    #expect(server.requests.first?.headers["user-agent"] == "onthemap/1.0 (ops@example.org)")

    let client = try await map.client.signedUp()
    let post = try await client.post("Storgata 7, Oslo", wait: 30)
    #expect(post["state"] == "published" && (post["label"] ?? "").contains("Storgata"))
  }

  @Test("Two workers ask a provider for each street once")
  func once() async throws {
    let server = try StubServer { _ in .later(ms: 50, .answer(body: ProviderSamples.nominatimHouse)) }
    let map = try await SystemFixture.current.roles(workers: 0)
    let jobs = try map.ports.first { $0.name == "jobs" }?.port ?? 0
    for name in ["a", "b"] {
      let worker = try SystemFixture.current.program([
        "geocoder", "--ingest", "tcp://127.0.0.1:\(jobs)", "--name", name, "--remote", "nominatim", "--remote-url",
        server.url,
      ])
      try await worker.startAndWait()
    }
    let client = try await map.client.signedUp()
    for number in 1...5 { #expect(try await client.post("\(number) Storgata, Oslo").status == 202) }
    try await eventually("all are published") {
      let posts = try await client.posts()
      return posts.count == 5 && posts.allSatisfy { $0.state == "published" }
    }
    // That permits come at the rate is JobScheduler's rule, and has its tests without a clock.
    #expect(server.requests.count == 5 && Set(server.requests.map(\.target)).count == 5)
  }

  @Test("With the provider down the gazetteer's town is the answer, marked; without one it is unavailable, not unknown")
  func down() async throws {
    let server = try StubServer { _ in .answer(status: 503, body: "") }
    let map = try await SystemFixture.current.up("--remote", "nominatim", "--remote-url", server.url, "--workers", "1")
    for _ in 0..<3 {
      let place = try best(await ask(map.client))
      #expect(place["degraded"] as? Bool == true && place["match"] as? String == "fallback")
      #expect(place["level"] as? String == "city" && place["provider"] as? String == "gazetteer")
    }
    let unknown = try await ask(map.client, "7 Qwxzzzk Street")
    #expect(unknown.status == 503 && unknown["code"] == "geocoder_unavailable")
    let client = try await map.client.signedUp()
    let post = try await client.post(Self.text, wait: 30)
    #expect(post["state"] == "published" && (post["label"] ?? "").contains("Oslo") && post["match"] == "fallback")

    server.setResponse { _ in .answer(body: ProviderSamples.nominatimNone) }
    try await eventually("the provider is asked again, and knows nothing") {
      try await ask(map.client, "7 Qwxzzzk Street").status == 404
    }
    try await eventually("nothing is degraded any more") {
      let place = try best(await ask(map.client))
      return place["degraded"] == nil && place["level"] as? String == "city"
    }
  }

  @Test("A provider that does not answer holds up nobody")
  func slow() async throws {
    let server = try StubServer { _ in .silence }
    let map = try await SystemFixture.current.up("--remote", "photon", "--remote-url", server.url, "--workers", "1")
    let client = try map.client
    var round = 0
    // The lookup of a street ends after 2 s. A slow machine may be slower with that of a town in some rounds.
    try await eventually("a town is found while the provider is asked for a street") {
      round += 1
      let (asked, text) = (server.requests.count, "\(round) Storgata, Oslo")
      let isAnswered = Mutex(false)
      async let street = {
        let answer = try await ask(client, text)
        isAnswered.withLock { $0 = true }
        return answer
      }()
      // A provider that has failed some times is not asked for a while.
      try await eventually("the provider is asked") { isAnswered.withLock { $0 } || server.requests.count > asked }
      let town = try await ask(client, "Oslo")
      let isFirst = !isAnswered.withLock { $0 } && town.status == 200
      let answer = try await street
      if isFirst { #expect(try best(answer)["degraded"] as? Bool == true) }
      return isFirst
    }
    map.ingest.signal(SIGTERM)
    #expect(try await map.ingest.exit() == 0)
  }

  @Test("A key is in no log, and neither is a text", arguments: [false, true])
  func key(inFile: Bool) async throws {
    let key = "k3y-that-nobody-sees"
    let server = try StubServer { _ in .reset }
    let path = SystemFixture.current.path("key")
    try Data((key + "\n").utf8).write(to: URL(fileURLWithPath: path))
    let map = try await SystemFixture.current.up(
      "--remote", "pelias", "--remote-url", server.url, "--log-level", "trace",
      environment: inFile ? ["ONTHEMAP_REMOTE_KEY_FILE": path] : ["ONTHEMAP_REMOTE_KEY": key])
    #expect(try best(await ask(map.client))["degraded"] as? Bool == true)
    #expect(server.requests.first?.parameter("api_key") == key)
    #expect(map.ingest.standardError.contains("provider failed"))
    #expect(!map.ingest.standardError.contains(key) && !map.ingest.standardError.contains("Storgata"))
    if !inFile { #expect(map.ingest.standardError.contains("ONTHEMAP_REMOTE_KEY=***")) }
  }

  @Test(
    "What is wrong is refused at the start, by its name",
    arguments: [
      (["--remote", "google", "--remote-url", "https://x.org"], "ONTHEMAP_REMOTE)"),
      (["--remote", "photon"], "ONTHEMAP_REMOTE_URL"), (["--remote-url", "https://x.org"], "ONTHEMAP_REMOTE)"),
      (["--remote", "photon", "--remote-url", "http://x.org"], "ONTHEMAP_REMOTE_URL"),
      (
        ["--remote", "nominatim", "--remote-url", "https://nominatim.openstreetmap.org"], "ONTHEMAP_REMOTE_CONTACT"
      ),
      (["--remote", "photon", "--remote-url", "https://x.org", "--remote-contact", "me"], "ONTHEMAP_REMOTE_CONTACT"),
    ])
  func refused(arguments: [String], name: String) async throws {
    let (status, _, logged) = try await SystemFixture.current.run(["geocoder"] + arguments)
    #expect(status != 0 && logged.contains(name), "\(logged)")
  }

  @Test("A rate that is none is refused", arguments: ["0", "0.009", "100.1", "fast", "nan"])
  func badRate(rate: String) async throws {
    let (status, _, logged) = try await SystemFixture.current.run(
      "ingest", "--data", SystemFixture.current.path("data"), "--remote-rate", rate)
    #expect(status != 0 && logged.contains("ONTHEMAP_REMOTE_RATE"), "\(logged)")
  }

  @Test("An address with a password or a key in it is refused, and not shown")
  func secretAddress() async throws {
    for url in ["https://ada:s3cret@x.org", "https://x.org/?api_key=s3cret"] {
      let (status, _, logged) = try await SystemFixture.current.run("geocoder", "--remote", "pelias", "--remote-url", url)
      #expect(status != 0 && logged.contains("ONTHEMAP_REMOTE_URL") && !logged.contains("s3cret"), "\(logged)")
    }
  }

  @Test("A provider's key is in no line of the log, whatever its level")
  func hiddenKey() async throws {
    let map = try await SystemFixture.current.up(
      "--remote", "pelias", "--remote-url", "http://127.0.0.1:9",
      environment: ["ONTHEMAP_REMOTE_KEY": "s3cret-key", "ONTHEMAP_LOG_LEVEL": "trace"])
    #expect(map.ingest.standardError.contains("Pelias") || map.ingest.standardError.contains("pelias"))
    #expect(!map.ingest.standardError.contains("s3cret-key"))
  }

  @Test("A key that its provider does not take is refused, and not shown")
  func badKey() async throws {
    for (provider, key) in [("photon", "s3cret"), ("pelias", "s3 cret")] {
      let (status, _, logged) = try await SystemFixture.current.run(
        "geocoder", "--remote", provider, "--remote-url", "https://x.org", environment: ["ONTHEMAP_REMOTE_KEY": key])
      #expect(status != 0 && logged.contains("ONTHEMAP_REMOTE_KEY") && !logged.contains(key), "\(logged)")
    }
  }
}
