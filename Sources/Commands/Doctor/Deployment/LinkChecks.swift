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
    let ofIngest = await reach("ingest-link", plan.ingestLinks, of: "ingest", as: link, curve: curve)
    checks += ofIngest.checks
    if let gateway = plan.gateway, !gateway.feeds.isEmpty {
      checks += await reach("feed-link", gateway.feeds, of: "the feed", as: .feed, curve: gateway.feedCurve).checks
      checks.append(MapAccessCheck.gateway(ofIngest.site))
    }
    for (index, endpoint) in (plan.feed?.failoverEndpoints ?? []).enumerated() {
      checks.append(await failover("failover-feed-\(index + 1)", endpoint))
    }
    return checks
  }

  /// Connects to all addresses of a service. Returns the results, and the site by the first answer that has one.
  ///
  /// - Parameters:
  ///   - id: Identifier of the first check. The others have a number too.
  ///   - service: Name of the service, for people.
  private func reach(
    _ id: String, _ endpoints: [Endpoint], of service: String, as link: LinkName, curve: CurveClient?
  ) async -> (checks: [Check], site: GatewaySite?) {
    var (checks, first): ([Check], GatewaySite?) = ([], nil)
    for (index, endpoint) in endpoints.enumerated() {
      let id = index == 0 ? id : "\(id)-\(index + 1)"
      let (check, site) = await reach(id, endpoint, of: service, as: link, curve: curve)
      checks.append(check)
      first = first ?? site
    }
    return (LinkChecks.combined(checks), first)
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
  ) async -> (Check, GatewaySite?) {
    if let (finding, remedy) = LinkChecks.fault(await greeting(endpoint), endpoint, of: service, as: link) {
      return (.failure(id, finding, remedy: remedy), nil)
    }
    guard plan.canProbeLinks else { return (.notChecked(id, "doctor has too few file descriptors for libzmq"), nil) }
    do {
      let outcome = try await LinkProbe.connect(
        endpoint, as: link, curve: curve, timeout: DoctorLimits.handshakeTimeout)
      let check = LinkChecks.judge(id, endpoint, outcome, of: service, as: link, hasKeys: curve != nil)
      if case .answered(let site) = outcome { return (check, site) }
      return (check, nil)
    } catch { return (.notChecked(id, "\(error)"), nil) }
  }

  /// Returns the finding and the remedy for an address that has no ZeroMQ listener. Nil if it has one.
  static func fault(
    _ greeting: GreetingProbe.Outcome, _ endpoint: Endpoint, of service: String, as link: LinkName
  ) -> (finding: String, remedy: String)? {
    let accepts = "\(endpoint) accepts connections"
    let setting = link.setting.name
    return switch greeting {
    case .zeroMQ: nil
    case .http: ("\(endpoint) speaks HTTP, not ZeroMQ", "Set the address that \(setting) has at \(service)")
    case .other:
      (
        "\(accepts), but does not speak ZeroMQ",
        "Check the port: another program listens there. Set the address that \(setting) has at \(service)"
      )
    case .closed:
      (
        "\(accepts), and closes them without a ZeroMQ greeting",
        "Check the port. If it is that of a proxy, start \(service) behind it"
      )
    case .silent:
      (
        "\(accepts), and sends no ZeroMQ greeting within \(DoctorLimits.greetingTimeout.components.seconds) s",
        "Check the port: the program there may not speak ZeroMQ, or hang"
      )
    case .unreached(let reason):
      (
        "\(endpoint) is not reached: \(reason)",
        "Start \(service), and check the address, the firewalls and IPAddressAllow="
      )
    }
  }

  /// Returns the result for the outcome of a connection to a ZeroMQ listener.
  static func judge(
    _ id: String, _ endpoint: Endpoint, _ outcome: LinkProbe.Outcome, of service: String, as link: LinkName,
    hasKeys: Bool
  ) -> Check {
    let accepts = "\(endpoint) accepts the connection\(hasKeys ? " and the key" : "")"
    let setting = link.setting.name
    let seconds = DoctorLimits.handshakeTimeout.components.seconds
    let correction = "Set the address that \(setting) has at \(service)"
    return switch outcome {
    case .answered: .ok(id, "\(accepts), and answers as \(setting)")
    case .otherLink:
      .failure(
        id, "\(accepts), but is another link than \(setting)",
        remedy: "\(correction). If it is right, \(service) has another version: finish the upgrade")
    // A feed sends nothing before its first list.
    case .unanswered where link == .feed:
      .warning(
        id, "\(accepts), and sends no list within \(seconds) s",
        remedy: "Wait for the feed's first list (its /readyz), or correct the address: \(setting) of the feed")
    case .unanswered:
      .failure(
        id, "\(accepts), and sends no answer within \(seconds) s",
        remedy: "\(correction): the program there may be another link, or hang")
    case .refused(let reason):
      .failure(
        id, "\(endpoint) is reached, and the handshake fails: \(reason)",
        remedy: "See deploy/Operate.md, section Failed handshakes")
    case .silent:
      .failure(
        id, "\(endpoint) speaks ZeroMQ, and does not answer the handshake within \(seconds) s",
        remedy: "\(correction): the program there may be another link, or hang")
    }
  }

  /// Subscribers connect to these addresses, not this process. So a failure is only a warning.
  private func failover(_ id: String, _ endpoint: Endpoint) async -> Check {
    guard let (finding, _) = LinkChecks.fault(await greeting(endpoint), endpoint, of: "that feed", as: .feed) else {
      return .ok(id, "\(endpoint) is reached, and speaks ZeroMQ")
    }
    return .warning(
      id, finding,
      remedy: "Start that feed, or correct ONTHEMAP_FAILOVER_FEEDS: subscribers move there when this feed ends")
  }

  private func greeting(_ endpoint: Endpoint) async -> GreetingProbe.Outcome {
    let limit =
      DoctorLimits.connectTimeout + DoctorLimits.greetingTimeout + DoctorLimits.responseTimeout + .seconds(1)
    return await bounded(limit) { GreetingProbe().run(endpoint) } ?? .unreached("no answer in time")
  }
}
