import Synchronization
import Web

/// The names of a process's workers that have a session at ingest, and the check of them for `/readyz`. Any thread.
final class WorkerSessions: Sendable {
  private let connected = Mutex<Set<String>>([])

  /// Adds `check` to the readiness of the process.
  init(in readiness: Readiness) { readiness.add(check) }

  /// Records that a worker has a session, or no longer has one.
  ///
  /// - Parameters:
  ///   - name: Name of the worker, unique in the process.
  ///   - hasSession: True if it has a session.
  func note(_ name: String, hasSession: Bool) {
    connected.withLock { connected in
      if hasSession { connected.insert(name) } else { connected.remove(name) }
    }
  }

  /// Checks that at least one worker of the process has a session.
  ///
  /// - Returns: nil, because this check has no remarks.
  /// - Throws: `no_worker_session` while no worker of the process has a session.
  func check() throws(Problem) -> String? {
    guard connected.withLock({ $0.isEmpty }) else { return nil }
    throw .noWorkerSession
  }
}
