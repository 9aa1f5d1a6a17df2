import Glibc

/// Nanoseconds of a clock that never goes back: all times of a load test are of it.
enum LoadClock {
  static var nowNs: Int64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }

  /// Returns at once when the time has passed; throws `CancellationError`.
  static func sleep(untilNs: Int64) async throws {
    let ns = untilNs - nowNs
    if ns > 0 { try await Task.sleep(for: .nanoseconds(ns), tolerance: .zero) }
  }
}
