import Domain
import HTTPTypes
import Messaging
import Synchronization
import Web

/// Ingest's state, as the gateway's link last saw it. Any thread.
final class IngestStatus: Sendable {
  /// The state at one time.
  struct Snapshot: Sendable {
    var isAvailable = false
    /// The site by the last Welcome. Nil before the first one, and from an earlier version of ingest.
    var site: GatewaySite?
    /// Epoch of ingest's store by the last Welcome. Nil as for `site`.
    var epoch: Epoch?
  }

  private let state = Mutex(Snapshot())

  var current: Snapshot { state.withLock { $0 } }

  func set(isAvailable: Bool) { state.withLock { $0.isAvailable = isAvailable } }

  func set(_ site: GatewaySite?, epoch: Epoch?) { state.withLock { ($0.site, $0.epoch) = (site, epoch) } }

  /// The gateway's check in the readiness of its process.
  func check() throws(Problem) -> String? {
    guard current.isAvailable else {
      throw Problem(
        .serviceUnavailable, "ingest_unavailable",
        "no connection to ingest; the gateway holds requests for \(Limits.gatewayHoldMs / 1_000) s")
    }
    return nil
  }
}
