import Domain
import Feed
import Ingest
import Messaging
import Worker

/// Checks of the links to which a process connects.
struct LinkChecks: Sendable {
  let plan: ServicePlan

  func run() async -> [Check] {
    var checks: [Check] = []
    let (link, curve): (LinkName, CurveClient?) =
      if plan.worker != nil { (.jobs, plan.worker?.curve) } else if plan.gateway != nil {
        (.gateway, plan.gateway?.curve)
      } else { (.changes, plan.feed?.ingestCurve) }
    checks += await reach("ingest-link", plan.ingestLinks, of: "ingest", as: link, curve: curve)
    if let gateway = plan.gateway {
      checks += await reach("feed-link", gateway.feeds, of: "the feed", as: .feed, curve: gateway.feedCurve)
    }
    for (index, endpoint) in (plan.feed?.failoverEndpoints ?? []).enumerated() {
      checks.append(await failover("failover-feed-\(index + 1)", endpoint))
    }
    return checks
  }

  /// Connects to all addresses of a service.
  ///
  /// - Parameters:
  ///   - id: Identifier of the first check. The others have a number too.
  ///   - service: Name of the service, for people.
  private func reach(
    _ id: String, _ endpoints: [Endpoint], of service: String, as link: LinkName, curve: CurveClient?
  ) async -> [Check] {
    var checks: [Check] = []
    for (index, endpoint) in endpoints.enumerated() {
      let id = index == 0 ? id : "\(id)-\(index + 1)"
      checks.append(await reach(id, endpoint, of: service, as: link, curve: curve))
    }
    return LinkChecks.combined(checks)
  }

  /// Returns the results of all addresses of a service. The process needs only one of them, so that a failure is a
  /// warning if another address works.
  static func combined(_ checks: [Check]) -> [Check] {
    guard checks.contains(where: { $0.verdict == .ok }) else { return checks }
    return checks.map { check in
      guard check.verdict == .failure else { return check }
      return .warning(check.id, check.finding, remedy: check.remedy ?? "")
    }
  }

  /// Connects to a link of a service: first by TCP, and then with the keys.
  private func reach(
    _ id: String, _ endpoint: Endpoint, of service: String, as link: LinkName, curve: CurveClient?
  ) async -> Check {
    switch await connect(endpoint) {
    case .connected: break
    case .foreign: return .failure(id, LinkChecks.foreign(endpoint), remedy: LinkChecks.portRemedy)
    case .failed(let reason):
      return .failure(
        id, "\(endpoint) is not reached: \(reason)",
        remedy: "Start \(service), and check the address, the firewalls and IPAddressAllow=")
    }
    guard plan.canProbeLinks else { return .notChecked(id, "doctor has too few file descriptors for libzmq") }
    do {
      let outcome = try await LinkProbe.connect(
        endpoint, as: link, curve: curve, timeout: DoctorLimits.handshakeTimeout)
      return LinkChecks.judge(id, endpoint, outcome, hasKeys: curve != nil)
    } catch { return .notChecked(id, "\(error)") }
  }

  /// Returns the result for the outcome of a handshake with a peer that TCP has reached.
  static func judge(_ id: String, _ endpoint: Endpoint, _ outcome: LinkProbe.Outcome, hasKeys: Bool) -> Check {
    switch outcome {
    case .connected: .ok(id, "\(endpoint) accepts the connection\(hasKeys ? " and the key" : "")")
    case .refused(let reason):
      .failure(
        id, "\(endpoint) is reached, and the handshake fails: \(reason)",
        remedy: "See deploy/Operate.md, section Failed handshakes")
    case .silent:
      .failure(
        id, "\(endpoint) is reached, and does not answer the handshake",
        remedy: "Check the port: the program there may not speak ZeroMQ, or hang")
    }
  }

  /// Subscribers connect to these addresses, not this process. So a failure is only a warning.
  private func failover(_ id: String, _ endpoint: Endpoint) async -> Check {
    switch await connect(endpoint) {
    case .connected: return .ok(id, "\(endpoint) is reached")
    case .foreign: return .warning(id, LinkChecks.foreign(endpoint), remedy: LinkChecks.portRemedy)
    case .failed(let reason):
      return .warning(
        id, "\(endpoint) is not reached: \(reason)",
        remedy: "Start that feed, or correct ONTHEMAP_FAILOVER_FEEDS: subscribers move there when this feed ends")
    }
  }

  private static func foreign(_ endpoint: Endpoint) -> String {
    "\(endpoint) is reached, but sends no greeting of ZeroMQ"
  }

  private static let portRemedy = "Check the port: it may be an HTTP address, or the program there hangs"

  /// Connects to the listener at an address, without a handshake.
  private func connect(_ endpoint: Endpoint) async -> TCPProbe.Connection {
    let timeout = DoctorLimits.connectTimeout
    let connection = await bounded(timeout * 2 + .seconds(1)) {
      if let path = endpoint.path { return TCPProbe.connect(path: path) }
      guard let (host, port) = endpoint.hostAndPort else {
        return TCPProbe.Connection.failed("the address has no port")
      }
      return TCPProbe.connectToLink(host: host, port: port, timeout: timeout)
    }
    guard let connection else { return .failed("no answer in time") }
    guard case .failed(let reason) = connection else { return connection }
    return .failed(reason.lowercased())
  }
}
