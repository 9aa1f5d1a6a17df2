package import Domain

/// The client of a scan.
package struct ScanClient {
  /// Network whose share of the slots and of the queue the scan uses. Nil exempts the scan from shares.
  package let network: IPAddress?
  /// Registers a closure to call when the client has disconnected.
  package let onDisconnect: (@escaping @Sendable () -> Void) -> Void

  /// - Parameters:
  ///   - network: Network whose share the scan uses. Nil exempts the scan from shares.
  ///   - onDisconnect: Called once, before the scan, with a closure to keep until the scan has ended.
  package init(network: IPAddress?, onDisconnect: @escaping (@escaping @Sendable () -> Void) -> Void) {
    self.network = network
    self.onDisconnect = onDisconnect
  }

  /// Ingest itself, which is exempt from shares and does not disconnect.
  package static var ingest: ScanClient { ScanClient(network: nil) { _ in } }
}
