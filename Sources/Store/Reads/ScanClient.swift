package import Domain

/// The client of a scan.
package struct ScanClient {
  /// The network whose share of the places and of the queue the scan takes; nil for no share.
  package let network: IPAddress?
  /// Keeps a closure to call when the client has gone.
  package let onDisconnect: (@escaping @Sendable () -> Void) -> Void

  /// - Parameters:
  ///   - network: the network whose share the scan takes; nil for no share.
  ///   - onDisconnect: called once, before the scan; it keeps its closure until the scan has ended.
  package init(network: IPAddress?, onDisconnect: @escaping (@escaping @Sendable () -> Void) -> Void) {
    self.network = network
    self.onDisconnect = onDisconnect
  }

  /// Ingest itself: it has no share, and does not go.
  package static var ingest: ScanClient { ScanClient(network: nil) { _ in } }
}
