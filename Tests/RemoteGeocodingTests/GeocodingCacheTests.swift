import Domain
import Testing

@testable import RemoteGeocoding

/// A reference to a cache, so that expectations can call its mutating methods.
private final class CacheBox {
  private var cache: GeocodingCache

  init(max: Int = RemoteLimits.cachedMax) { cache = GeocodingCache(max: max) }

  var count: Int { cache.count }
  func entry(_ key: GeocodingCache.Key, nowMs: Int64) -> GeocodingCache.Entry? { cache.entry(key, nowMs: nowMs) }
  func store(_ places: [Place], for key: GeocodingCache.Key, nowMs: Int64) {
    cache.store(places, for: key, nowMs: nowMs)
  }
}

@Suite("Geocoding cache")
struct GeocodingCacheTests {
  private let day: Int64 = 24 * 3_600_000
  private let here = [Place.sample("Here")]

  private func key(_ text: String) -> GeocodingCache.Key { GeocodingCache.Key(PlaceQuery(text)) }

  @Test("A found place is fresh for 30 days and stale afterwards")
  func found() {
    let cache = CacheBox()
    cache.store(here, for: key("a"), nowMs: 5)
    #expect(cache.entry(key("a"), nowMs: 30 * day + 4) == .fresh(here))
    #expect(cache.entry(key("a"), nowMs: 30 * day + 5) == .stale(here))
    cache.store([.sample("There")], for: key("a"), nowMs: 31 * day)
    #expect(cache.entry(key("a"), nowMs: 31 * day) == .fresh([.sample("There")]))
    #expect(cache.count == 1)
  }

  @Test("A result without a place is fresh for one day and then dropped")
  func notFound() {
    let cache = CacheBox()
    cache.store([], for: key("a"), nowMs: 0)
    #expect(cache.entry(key("a"), nowMs: day - 1) == .fresh([]))
    #expect(cache.entry(key("a"), nowMs: day) == nil)
    #expect(cache.count == 0)
  }

  @Test("Cache keys ignore case, white space and Unicode normalization")
  func equal() {
    for text in ["9 rue été, paris", " 9  Rue\tÉté, PARIS ", "9 rue e\u{301}te\u{301}, paris"] {
      #expect(key(text) == key("9 rue été, Paris"), "\(text)")
    }
  }

  @Test("Cache keys differ in every parameter that changes the result")
  func different() {
    var queries = [PlaceQuery("a"), PlaceQuery("b"), PlaceQuery("a", limit: 2), PlaceQuery("a", country: "FR")]
    queries += [PlaceQuery("a", language: "fr"), PlaceQuery("a", focus: Place.sample("").coordinate)]
    #expect(Set(queries.map(GeocodingCache.Key.init)).count == queries.count)
  }

  @Test("A full cache evicts the least recently used result")
  func full() {
    let cache = CacheBox(max: 3)
    for text in ["a", "b", "c"] { cache.store(here, for: key(text), nowMs: 0) }
    #expect(cache.entry(key("a"), nowMs: 1) != nil)
    cache.store(here, for: key("d"), nowMs: 2)
    #expect(cache.count == 3)
    #expect(cache.entry(key("b"), nowMs: 3) == nil)
    for text in ["a", "c", "d"] { #expect(cache.entry(key(text), nowMs: 3) != nil, "\(text)") }
  }

  @Test("A large cache evicts a sixteenth of its results together, the least recently used")
  func batch() {
    let cache = CacheBox(max: 64)
    for number in 0..<64 { cache.store(here, for: key("\(number)"), nowMs: 0) }
    #expect(cache.entry(key("0"), nowMs: 0) != nil)
    cache.store(here, for: key("new"), nowMs: 0)
    #expect(cache.count == 61)
    for text in ["1", "2", "3", "4"] { #expect(cache.entry(key(text), nowMs: 0) == nil, "\(text)") }
    for text in ["0", "5", "63", "new"] { #expect(cache.entry(key(text), nowMs: 0) != nil, "\(text)") }
  }

  @Test("The cache never exceeds its maximum")
  func bound() {
    let cache = CacheBox(max: 10)
    for round in 0..<500 {
      _ = cache.entry(key("\(round * 7 % 23)"), nowMs: 0)
      cache.store(round % 3 == 0 ? [] : here, for: key("\(round * 5 % 31)"), nowMs: Int64(round) * day / 4)
      #expect(cache.count <= 10)
    }
    #expect(cache.count == 10)
  }
}

extension Place {
  static func sample(_ label: String) -> Place {
    guard let coordinate = Coordinate(latitude: 59.9, longitude: 10.7) else { preconditionFailure("Valid coordinate.") }
    return Place(
      coordinate: coordinate, level: .house, match: .exact, confidence: 1, label: label, name: label, region: "",
      country: "Norway", countryCode: "NO")
  }
}
