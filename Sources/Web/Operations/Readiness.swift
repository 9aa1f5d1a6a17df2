import HTTPTypes
import Synchronization

/// Readiness of a process: all its roles serve, and no role's check objects. Any thread.
package final class Readiness: Sendable {
  /// A role's check. Returns a remark for people, or nil without one. Throws the reason why the role is not ready. Must
  /// not wait.
  package typealias Check = @Sendable () throws(Problem) -> String?

  private struct State: Sendable {
    var hasBegun = false
    var checks: [Check] = []
  }

  private let state = Mutex(State())

  package init() {}

  /// Adds a role's check.
  package func add(_ check: @escaping Check) { state.withLock { $0.checks.append(check) } }

  /// Marks that all roles have begun to serve.
  package func begin() { state.withLock { $0.hasBegun = true } }

  /// True if all roles serve now.
  package var isReady: Bool { (try? text()) != nil }

  /// Returns the body of `/readyz`, for people.
  ///
  /// - Throws: The first reason why the process is not ready.
  package func text() throws(Problem) -> String {
    let (hasBegun, checks) = state.withLock { ($0.hasBegun, $0.checks) }
    guard hasBegun else {
      throw Problem(.serviceUnavailable, "starting", "the process is starting; try again later")
    }
    return try Readiness.text(checks)
  }

  /// Returns the body of `/readyz` for these checks only, whether or not all roles have begun to serve.
  package static func text(_ checks: [Check]) throws(Problem) -> String {
    var remarks: [String] = []
    for check in checks {
      if let remark = try check() { remarks.append(remark) }
    }
    return remarks.isEmpty ? "ready\n" : "ready, but \(remarks.joined(separator: "; "))\n"
  }
}
