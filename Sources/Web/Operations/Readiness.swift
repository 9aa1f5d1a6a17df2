import HTTPTypes
import Synchronization

/// Readiness of a process. A process is ready if all its roles serve and no role's check throws. Any thread.
package final class Readiness: Sendable {
  /// A role's check. Returns a remark for people, or nil without one. Throws the reason why the role is not ready. MUST
  /// NOT block.
  package typealias Check = @Sendable () throws(Problem) -> String?

  private struct State: Sendable {
    var hasBegun = false
    /// Reason why the process does not serve yet.
    var delay = Problem(.serviceUnavailable, "starting", "the process is starting; try again later")
    var checks: [Check] = []
  }

  private let state = Mutex(State())

  package init() {}

  /// Adds a role's check.
  package func add(_ check: @escaping Check) { state.withLock { $0.checks.append(check) } }

  /// Marks that all roles have begun to serve.
  package func begin() { state.withLock { $0.hasBegun = true } }

  /// Marks that the process is a standby, and does not serve yet.
  ///
  /// - Parameter detail: Description for people.
  package func waitAsStandby(_ detail: String) {
    state.withLock { $0.delay = Problem(.serviceUnavailable, "standby", detail) }
  }

  /// True if the process is ready now.
  package var isReady: Bool { (try? text()) != nil }

  /// Returns the body of `/readyz`, for people.
  ///
  /// - Throws: The first reason why the process is not ready.
  package func text() throws(Problem) -> String {
    let state = state.withLock { $0 }
    guard state.hasBegun else { throw state.delay }
    return try Readiness.text(state.checks)
  }

  /// Returns the body of `/readyz` for the given checks, even before all roles serve.
  ///
  /// - Throws: The first reason why a role is not ready.
  package static func text(_ checks: [Check]) throws(Problem) -> String {
    var remarks: [String] = []
    for check in checks {
      if let remark = try check() { remarks.append(remark) }
    }
    return remarks.isEmpty ? "ready\n" : "ready, but \(remarks.joined(separator: "; "))\n"
  }
}
