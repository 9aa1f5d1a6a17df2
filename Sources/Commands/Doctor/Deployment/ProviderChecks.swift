import Domain
import Foundation
import SignIn

/// Checks of the providers that a service calls. Each check connects, and sends no request.
struct ProviderChecks: Sendable {
  /// The servers by the identifiers of their checks.
  let servers: [(id: String, url: String)]

  /// Reads the servers from the settings that a service uses.
  init(_ values: [String: String], hasFacebook: Bool) {
    let facebook = values[Setting.facebookGraphURL.name] ?? FacebookConfiguration.defaultGraph
    let found = [
      ("identity-provider", values[Setting.oidcIssuer.name]), ("facebook", hasFacebook ? facebook : nil),
      ("geocoding-provider", values[Setting.remoteURL.name]),
    ]
    servers = found.compactMap { id, url in url.map { (id, $0) } }
  }

  func run() async -> [Check] {
    await withTaskGroup(of: Check.self) { group in
      for (id, url) in servers { group.addTask { await ProviderChecks.check(id, url) } }
      var checks: [Check] = []
      for await check in group { checks.append(check) }
      return checks.sorted { $0.id < $1.id }
    }
  }

  private static func check(_ id: String, _ url: String) async -> Check {
    let reply = await bounded(.milliseconds(DoctorLimits.requestMs) + .seconds(1)) {
      HTTPProbe(url: url, isConnectOnly: true).run()
    }
    let host = URL(string: url)?.host(percentEncoded: false) ?? url
    switch reply {
    case .success?: return .ok(id, "\(host) accepts connections")
    case .failure(.tls(let reason))?:
      return .failure(
        id, "\(host): TLS failed: \(reason)", remedy: "Check the certificate, and the certificates of this host")
    case .failure(let failure)?:
      return .failure(
        id, "\(host) is not reached: \(failure)",
        remedy: "Check the name server and the firewall, and allow the address with IPAddressAllow=")
    case nil: return .notChecked(id, "\(host) has no answer in time")
    }
  }
}
