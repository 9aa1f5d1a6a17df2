import Histogram

/// A histogram of durations in microseconds, with three significant digits, up to two minutes.
struct Latency: Sendable {
  private var histogram = Histogram<UInt64>(
    lowestDiscernibleValue: 1, highestTrackableValue: LoadLimits.latencyUsMax, numberOfSignificantValueDigits: .three)
  private var maxUs: UInt64 = 0

  var count: UInt64 { histogram.totalCount }
  var maxMs: Double { Double(maxUs) / 1_000 }

  mutating func record(ns: Int64) {
    let us = UInt64(max(0, ns) / 1_000)
    maxUs = max(maxUs, us)
    histogram.record(min(us, LoadLimits.latencyUsMax))
  }

  /// Returns a percentile in milliseconds.
  ///
  /// - Parameter percentile: 0 to 100.
  func ms(_ percentile: Double) -> Double { Double(min(histogram.valueAtPercentile(percentile), maxUs)) / 1_000 }
}
