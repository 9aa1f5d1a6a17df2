import Synchronization

/// Whether a process has begun to serve, all its roles. Any thread.
package final class Readiness: Sendable {
  private let hasBegun = Atomic(false)

  package init() {}

  /// It serves.
  package func begin() { hasBegun.store(true, ordering: .relaxed) }

  /// Whether it serves.
  package var isReady: Bool { hasBegun.load(ordering: .relaxed) }
}
