import Domain
import Hummingbird
import Store
import Web

extension ScanClient {
  /// Creates the client of a request. An address of this host or of a trusted proxy stands for many clients, so the
  /// limit per network does not apply to it. `ConnectionCounts` makes the same exception.
  init(_ request: Request, _ context: ConnectionContext, _ site: Site) {
    let address = site.source(of: request, context).address
    let isCounted = address.map { !$0.isLoopback && !site.proxies.contains($0) } ?? false
    self.init(network: isCounted ? address?.network : nil, onDisconnect: context.onClientDisconnect)
  }
}
