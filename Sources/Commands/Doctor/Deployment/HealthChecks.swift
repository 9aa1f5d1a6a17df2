import Domain
import Foundation

/// Checks of services that run: their health, and their versions.
struct HealthChecks: Sendable {
  let plan: ServicePlan
  /// True if this service already runs on this host.
  let isRunning: Bool
  /// Code of the running service that does not serve yet, as a standby. Nil for any other service.
  var waiting: String?
  /// HTTP address of ingest by this host's settings, for feeds and workers. Nil if ingest is on another host.
  let ingestURL: String?

  func run() async -> [Check] {
    var checks: [Check] = []
    for (id, host, port) in plan.http {
      // A gateway's HTTP address has the readiness of ingest, and waits while ingest is away.
      let (host, port) = plan.gateway == nil ? (host, port) : plan.operations ?? (host, port)
      guard port != 0 else { continue }
      checks.append(await health(id.replacing("address", with: "health"), "http://\(HealthChecks.local(host)):\(port)"))
    }
    checks.append(await ownVersion())
    if plan.ingest == nil { checks.append(await ingestVersion()) }
    if plan.ingest == nil, let feed = plan.feed { checks.append(await MapAccessCheck.run(feed, ingestURL: ingestURL)) }
    return checks
  }

  private func health(_ id: String, _ url: String) async -> Check {
    guard isRunning else {
      return .notChecked(
        id, waiting.map { "the running service does not serve yet (\($0))" } ?? "the service does not run")
    }
    switch await HealthChecks.get("\(url)/readyz") {
    case .success(let reply): return HealthChecks.judge(id, url, status: reply.status, body: reply.body)
    case .failure(let failure):
      return .failure(id, "\(url)/readyz does not answer: \(failure)", remedy: "Read the log of the service")
    }
  }

  /// Returns the result for a response of `/readyz`.
  static func judge(_ id: String, _ url: String, status: Int, body: String) -> Check {
    let text = body.trimmingCharacters(in: .whitespacesAndNewlines).safeLine(bytesMax: ToolLimits.problemDetailBytesMax)
    guard (200..<300).contains(status) else {
      return .failure(
        id, "\(url) is not ready: status \(status)\(text.isEmpty ? "" : ", \(text)")",
        remedy: "See deploy/Monitor.md, section Health checks")
    }
    return .ok(id, "\(url) is \(text)")
  }

  /// Returns the code with which ingest at an operations address is not ready. Nil for other responses and services.
  static func refusal(_ host: String, _ port: Int) async -> String? {
    guard case .success(let reply) = await get("http://\(local(host)):\(port)/readyz") else { return nil }
    return refusal(reply)
  }

  /// Returns the code with which ingest is not ready. Nil for other responses and services.
  static func refusal(_ reply: HTTPProbe.Reply) -> String? {
    guard reply.status == 503 else { return nil }
    return reply.body.firstMatch(of: #/"urn:onthemap:problem:([a-z_]+)"/#).map { String($0.output.1) }
  }

  /// Compares the version of the running service with that of this program.
  private func ownVersion() async -> Check {
    let id = "running-version"
    guard let (host, port) = plan.operations, port != 0 else {
      return .notChecked(id, "the service has no operations address with a known port")
    }
    guard case .success(let reply) = await HealthChecks.get("http://\(HealthChecks.local(host)):\(port)/metrics") else {
      let code = await HealthChecks.refusal(host, port)
      let service = code.map { "the running service (\($0)) does not report its version" } ?? "no service answers"
      return .notChecked(id, "\(service) at \(authority(host)):\(port)")
    }
    guard let found = reply.body.firstMatch(of: #/onthemap_build_info\{[^}]*version="([^"]+)"/#)?.output.1 else {
      return .notChecked(id, "the program at \(authority(host)):\(port) does not report a version of onthemap")
    }
    return HealthChecks.versions(id, "the running service", String(found))
  }

  private func ingestVersion() async -> Check {
    let id = "ingest-version"
    guard let ingestURL else {
      return .notChecked(id, "ingest is on another host: compare with onthemap --version there")
    }
    guard case .success(let reply) = await HealthChecks.get("\(ingestURL)/v2/version"), reply.status == 200,
      let found = reply.body.firstMatch(of: #/"version":"([^"]+)"/#)?.output.1
    else { return .notChecked(id, "\(ingestURL) does not report its version") }
    return HealthChecks.versions(id, "ingest", String(found))
  }

  /// Returns the result for the version of a service.
  static func versions(_ id: String, _ service: String, _ found: String) -> Check {
    let found = found.safeLine(bytesMax: ToolLimits.problemCodeBytesMax)
    guard found == ProductVersion.text else {
      return .warning(
        id, "\(service) has version \(found), this program has \(ProductVersion.text)",
        remedy: "Finish the upgrade: restart the services that have the old version (deploy/Upgrade.md)")
    }
    return .ok(id, "\(service) has version \(found)")
  }

  /// Sends a request to an address of this host.
  static func get(_ url: String) async -> Result<HTTPProbe.Reply, HTTPProbe.Failure> {
    await bounded(.milliseconds(DoctorLimits.requestMs) + .seconds(1)) {
      HTTPProbe(url: url, isDirect: true).run()
    } ?? .failure(.unreachable("no response in time"))
  }

  /// Returns the host to which a client on this host connects, as written in a URL. A wildcard becomes a loopback
  /// address.
  static func local(_ host: String) -> String {
    switch host {
    case "0.0.0.0", "*": "127.0.0.1"
    case "::": "[::1]"
    default: authority(host)
    }
  }
}
