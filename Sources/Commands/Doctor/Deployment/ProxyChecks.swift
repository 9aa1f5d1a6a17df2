import Domain
import Foundation
import Ingest
import Web

/// Checks of the reverse proxies in front of ingest, and of the public URLs.
struct ProxyChecks: Sendable {
  let ingest: IngestConfiguration
  /// True if ingest already runs on this host.
  let isRunning: Bool
  /// True if ingest runs, and does not serve yet. It may bind its HTTP address at any time.
  var isWaiting = false

  func run() async -> [Check] {
    let isBehindProxy = ingest.origin.hasPrefix("https://")
    var checks = [
      ProxyChecks.trusted(
        ingest.proxies, clients: isBehindProxy ? "and the public URL is https: all clients" : nil,
        remedy: "Set ONTHEMAP_TRUSTED_PROXIES to the address of the reverse proxy")
    ]
    guard !ingest.origin.isEmpty else {
      return checks + [.ok("public-url", "no public URL is set: browsers connect to ingest itself")] + (await feed())
    }
    let reply = await ProxyChecks.get(ingest.origin + "/v2/version")
    checks.append(publicURL(reply))
    if ingest.origin.hasPrefix("https://") {
      checks.append(ProxyChecks.certificate("public-url-certificate", reply, nowMs: ProxyChecks.nowMs))
    }
    checks.append(ProxyChecks.clock(try? reply.get().dateMs, nowMs: ProxyChecks.nowMs))
    checks.append(await forwarded())
    return checks + (await feed())
  }

  /// Returns the result for the trusted proxies of a gateway. A gateway does not know the public URL, and probably has
  /// a load balancer in front.
  static func trusted(_ gateway: GatewayConfiguration) -> Check {
    trusted(
      gateway.proxies, clients: "so all clients of a reverse proxy or load balancer",
      remedy: "Set ONTHEMAP_TRUSTED_PROXIES to its addresses, unless all clients connect to the gateway itself")
  }

  /// Returns the result for trusted proxies.
  ///
  /// - Parameters:
  ///   - clients: The clients whose address is that of a proxy if no proxy is trusted. Nil if there is probably no
  ///     proxy.
  ///   - remedy: The remedy if no proxy is trusted.
  private static func trusted(_ proxies: TrustedProxies, clients: String?, remedy: String) -> Check {
    let id = "trusted-proxies"
    let outside = ["198.51.100.1", "2001:db8::1"].compactMap { IPAddress($0) }
    if outside.contains(where: proxies.contains) {
      return .failure(
        id, "the trusted proxies include addresses of strangers, and each of them can forge its address",
        remedy: "List only the addresses of your proxies in ONTHEMAP_TRUSTED_PROXIES")
    }
    if let clients, proxies.isEmpty {
      return .warning(id, "no proxy is trusted, \(clients) share one login rate limit", remedy: remedy)
    }
    return .ok(id, proxies.isEmpty ? "no reverse proxy is trusted" : "the trusted proxies are well-formed")
  }

  /// Returns the result for the public URL and the response through it.
  private func publicURL(_ reply: Result<HTTPProbe.Reply, HTTPProbe.Failure>) -> Check {
    let (id, origin) = ("public-url", ingest.origin)
    let host = URL(string: origin)?.host(percentEncoded: false) ?? ""
    let isLocal = host == "localhost" || IPAddress(host)?.isLoopback ?? false
    if origin.hasPrefix("http://"), !isLocal {
      return .warning(
        id, "\(origin) has no TLS: passwords and session cookies cross the network in clear text",
        remedy: "Put a reverse proxy with TLS in front, and set its https URL (deploy/README.md)")
    }
    switch reply {
    case .success(let reply) where reply.status == 200 && reply.body.contains("\"version\""):
      return .ok(id, "\(origin) leads to ingest")
    case .success(let reply) where !isRunning && reply.status >= 500:
      return .notChecked(id, "\(origin) answers with status \(reply.status), and ingest does not run")
    case .success(let reply):
      return .warning(
        id, "\(origin) answers with status \(reply.status), and not as ingest does",
        remedy: "Check to which address the reverse proxy forwards")
    case .failure(.unreachable(let reason)) where !isRunning:
      return .notChecked(id, "\(origin) is not reached: \(reason), and ingest does not run")
    case .failure(let failure):
      return .warning(
        id, "\(origin) is not reached from this host: \(failure)",
        remedy: "Check it from a browser's network. A host behind a router often cannot reach its own public address")
    }
  }

  /// Returns the result for the certificate of a connection.
  static func certificate(
    _ id: String, _ reply: Result<HTTPProbe.Reply, HTTPProbe.Failure>, nowMs: Int64
  ) -> Check {
    switch reply {
    case .failure(.tls(let reason)):
      return .failure(id, "TLS failed: \(reason)", remedy: "Renew or correct the certificate of the server")
    case .failure(let failure): return .notChecked(id, "no connection: \(failure)")
    case .success(let reply):
      guard let endMs = reply.certificateEndMs else { return .notChecked(id, "libcurl reports no expiry") }
      let days = (endMs - nowMs) / 86_400_000
      let text = "the certificate is valid for \(days) more days"
      guard days >= DoctorLimits.certificateDays else {
        return .warning(id, text, .init(days, "days"), remedy: "Renew it, and check its automatic renewal")
      }
      return .ok(id, text, .init(days, "days"))
    }
  }

  /// Returns the result for the clock of a server, from the header Date of its response.
  static func clock(_ dateMs: Int64?, nowMs: Int64) -> Check {
    let id = "clock-offset"
    guard let dateMs else { return .notChecked(id, "the public URL reports no time") }
    let offsetMs = dateMs - nowMs
    let text = "the clock of the public URL differs by \(abs(offsetMs) / 1_000) s"
    let measure = Check.Measure(offsetMs, "ms")
    guard abs(offsetMs) < DoctorLimits.clockOffsetMs else {
      return .warning(id, text, measure, remedy: "Enable a time service on both hosts")
    }
    return .ok(id, text, measure)
  }

  /// Sends a request through the public URL to a listener at ingest's address, and examines its arrival.
  private func forwarded() async -> Check {
    let id = "forwarded-address"
    guard !isRunning else {
      return .notChecked(id, "ingest runs and has the address: stop it, and run doctor again")
    }
    guard !isWaiting else {
      return .notChecked(id, "ingest runs and will need the address: stop it, and run doctor again")
    }
    guard ingest.port != 0 else { return .notChecked(id, "the reverse proxy cannot know a free port") }
    let (url, host, port) = (ingest.origin, ingest.host, ingest.port)
    let nonce = UUID().uuidString
    let listener = ArrivalListener(host: host, port: port)
    guard let listener else { return .notChecked(id, "\(authority(host)):\(port) cannot be bound") }
    async let request = ProxyChecks.get("\(url)/livez?doctor=\(nonce)")
    let arrival = await bounded(DoctorLimits.forwardedTimeout) { listener.wait(for: nonce) } ?? nil
    _ = await request
    return ProxyChecks.judge(id, arrival, url: url, proxies: ingest.proxies)
  }

  /// Returns the result for a request that has arrived through the public URL. Nil stands for no request.
  static func judge(_ id: String, _ arrival: ArrivalListener.Arrival?, url: String, proxies: TrustedProxies) -> Check {
    guard let arrival else {
      return .notChecked(id, "no request through \(url) arrived: the proxy may not reach this address, or is on hold")
    }
    let hasHeader = !arrival.forwardedFor.isEmpty
    guard proxies.contains(arrival.peer) else {
      if hasHeader {
        return .failure(
          id, "the proxy \(arrival.peer) is not trusted, so all clients share one login rate limit",
          remedy: "Set ONTHEMAP_TRUSTED_PROXIES=\(arrival.peer)")
      }
      if url.hasPrefix("https://") {
        return .failure(
          id, "the proxy \(arrival.peer) forwards no client address, so all clients share one login rate limit",
          remedy: "Make the proxy append to X-Forwarded-For, and set ONTHEMAP_TRUSTED_PROXIES=\(arrival.peer)")
      }
      return .ok(id, "a request through \(url) arrives from \(arrival.peer), with no forwarded address")
    }
    guard hasHeader, proxies.client(of: arrival.peer, forwardedFor: arrival.forwardedFor) != arrival.peer else {
      return .failure(
        id, "the proxy \(arrival.peer) forwards no client address, so all clients share one login rate limit",
        remedy: "Make the proxy append to X-Forwarded-For (nginx: proxy_add_x_forwarded_for)")
    }
    return .ok(id, "the proxy \(arrival.peer) forwards the client's address")
  }

  private func feed() async -> [Check] {
    guard case .origin(let url) = ingest.page.feed else { return [] }
    let id = "public-feed-url"
    let reply = await ProxyChecks.get(url + "/livez")
    if ingest.origin.hasPrefix("https://"), url.hasPrefix("http://") {
      return [
        .failure(
          id, "\(url) has no TLS, and browsers refuse it on a page with TLS",
          remedy: "Set ONTHEMAP_PUBLIC_FEED_URL to an https URL")
      ]
    }
    switch reply {
    case .success(let reply) where reply.status == 204:
      let access = MapAccessCheck.isMembersOnly(await ProxyChecks.get(url + "/v2/feed"))
      return [
        .ok(id, "\(url) leads to a feed"),
        MapAccessCheck.judge(ingest: ingest.page.mapAccess.isMembersOnly, feed: access),
      ]
    case .success(let reply):
      return [
        .warning(id, "\(url) answers with status \(reply.status)", remedy: "Start the feed, or check its reverse proxy")
      ]
    case .failure(.tls(let reason)):
      return [.failure(id, "\(url): TLS failed: \(reason)", remedy: "Correct the certificate of the server")]
    case .failure(let failure):
      return [
        .warning(
          id, "\(url) is not reached from this host: \(failure)", remedy: "Start the feed, or check the address")
      ]
    }
  }

  private static func get(_ url: String) async -> Result<HTTPProbe.Reply, HTTPProbe.Failure> {
    await bounded(.milliseconds(DoctorLimits.requestMs) + .seconds(1)) { HTTPProbe(url: url).run() }
      ?? .failure(.unreachable("no response in time"))
  }

  private static var nowMs: Int64 { Int64(Date().timeIntervalSince1970 * 1_000) }
}
