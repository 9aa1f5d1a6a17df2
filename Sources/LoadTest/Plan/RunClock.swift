import Dispatch

/// The monotonic clock of a load test, in nanoseconds.
enum RunClock {
  static var nowNs: Int64 { Int64(DispatchTime.now().uptimeNanoseconds) }

  /// Sleeps until a time. Returns immediately if it has passed.
  ///
  /// - Throws: `CancellationError`.
  static func sleep(untilNs: Int64) async throws {
    let ns = untilNs - nowNs
    if ns > 0 { try await Task.sleep(for: .nanoseconds(ns), tolerance: .zero) }
  }
}
