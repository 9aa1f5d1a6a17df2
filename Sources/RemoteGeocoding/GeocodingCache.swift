import Domain

/// What a provider answered, for as long as that may be believed; the answers used longest ago give way to new
/// ones. Without a clock; times are milliseconds of one that never goes back.
struct GeocodingCache: Sendable {
  /// A question as far as its answer depends on it. A cache is one provider's, so that is no part of it.
  struct Key: Hashable, Sendable {
    private let text: String
    private let limit: Int
    private let country: String?
    private let focus: Coordinate?
    private let language: String?

    /// Case and white space tell no places apart, and neither do the ways to write an accent in Unicode, which are
    /// equal in Swift.
    init(_ query: PlaceQuery) {
      text = query.text.lowercased().split(whereSeparator: \.isWhitespace).joined(separator: " ")
      limit = query.limit
      country = query.country
      focus = query.focus
      language = query.language
    }
  }

  /// What the cache knows.
  enum Entry: Equatable {
    /// As good as the provider's own answer; empty where it knows no place.
    case fresh([Place])
    /// Older than that, and better than none.
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

  /// Answers kept, 0 … its maximum.
  var count: Int { cached.count }

  /// Nil when nothing is known.
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

  /// Keeps an answer; an empty one says that the provider knows no place.
  mutating func store(_ places: [Place], for key: Key, nowMs: Int64) {
    if cached[key] == nil, cached.count >= max { evict() }
    uses += 1
    cached[key] = CachedPlaces(places: places, atMs: nowMs, use: uses)
  }

  /// Removes the answers used longest ago, many at once: sorting 8,192 numbers takes about a millisecond, and comes
  /// once in 512 new answers. In an `OrderedDictionary` each use would move its answer to the end, at the cost of all
  /// behind it.
  private mutating func evict() {
    let order = cached.values.map(\.use).sorted()
    let first = order[Swift.max(1, max / RemoteLimits.evictedShare) - 1]
    cached = cached.filter { $0.value.use > first }
  }
}
