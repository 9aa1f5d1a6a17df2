import Feed
import Ingest
import Messaging

/// An address at which a process listens, with the setting that it comes from.
struct ListeningAddress: Sendable, CustomStringConvertible {
  let setting: Setting
  let description: String
  /// Host and port of TCP. Nil for a Unix socket, and if the system selects a free port.
  private let tcp: (host: String, port: Int)?

  init(_ setting: Setting, host: String, port: Int) {
    self.setting = setting
    description = "\(authority(host)):\(port)"
    tcp = port == 0 ? nil : (host, port)
  }

  init(_ setting: Setting, _ endpoint: Endpoint) {
    self.setting = setting
    description = "\(endpoint)"
    tcp = endpoint.hostAndPort
  }

  /// Returns true if only one of the addresses can be bound.
  func collides(with other: ListeningAddress) -> Bool {
    guard let tcp, let other = other.tcp else { return self.tcp == nil && other.tcp == nil && isSameFile(as: other) }
    return tcp.port == other.port && ListeningAddress.collide(tcp.host, other.host)
  }

  private func isSameFile(as other: ListeningAddress) -> Bool {
    description == other.description && description.hasPrefix("ipc://")
  }

  private static func collide(_ host: String, _ other: String) -> Bool {
    let hosts = [host, other].map { $0 == "localhost" ? "127.0.0.1" : $0 }
    // With IPv6, the wildcard includes the addresses of IPv4.
    if hosts[0] == hosts[1] || hosts.contains("::") { return true }
    return hosts.contains { $0 == "*" || $0 == "0.0.0.0" } && !hosts.contains { $0.contains(":") }
  }
}

extension ServicePlan {
  /// All addresses at which the process listens, except the one for operators.
  var listeningAddresses: [ListeningAddress] {
    var addresses: [ListeningAddress] = []
    if let ingest {
      addresses += [
        ListeningAddress(.http, host: ingest.host, port: ingest.port), ListeningAddress(.submit, ingest.submit),
        ListeningAddress(.jobs, ingest.jobs), ListeningAddress(.changes, ingest.changes),
      ]
      addresses += ingest.gateway.map { [ListeningAddress(.gateways, $0)] } ?? []
      addresses += ingest.admin.map { [ListeningAddress(.admin, $0)] } ?? []
    }
    if let feed {
      addresses += [
        ListeningAddress(.feedHTTP, host: feed.host, port: feed.port), ListeningAddress(.publish, feed.publish),
        ListeningAddress(.query, feed.query),
      ]
    }
    if let gateway { addresses.append(ListeningAddress(.gatewayHTTP, host: gateway.host, port: gateway.port)) }
    return addresses
  }

  /// Refuses two settings with one address.
  ///
  /// - Throws: `SettingError` with both settings.
  func checkListeningAddresses(_ settings: Settings) throws {
    var addresses = listeningAddresses
    if let operations, let setting = settings.chosenOperations {
      addresses.append(ListeningAddress(setting, host: operations.host, port: operations.port))
    }
    for (index, address) in addresses.enumerated() {
      guard let other = addresses[..<index].first(where: { $0.collides(with: address) }) else { continue }
      throw SettingError(
        "\(other.setting.title) and \(address.setting.title) must be different addresses, not \(other) and \(address).")
    }
  }
}
