import Foundation
import Testing

@Suite("Looking places up", .stage)
struct GeocodeTests {
  /// What a text must mean: a level, and a point within some km.
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

  @Test("Well-known places are found in many ways of writing, over HTTP and on the command line")
  func known() async throws {
    let client = try await Stage.current.up().client
    for known in Self.known {
      let answer = try await client.get("/v2/geocode?limit=1&q=" + Self.escaped(known.text))
      #expect(answer.status == 200, "\(known.text)")
      #expect(answer["query"] == known.text)
      expect(try #require((answer.object["places"] as? [[String: Any]])?.first), is: known)

      let (status, said, _) = try await Stage.current.run("geocode", "--json", known.text)
      #expect(status == 0)
      expect(try #require(JSONSerialization.jsonObject(with: Data(said.utf8)) as? [String: Any]), is: known)
    }
  }

  private func expect(_ place: [String: Any], is known: Known) {
    #expect(place["level"] as? String == known.level, "\(known.text): \(place)")
    #expect(place["countryCode"] as? String == known.country, "\(known.text): \(place)")
    let latitude = (place["latitude"] as? NSNumber)?.doubleValue ?? .nan
    let longitude = (place["longitude"] as? NSNumber)?.doubleValue ?? .nan
    // Short distances: a plane is enough.
    let (north, east) = (latitude - known.latitude, (longitude - known.longitude) * cos(known.latitude * .pi / 180))
    #expect(111.2 * (north * north + east * east).squareRoot() <= known.km, "\(known.text): \(place)")
  }

  private static func escaped(_ text: String) -> String {
    text.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
  }

  @Test("A plus in a query is a space, as forms and most HTTP libraries write it")
  func plus() async throws {
    let answer = try await Stage.current.up().client.get("/v2/geocode?q=Costa+Rica")
    #expect(answer["query"] == "Costa Rica")
  }

  @Test("A text that names no place is not found, over HTTP and on the command line")
  func unknown() async throws {
    let answer = try await Stage.current.up().client.get("/v2/geocode?q=Qwxzzzk")
    #expect(answer.status == 404 && answer["code"] == "place_not_found")
    let (status, said, logged) = try await Stage.current.run("geocode", "Qwxzzzk")
    #expect(status == 1 && said.isEmpty && logged.contains("Qwxzzzk"))
  }

  @Test("Without a worker a look-up is unavailable, not unknown; a post is accepted, and published when one comes")
  func noWorker() async throws {
    let map = try await Stage.current.roles(workers: 0)
    let client = try await map.client.signedUp()
    let post = try await client.post("Seattle, WA", wait: 1)
    #expect(post.status == 202 && post["state"] == "queued")
    let answer = try await client.get("/v2/geocode?q=Oslo")
    #expect(answer.status == 503 && answer["code"] == "geocoder_unavailable" && answer.headers["retry-after"] != nil)
    let worker = try await Stage.current.worker(of: map)
    let location = try #require(post.headers["location"])
    try await eventually("the post is published") { try await client.get(location)["state"] == "published" }

    // The same when there was a worker, and it is gone.
    try await worker.kill()
    let later = try await client.post("Oslo")
    #expect(later.status == 202)
    try await worker.startAndWait()
    let next = try #require(later.headers["location"])
    try await eventually("the later post is published") { try await client.get(next)["state"] == "published" }
  }
}
