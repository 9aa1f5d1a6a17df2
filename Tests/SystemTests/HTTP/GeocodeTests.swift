import Foundation
import Testing

@Suite("Geocoding", .fixture, .sharedServices)
struct GeocodeTests {
  /// The expected place of a text: a level, and a point within a few kilometres.
  private struct Known {
    let text: String
    let level: String
    let country: String
    let latitude: Double
    let longitude: Double
    let km: Double
  }

  private static let known = [
    Known(text: "Costa Rica", level: "country", country: "CR", latitude: 9.9, longitude: -84.1, km: 150),
    Known(text: "Seattle, WA", level: "city", country: "US", latitude: 47.61, longitude: -122.33, km: 15),
    Known(text: "Paris, TX", level: "city", country: "US", latitude: 33.66, longitude: -95.56, km: 15),
    Known(text: "Paris", level: "city", country: "FR", latitude: 48.86, longitude: 2.35, km: 15),
    Known(text: "München", level: "city", country: "DE", latitude: 48.14, longitude: 11.58, km: 15),
    Known(text: "東京", level: "city", country: "JP", latitude: 35.69, longitude: 139.69, km: 30),
    Known(text: "sao paulo brazil", level: "city", country: "BR", latitude: -23.55, longitude: -46.63, km: 30),
  ]

  @Test("Well-known places are found in several spellings, over HTTP and on the command line")
  func known() async throws {
    let client = try SystemFixture.shared.client
    for known in Self.known {
      let response = try await client.get("/v2/geocode?limit=1&q=" + Self.escaped(known.text))
      #expect(response.status == 200, "\(known.text)")
      #expect(response["query"] == known.text)
      expect(try #require((response.object["places"] as? [[String: Any]])?.first), is: known)

      let (status, output, _) = try await SystemFixture.current.run("geocode", "--json", known.text)
      #expect(status == 0)
      expect(try #require(JSONSerialization.jsonObject(with: Data(output.utf8)) as? [String: Any]), is: known)
    }
  }

  private func expect(_ place: [String: Any], is known: Known) {
    #expect(place["level"] as? String == known.level, "\(known.text): \(place)")
    #expect(place["countryCode"] as? String == known.country, "\(known.text): \(place)")
    let latitude = (place["latitude"] as? NSNumber)?.doubleValue ?? .nan
    let longitude = (place["longitude"] as? NSNumber)?.doubleValue ?? .nan
    // A plane is accurate enough for short distances.
    let (north, east) = (latitude - known.latitude, (longitude - known.longitude) * cos(known.latitude * .pi / 180))
    #expect(111.2 * (north * north + east * east).squareRoot() <= known.km, "\(known.text): \(place)")
  }

  private static func escaped(_ text: String) -> String {
    text.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
  }

  @Test("A half-closed client gets its response, and a disconnected one leaves no lookup behind")
  func disconnected() async throws {
    let map = try await SystemFixture.current.roles(workers: 0)
    let port = try map.client.port
    func request(_ place: String) -> [UInt8] { Array("GET /v2/geocode?q=\(place) HTTP/1.1\r\nHost: x\r\n\r\n".utf8) }
    func lookups() async throws -> Double? {
      try await Scrape(#require(map.operations.first))["onthemap_queue_lookups"]
    }
    var isCancelled = false
    let deadline = ContinuousClock.now + .seconds(120)
    // If no worker is connected, a lookup ends after 5 s. A busy machine may be slower in some rounds.
    while !isCancelled, ContinuousClock.now < deadline {
      // Without a cancellation, the older lookup ends first.
      let older = try Connection(port: port)
      try await older.send(request("Lima"))
      do {
        let caller = try Connection(port: port)
        try await caller.send(request("Oslo"))
        try await eventually("both lookups run, or one has ended") { try await lookups() == 2 || !older.isOpen }
        withExtendedLifetime(caller) {}
      }
      try await eventually("one lookup is cancelled, or has ended") { try await lookups() == 1 || !older.isOpen }
      // Check again, because the older lookup's response may have arrived meanwhile.
      isCancelled = try await lookups() == 1 && older.isOpen
      try await eventually("the older lookup ends too") { try await lookups() == 0 }
    }
    #expect(isCancelled, "The lookup of a disconnected client must end before the older one.")
    _ = try await SystemFixture.current.worker(of: map)
    try await eventually("a lookup succeeds") { try await map.client.get("/v2/geocode?q=Rome").status == 200 }
    for _ in 0..<5 {
      let caller = try Connection(port: port)
      try await caller.send(request("Oslo"))
      caller.finish()
      #expect(try await caller.receive(12) == "HTTP/1.1 200")
    }
  }

  @Test("A reverse lookup finds the place of a point")
  func reverse() async throws {
    let client = try SystemFixture.shared.client
    let response = try await client.get("/v2/reverse?lat=59.91273&lon=10.74609&limit=1&lang=en&level=city")
    #expect(response.status == 200 && response["query"] == "59.91273, 10.74609")
    let places = try #require(response.object["places"] as? [[String: Any]])
    #expect(places.count == 1 && abs((places[0]["latitude"] as? Double ?? 0) - 59.9) < 0.2)
    #expect(try await client.get("/v2/reverse?lat=59.91273&lon=10.74609&country=US").status == 404)
    let edge = try await client.get("/v2/reverse?lat=-90&lon=180")
    #expect([200, 404].contains(edge.status))
  }

  @Test("An unknown place is not found, over HTTP and on the command line")
  func unknown() async throws {
    let response = try await SystemFixture.shared.client.get("/v2/geocode?q=Qwxzzzk")
    #expect(response.status == 404 && response["code"] == "place_not_found")
    let (status, output, log) = try await SystemFixture.current.run("geocode", "Qwxzzzk")
    #expect(status == 1 && output.isEmpty && log.contains("Qwxzzzk"))
  }

  /// A lookup of the flood.
  private struct Lookup {
    let took: Duration
    let isFound: Bool
  }

  /// Sends one lookup after the other until the task is cancelled.
  private static func lookUp(_ number: Int, with client: Client) async throws -> [Lookup] {
    var lookups: [Lookup] = []
    repeat {
      let start = ContinuousClock.now
      // Different queries, because equal ones would share a job.
      let response = try await client.get("/v2/geocode?q=Springfield&focus=\(number),0")
      let isFound = response.status == 200
      #expect(isFound || response.status == 503 && response["code"] == "geocoder_unavailable", "\(response)")
      lookups.append(Lookup(took: ContinuousClock.now - start, isFound: isFound))
    } while !Task.isCancelled
    return lookups
  }

  @Test("A flood of lookups does not delay posts")
  func flood() async throws {
    let map = try await SystemFixture.current.up()
    let client = try await map.client.signedUp()
    try await withThrowingTaskGroup(of: [Lookup].self) { group in
      // The tests' client has 64 connections to a service. Some are left for posts.
      for number in 0..<60 { group.addTask { try await Self.lookUp(number, with: client) } }
      var posts: [Duration] = []
      for _ in 0..<20 {
        let start = ContinuousClock.now
        let location = try #require(try await client.post("Oslo", wait: 30).headers["location"])
        try await eventually("the post is published") { try await client.get(location)["state"] == "published" }
        posts.append(ContinuousClock.now - start)
      }
      group.cancelAll()
      let lookups: [Lookup] = try await group.reduce(into: []) { $0 += $1 }
      let (post, lookup) = (posts.sorted()[10], lookups.map(\.took).sorted()[lookups.count / 2])
      #expect(post <= max(Duration.seconds(30), lookup * 20), "medians of posts: \(post), of lookups: \(lookup)")
      // On a slow machine most lookups may time out, so their share proves nothing. But ingest waits 5 s for each
      // lookup, unless it loses the worker.
      let early = lookups.filter { !$0.isFound && $0.took < .seconds(4.5) }
      #expect(early.isEmpty || map.ingest.standardError.contains("worker lost"), "\(early)")
      #expect(lookups.contains { $0.isFound })
    }
  }

  @Test("Two hundred concurrent lookups time out together when no worker is connected")
  func manyWithoutWorker() async throws {
    let map = try await SystemFixture.current.roles(workers: 0)
    let client = try await map.client.signedUp()
    let connections = try (0..<200).map { _ in try Connection(port: try client.port) }
    for connection in connections {
      try await connection.send(Array("GET /v2/geocode?q=Oslo HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n".utf8))
    }
    // Each lookup waits 5 s. In sequence they would take 1,000 s, and the deadline for all is half of that.
    let deadline = ContinuousClock.now + .seconds(500)
    for connection in connections {
      let response = APIResponse(raw: try await connection.receive(within: deadline - ContinuousClock.now))
      #expect(response?.status == 503 && response?["code"] == "geocoder_unavailable")
    }
    _ = try await SystemFixture.current.worker(of: map)
    try await eventually("a lookup succeeds") { try await client.get("/v2/geocode?q=Oslo").status == 200 }
    try await client.expectService()
  }

  @Test("A lookup without a worker gets 503, and a post waits until a worker connects")
  func noWorker() async throws {
    let map = try await SystemFixture.current.roles(workers: 0)
    let client = try await map.client.signedUp()
    let post = try await client.post("Seattle, WA", wait: 1)
    #expect(post.status == 202 && post["state"] == "queued")
    let response = try await client.get("/v2/geocode?q=Oslo")
    #expect(response.status == 503 && response["code"] == "geocoder_unavailable")
    #expect(response.headers["retry-after"] != nil)
    let worker = try await SystemFixture.current.worker(of: map)
    let location = try #require(post.headers["location"])
    try await eventually("the post is published") { try await client.get(location)["state"] == "published" }

    // The same after a connected worker was killed.
    try await worker.kill()
    let second = try await client.post("Oslo")
    #expect(second.status == 202)
    try await worker.startAndWait()
    let next = try #require(second.headers["location"])
    try await eventually("the second post is published") { try await client.get(next)["state"] == "published" }
  }
}
