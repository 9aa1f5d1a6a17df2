import Dispatch

/// Nanoseconds of a clock that never goes back: all times of a load test are of it.
enum RunClock {
  static var nowNs: Int64 { Int64(DispatchTime.now().uptimeNanoseconds) }

  /// Returns at once when the time has passed; throws `CancellationError`.
  static func sleep(untilNs: Int64) async throws {
    let ns = untilNs - nowNs
    if ns > 0 { try await Task.sleep(for: .nanoseconds(ns), tolerance: .zero) }
  }
}
