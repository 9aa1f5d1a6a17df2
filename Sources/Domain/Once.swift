import Synchronization

/// Runs something at the first of several calls. Any thread.
package final class Once: Sendable {
  private let isDone = Mutex(false)
  private let body: @Sendable () -> Void

  package init(_ body: @escaping @Sendable () -> Void) { self.body = body }

  /// The first call runs it.
  package func run() {
    let isFirst = isDone.withLock { isDone in
      defer { isDone = true }
      return !isDone
    }
    if isFirst { body() }
  }
}
