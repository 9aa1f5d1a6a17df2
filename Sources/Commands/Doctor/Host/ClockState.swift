import CHost
import Glibc

/// The kernel's view of its clock, by adjtimex(2).
struct ClockState: Sendable, Equatable {
  /// True if a time service keeps the clock correct.
  let isSynchronized: Bool
  /// Maximum error of the clock, in microseconds.
  let errorUs: Int

  /// Evaluates the result of adjtimex(2).
  ///
  /// - Parameters:
  ///   - state: The returned state, such as TIME_OK. -1 stands for a failed call.
  ///   - status: The status bits.
  init?(state: Int32, status: Int32, errorUs: Int) {
    guard state >= 0 else { return nil }
    // STA_UNSYNC is set until the first synchronization, and after about 16 s of error.
    isSynchronized = state != TIME_ERROR && status & STA_UNSYNC == 0
    self.errorUs = errorUs
  }

  /// Reads the state without changing the clock. Nil if the system forbids the call.
  static func current() -> ClockState? {
    var time = timex()
    let state = adjtimex(&time)
    return ClockState(state: state, status: time.status, errorUs: time.maxerror)
  }

  /// Returns the result of the check. Nil stands for a state that cannot be read.
  static func check(_ state: ClockState?) -> Check {
    let id = "clock-synchronized"
    guard let state else { return .notChecked(id, "the system forbids adjtimex") }
    guard state.isSynchronized else {
      return .warning(
        id, "the kernel does not know that the clock is correct; times of posts and expiries depend on it",
        remedy: "Enable a time service: timedatectl set-ntp true. In a virtual machine or container, check the host")
    }
    let measure = Check.Measure(Double(state.errorUs) / 1_000, "ms")
    let text = "the clock is synchronized, with an error of at most \(state.errorUs / 1_000) ms"
    guard state.errorUs < DoctorLimits.clockErrorUs else {
      return .warning(id, text, measure, remedy: "Check the servers of the time service (chronyc tracking)")
    }
    return .ok(id, text, measure)
  }
}
