import Domain

/// A cache of a provider's results. Results expire, and a full cache evicts the least recently used ones. A pure state
/// machine; times are milliseconds of a monotonic clock.
struct GeocodingCache: Sendable {
  /// The parts of a query that its result depends on. A cache belongs to one provider, so the provider is not a part.
  struct Key: Hashable, Sendable {
    private let text: String
    private let limit: Int
    private let country: String?
    private let focus: Coordinate?
    private let language: String?

    /// Creates the key of a query. Case and white space do not distinguish places. Swift compares the Unicode forms of
    /// an accent as equal.
    init(_ query: PlaceQuery) {
      text = query.text.lowercased().split(whereSeparator: \.isWhitespace).joined(separator: " ")
      limit = query.limit
      country = query.country
      focus = query.focus
      language = query.language
    }
  }

  /// A cached result.
  enum Entry: Equatable {
    /// A result that has not expired. Empty if the provider knows no place.
    case fresh([Place])
    /// An expired result, for use if the provider fails. Never empty.
    case stale([Place])
  }

  private struct CachedPlaces {
    var places: [Place]
    var atMs: Int64
    /// Number of the latest use.
    var use: UInt64
  }

  private let max: Int
  private var cached: [Key: CachedPlaces] = [:]
  private var uses: UInt64 = 0

  init(max: Int = RemoteLimits.cachedMax) { self.max = max }

  /// Number of cached results, from 0 to the maximum.
  var count: Int { cached.count }

  /// Returns the result for a key. Nil if there is none.
  mutating func entry(_ key: Key, nowMs: Int64) -> Entry? {
    guard let found = cached[key] else { return nil }
    let lifeMs = found.places.isEmpty ? RemoteLimits.notFoundMs : RemoteLimits.foundMs
    let isFresh = nowMs - found.atMs < lifeMs
    guard isFresh || !found.places.isEmpty else {
      cached[key] = nil
      return nil
    }
    uses += 1
    cached[key]?.use = uses
    return isFresh ? .fresh(found.places) : .stale(found.places)
  }

  /// Stores a result. An empty one records that the provider knows no place.
  mutating func store(_ places: [Place], for key: Key, nowMs: Int64) {
    if cached[key] == nil, cached.count >= max { evict() }
    uses += 1
    cached[key] = CachedPlaces(places: places, atMs: nowMs, use: uses)
  }

  /// Evicts the least recently used results, a sixteenth of the cache together. Sorting 8,192 numbers takes about a
  /// millisecond, once in 512 new results. In an `OrderedDictionary`, each use would move its result to the end and
  /// shift all later results.
  private mutating func evict() {
    let order = cached.values.map(\.use).sorted()
    let first = order[Swift.max(1, max / RemoteLimits.evictedShare) - 1]
    cached = cached.filter { $0.value.use > first }
  }
}
