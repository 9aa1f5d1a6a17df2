package import OnTheMap

/// The client that a scan is for.
package struct ScanClient {
  /// Whose share of the places and of the queue the scan takes; nil for no share.
  let network: IPAddress?
  /// Takes what is to be called when the client has gone.
  let whenGone: (@escaping @Sendable () -> Void) -> Void

  /// - Parameters:
  ///   - network: whose share the scan takes; nil for no share.
  ///   - whenGone: called once, before the scan; it keeps what it is given until the scan has ended.
  package init(network: IPAddress?, whenGone: @escaping (@escaping @Sendable () -> Void) -> Void) {
    self.network = network
    self.whenGone = whenGone
  }

  /// Ingest itself: it has no share, and does not go.
  package static var ingest: ScanClient { ScanClient(network: nil) { _ in } }
}
