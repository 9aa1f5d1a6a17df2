/// Counts what happens, in all and over the last seconds. Times are milliseconds of a clock that never goes back.
package struct RateMeter: Sendable, Equatable {
  /// What a meter shows.
  package struct Reading: Sendable, Equatable {
    /// Since the meter was made.
    package var total: UInt64
    /// Over the last `Limits.rateWindowSeconds`, or since the first count where that is less; 0 or more.
    package var perSecond: Double

    package init(total: UInt64 = 0, perSecond: Double = 0) {
      self.total = total
      self.perSecond = perSecond
    }
  }

  /// Since the meter was made.
  package private(set) var total: UInt64 = 0
  /// One for each whole second of the window, and one for the second that runs; the last count's stands at `second`
  /// modulo their number. Empty before the first count.
  private var counts: [UInt64] = []
  private var firstSecond: Int64 = 0
  private var second: Int64 = 0

  package init() {}

  /// Counts so many at a time.
  package mutating func add(_ count: Int, nowMs: Int64) {
    guard count > 0 else { return }
    total += UInt64(count)
    let running = max(0, nowMs) / 1_000
    if counts.isEmpty {
      counts = Array(repeating: 0, count: Limits.rateWindowSeconds + 1)
      (firstSecond, second) = (running, running)
    }
    if running > second {
      for passed in max(second + 1, running - Int64(counts.count) + 1)...running { counts[slot(passed)] = 0 }
      second = running
    }
    counts[slot(second)] += UInt64(count)
  }

  /// What it shows at a time: of whole seconds, but for the first one.
  package func reading(nowMs: Int64) -> Reading {
    let running = max(0, nowMs) / 1_000
    guard !counts.isEmpty, running > firstSecond else {
      return Reading(total: total, perSecond: Double(total))
    }
    let seconds = min(running - firstSecond, Int64(Limits.rateWindowSeconds))
    var sum: UInt64 = 0
    for passed in (running - seconds)..<running where passed <= second && passed > second - Int64(counts.count) {
      sum += counts[slot(passed)]
    }
    return Reading(total: total, perSecond: Double(sum) / Double(seconds))
  }

  private func slot(_ second: Int64) -> Int { Int(second % Int64(counts.count)) }
}

/// How fast the queue fills and empties: posts, not look-ups.
package struct QueueRates: Sendable, Equatable {
  /// Posts taken in.
  package var accepted = RateMeter()
  /// Posts that left the queue: published, rejected or dead.
  package var settled = RateMeter()
  /// Tries that failed, lost workers not among them.
  package var failed = RateMeter()

  package init() {}

  /// What the three show at a moment.
  package struct Readings: Sendable, Equatable {
    package let accepted: RateMeter.Reading
    package let settled: RateMeter.Reading
    package let failed: RateMeter.Reading
  }

  /// What the three show at a moment.
  package func readings(nowMs: Int64) -> Readings {
    Readings(
      accepted: accepted.reading(nowMs: nowMs), settled: settled.reading(nowMs: nowMs),
      failed: failed.reading(nowMs: nowMs))
  }
}
