import Domain

/// What a provider answered, for as long as that may be believed; the answer not asked for longest gives way to a new
/// one. Without a clock; times are milliseconds of one that never goes back.
struct AnswerCache: Sendable {
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

  private struct Kept {
    var places: [Place]
    var atMs: Int64
    var older: Key?
    var newer: Key?
  }

  private let max: Int
  private var kept: [Key: Kept] = [:]
  /// Asked for longest ago, and last.
  private var oldest: Key?
  private var newest: Key?

  init(max: Int = RemoteLimits.cachedMax) { self.max = max }

  /// Answers kept, 0 … its maximum.
  var count: Int { kept.count }

  /// Nil when nothing is known.
  mutating func entry(_ key: Key, nowMs: Int64) -> Entry? {
    guard let found = kept[key] else { return nil }
    let lifeMs = found.places.isEmpty ? RemoteLimits.notFoundMs : RemoteLimits.foundMs
    let isFresh = nowMs - found.atMs < lifeMs
    guard isFresh || !found.places.isEmpty else {
      unlink(key)
      kept[key] = nil
      return nil
    }
    unlink(key)
    link(key)
    return isFresh ? .fresh(found.places) : .stale(found.places)
  }

  /// Keeps an answer; an empty one says that the provider knows no place.
  mutating func keep(_ places: [Place], for key: Key, nowMs: Int64) {
    if kept[key] != nil { unlink(key) }
    kept[key] = Kept(places: places, atMs: nowMs)
    link(key)
    if kept.count > max, let oldest {
      unlink(oldest)
      kept[oldest] = nil
    }
  }

  /// Puts it behind the newest.
  private mutating func link(_ key: Key) {
    kept[key]?.older = newest
    kept[key]?.newer = nil
    if let newest { kept[newest]?.newer = key } else { oldest = key }
    newest = key
  }

  private mutating func unlink(_ key: Key) {
    guard let (older, newer) = kept[key].map({ ($0.older, $0.newer) }) else { return }
    if let older { kept[older]?.newer = newer } else { oldest = newer }
    if let newer { kept[newer]?.older = older } else { newest = older }
  }
}
