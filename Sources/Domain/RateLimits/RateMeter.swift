/// Counter of events, in total and as a recent rate. Times are milliseconds of a monotonic clock.
package struct RateMeter: Sendable, Equatable {
  /// Reading of a meter.
  package struct Reading: Sendable, Equatable {
    /// Number of events since the meter was created.
    package var total: UInt64
    /// Events per second over the last `Limits.rateWindowSeconds` seconds, or since the first event if that is more
    /// recent.
    package var perSecond: Double

    package init(total: UInt64 = 0, perSecond: Double = 0) {
      self.total = total
      self.perSecond = perSecond
    }
  }

  /// Number of events since the meter was created.
  package private(set) var total: UInt64 = 0
  /// Ring of counts: one for each whole second of the window, and one for the current second. The latest count is at
  /// `second` modulo the ring's length. Empty before the first event.
  private var counts: [UInt64] = []
  private var firstSecond: Int64 = 0
  private var second: Int64 = 0

  package init() {}

  /// Counts events.
  package mutating func add(_ count: Int, nowMs: Int64) {
    guard count > 0 else { return }
    total += UInt64(count)
    let nowSecond = max(0, nowMs) / 1_000
    if counts.isEmpty {
      counts = Array(repeating: 0, count: Limits.rateWindowSeconds + 1)
      (firstSecond, second) = (nowSecond, nowSecond)
    }
    if nowSecond > second {
      for skipped in max(second + 1, nowSecond - Int64(counts.count) + 1)...nowSecond { counts[slot(skipped)] = 0 }
      second = nowSecond
    }
    counts[slot(second)] += UInt64(count)
  }

  /// Returns the reading at a time. The rate covers whole seconds. During the first second, the rate is the number of
  /// events so far.
  package func reading(nowMs: Int64) -> Reading {
    let nowSecond = max(0, nowMs) / 1_000
    guard !counts.isEmpty, nowSecond > firstSecond else {
      return Reading(total: total, perSecond: Double(total))
    }
    let seconds = min(nowSecond - firstSecond, Int64(Limits.rateWindowSeconds))
    var sum: UInt64 = 0
    for past in (nowSecond - seconds)..<nowSecond where past <= second && past > second - Int64(counts.count) {
      sum += counts[slot(past)]
    }
    return Reading(total: total, perSecond: Double(sum) / Double(seconds))
  }

  private func slot(_ second: Int64) -> Int { Int(second % Int64(counts.count)) }
}

/// Rates at which the queue fills and empties: posts, not lookups.
package struct QueueRates: Sendable, Equatable {
  /// Accepted posts.
  package var accepted = RateMeter()
  /// Posts that left the queue: published, rejected or dead.
  package var settled = RateMeter()
  /// Failed attempts, without lost workers.
  package var failed = RateMeter()

  package init() {}

  /// Readings of the three meters.
  package struct Readings: Sendable, Equatable {
    package let accepted: RateMeter.Reading
    package let settled: RateMeter.Reading
    package let failed: RateMeter.Reading
  }

  /// Returns the readings of the three meters at a time.
  package func readings(nowMs: Int64) -> Readings {
    Readings(
      accepted: accepted.reading(nowMs: nowMs), settled: settled.reading(nowMs: nowMs),
      failed: failed.reading(nowMs: nowMs))
  }
}
