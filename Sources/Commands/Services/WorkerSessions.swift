import Synchronization
import Web

/// The geocoders of a process that have a session at ingest: the process's part in `/readyz`. Any thread.
final class WorkerSessions: Sendable {
  private let connected = Mutex<Set<String>>([])

  /// Adds the part to the readiness of the process.
  init(in readiness: Readiness) { readiness.add(check) }

  /// Notes that a geocoder has a session, or has none any more.
  ///
  /// - Parameter name: the geocoder's name, unique in the process.
  func note(_ name: String, hasSession: Bool) {
    connected.withLock { connected in
      if hasSession { connected.insert(name) } else { connected.remove(name) }
    }
  }

  /// Returns nil: there is never a remark.
  ///
  /// - Throws: `no_session` while no geocoder of the process has a session.
  func check() throws(Problem) -> String? {
    guard connected.withLock({ $0.isEmpty }) else { return nil }
    throw .noSession
  }
}
