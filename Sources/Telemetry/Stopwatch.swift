import Glibc
package import Metrics

/// Takes a time for a timer. `ContinuousClock` asks for CLOCK_BOOTTIME, which costs more.
package struct Stopwatch: Sendable {
  private let start: Int64

  /// Starts it.
  package init() { start = Stopwatch.nowNs }

  /// Nanoseconds since its start.
  package var nanoseconds: Int64 { Stopwatch.nowNs - start }

  /// Tells a timer how long it was, and returns that in ns.
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
