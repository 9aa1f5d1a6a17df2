import Domain
import Hummingbird
import Store
import Web

extension ScanClient {
  /// Creates the client of a request. Addresses of this machine and of trusted proxies have no share, as with
  /// connections, because they stand for many clients.
  init(_ request: Request, _ context: ConnectionContext, _ site: Site) {
    let address = site.source(of: request, context).address
    let isCounted = address.map { !$0.isLoopback && !site.proxies.contains($0) } ?? false
    self.init(network: isCounted ? address?.network : nil, onDisconnect: context.onClientDisconnect)
  }
}
