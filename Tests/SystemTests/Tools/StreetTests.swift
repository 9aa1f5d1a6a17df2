import Foundation
import StubServers
import Synchronization
import Testing

@Suite("Remote provider for street addresses", .fixture)
struct StreetTests {
  private static let text = "7 Storgata, Oslo"

  private func geocode(_ client: Client, _ text: String = StreetTests.text) async throws -> APIResponse {
    try await client.get(
      "/v2/geocode?q=" + (text.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""))
  }

  private func best(_ response: APIResponse) throws -> [String: Any] {
    try #require((response.object["places"] as? [[String: Any]])?.first, "\(response)")
  }

  @Test("The provider locates street addresses, also of posts, and the gazetteer locates cities")
  func found() async throws {
    let server = try StubServer { _ in .response(body: ProviderSamples.nominatimHouse) }
    let map = try await SystemFixture.current.up(
      "--remote-provider", "nominatim", "--remote-url", server.url, "--remote-contact", "ops@example.org")
    let response = try await geocode(map.client)
    let place = try best(response)
    #expect(place["provider"] as? String == "nominatim" && place["level"] as? String == "house")
    #expect(place["degraded"] == nil)
    #expect((response["attribution"] ?? "").contains("OpenStreetMap"))
    #expect(try best(await geocode(map.client, "Oslo"))["provider"] as? String == "gazetteer")
    #expect(server.requests.map { $0.parameter("q") } == [Self.text])
    #expect(server.requests.first?.headers["user-agent"] == "onthemap/1.0 (ops@example.org)")

    let client = try await map.client.signedUp()
    let post = try await client.post("Storgata 7, Oslo", wait: 30)
    #expect(post["state"] == "published" && (post["label"] ?? "").contains("Storgata"))
  }

  @Test("Two workers request each street from the provider once")
  func once() async throws {
    let server = try StubServer { _ in .delayed(ms: 50, .response(body: ProviderSamples.nominatimHouse)) }
    let map = try await SystemFixture.current.roles(workers: 0)
    let jobs = try map.ports.first { $0.name == "jobs" }?.port ?? 0
    for name in ["a", "b"] {
      let worker = try SystemFixture.current.program([
        "worker", "--ingest", "tcp://127.0.0.1:\(jobs)", "--name", name, "--remote-provider", "nominatim",
        "--remote-url", server.url,
      ])
      try await worker.startAndWait()
    }
    let client = try await map.client.signedUp()
    for number in 1...5 { #expect(try await client.post("\(number) Storgata, Oslo").status == 202) }
    try await eventually("all posts are published") {
      let posts = try await client.posts()
      return posts.count == 5 && posts.allSatisfy { $0.state == "published" }
    }
    // JobScheduler's own tests check the rate of permits without a clock.
    #expect(server.requests.count == 5 && Set(server.requests.map(\.target)).count == 5)
  }

  @Test("A failing provider leads to the gazetteer's city, or to a temporary failure")
  func down() async throws {
    let server = try StubServer { _ in .response(status: 503, body: "") }
    let map = try await SystemFixture.current.up(
      "--remote-provider", "nominatim", "--remote-url", server.url, "--workers", "1")
    for _ in 0..<3 {
      let place = try best(await geocode(map.client))
      #expect(place["degraded"] as? Bool == true && place["match"] as? String == "fallback")
      #expect(place["level"] as? String == "city" && place["provider"] as? String == "gazetteer")
    }
    let unknown = try await geocode(map.client, "7 Qwxzzzk Street")
    #expect(unknown.status == 503 && unknown["code"] == "geocoder_unavailable")
    let client = try await map.client.signedUp()
    let post = try await client.post(Self.text, wait: 30)
    #expect(post["state"] == "published" && (post["label"] ?? "").contains("Oslo") && post["match"] == "fallback")

    server.setResponse { _ in .response(body: ProviderSamples.nominatimNone) }
    try await eventually("the provider gets another request and finds nothing") {
      try await geocode(map.client, "7 Qwxzzzk Street").status == 404
    }
    try await eventually("the result is not degraded") {
      let place = try best(await geocode(map.client))
      return place["degraded"] == nil && place["level"] as? String == "city"
    }
  }

  @Test("A silent provider does not delay lookups of cities")
  func slow() async throws {
    let server = try StubServer { _ in .silence }
    let map = try await SystemFixture.current.up(
      "--remote-provider", "photon", "--remote-url", server.url, "--workers", "1")
    let client = try map.client
    var round = 0
    // The lookup of a street ends after 2 s. On a slow machine, the lookup of a city may be slower in some rounds.
    try await eventually("a city is found during a request to the provider for a street") {
      round += 1
      let (requests, text) = (server.requests.count, "\(round) Storgata, Oslo")
      let hasResponse = Mutex(false)
      async let street = {
        let response = try await geocode(client, text)
        hasResponse.withLock { $0 = true }
        return response
      }()
      // The breaker stops requests to a provider that has failed several times.
      try await eventually("the provider gets a request") {
        hasResponse.withLock { $0 } || server.requests.count > requests
      }
      let city = try await geocode(client, "Oslo")
      let isFirst = !hasResponse.withLock { $0 } && city.status == 200
      let response = try await street
      if isFirst { #expect(try best(response)["degraded"] as? Bool == true) }
      return isFirst
    }
    map.ingest.signal(SIGTERM)
    #expect(try await map.ingest.exit() == 0)
  }

  @Test("Logs contain neither the provider's key nor the query", arguments: [false, true])
  func key(inFile: Bool) async throws {
    let key = "k3y-that-nobody-sees"
    let server = try StubServer { _ in .reset }
    let path = SystemFixture.current.path("key")
    try Data((key + "\n").utf8).write(to: URL(fileURLWithPath: path))
    let map = try await SystemFixture.current.up(
      "--remote-provider", "pelias", "--remote-url", server.url, "--log-level", "trace",
      environment: inFile ? ["ONTHEMAP_REMOTE_API_KEY_FILE": path] : ["ONTHEMAP_REMOTE_API_KEY": key])
    #expect(try best(await geocode(map.client))["degraded"] as? Bool == true)
    #expect(server.requests.first?.parameter("api_key") == key)
    #expect(map.ingest.standardError.contains("provider failed"))
    #expect(!map.ingest.standardError.contains(key) && !map.ingest.standardError.contains("Storgata"))
    if !inFile { #expect(map.ingest.standardError.contains("ONTHEMAP_REMOTE_API_KEY=***")) }
  }

  @Test(
    "Invalid provider settings are refused at start by name",
    arguments: [
      (["--remote-provider", "google", "--remote-url", "https://x.org"], "ONTHEMAP_REMOTE_PROVIDER)"),
      (["--remote-provider", "photon"], "ONTHEMAP_REMOTE_URL"),
      (["--remote-url", "https://x.org"], "ONTHEMAP_REMOTE_PROVIDER)"),
      (["--remote-provider", "photon", "--remote-url", "http://x.org"], "ONTHEMAP_REMOTE_URL"),
      (
        ["--remote-provider", "nominatim", "--remote-url", "https://nominatim.openstreetmap.org"],
        "ONTHEMAP_REMOTE_CONTACT"
      ),
      (
        ["--remote-provider", "photon", "--remote-url", "https://x.org", "--remote-contact", "me"],
        "ONTHEMAP_REMOTE_CONTACT"
      ),
    ])
  func refused(arguments: [String], name: String) async throws {
    let (status, _, log) = try await SystemFixture.current.run(["worker"] + arguments)
    #expect(status != 0 && log.contains(name), "\(log)")
  }

  @Test("An invalid --remote-rate is refused at start", arguments: ["0", "0.009", "100.1", "fast", "nan"])
  func badRate(rate: String) async throws {
    let (status, _, log) = try await SystemFixture.current.run(
      "ingest", "--data", SystemFixture.current.path("data"), "--remote-rate", rate)
    #expect(status != 0 && log.contains("ONTHEMAP_REMOTE_RATE"), "\(log)")
  }

  @Test("A provider URL with a password or key is refused and not shown")
  func secretAddress() async throws {
    for url in ["https://ada:s3cret@x.org", "https://x.org/?api_key=s3cret"] {
      let (status, _, log) = try await SystemFixture.current.run(
        "worker", "--remote-provider", "pelias", "--remote-url", url)
      #expect(status != 0 && log.contains("ONTHEMAP_REMOTE_URL") && !log.contains("s3cret"), "\(log)")
    }
  }

  @Test("The provider's key is never logged at start, even at level trace")
  func hiddenKey() async throws {
    let map = try await SystemFixture.current.up(
      "--remote-provider", "pelias", "--remote-url", "http://127.0.0.1:9",
      environment: ["ONTHEMAP_REMOTE_API_KEY": "s3cret-key", "ONTHEMAP_LOG_LEVEL": "trace"])
    #expect(map.ingest.standardError.contains("Pelias") || map.ingest.standardError.contains("pelias"))
    #expect(!map.ingest.standardError.contains("s3cret-key"))
  }

  @Test("A key that its provider does not accept is refused and not shown")
  func badKey() async throws {
    for (provider, key) in [("photon", "s3cret"), ("pelias", "s3 cret")] {
      let (status, _, log) = try await SystemFixture.current.run(
        "worker", "--remote-provider", provider, "--remote-url", "https://x.org",
        environment: ["ONTHEMAP_REMOTE_API_KEY": key])
      #expect(status != 0 && log.contains("ONTHEMAP_REMOTE_API_KEY") && !log.contains(key), "\(log)")
    }
  }
}
