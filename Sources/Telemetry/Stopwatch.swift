import Glibc
package import Metrics

/// Stopwatch for a timer. `ContinuousClock` uses CLOCK_BOOTTIME, which costs more.
package struct Stopwatch: Sendable {
  private let start: Int64

  /// Starts the stopwatch.
  package init() { start = Stopwatch.nowNs }

  /// Nanoseconds since the start.
  package var nanoseconds: Int64 { Stopwatch.nowNs - start }

  /// Records the duration in a timer, and returns it in nanoseconds.
  @discardableResult
  package func stop(_ timer: Timer) -> Int64 {
    let nanoseconds = nanoseconds
    timer.recordNanoseconds(nanoseconds)
    return nanoseconds
  }

  private static var nowNs: Int64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }
}
