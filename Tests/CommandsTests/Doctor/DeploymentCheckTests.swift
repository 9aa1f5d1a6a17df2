import ArgumentParser
import Domain
import Foundation
import Glibc
import Ingest
import Messaging
import Testing

@testable import Commands

/// A name that is too long for a name server, so that its lookup fails without a network.
private let unknownHost = String(repeating: "x", count: 64) + ".invalid"

@Suite("Doctor: keys, addresses and proxies")
struct DeploymentCheckTests {
  @Test(
    "Only the owner may read a key file, and no other user may replace it",
    arguments: [
      (0o600, 7, 0o700, 7, .ok), (0o400, 0, 0o755, 7, .ok), (0o440, 0, 0o755, 7, .ok), (0o640, 7, 0o755, 7, .failure),
      (0o604, 0, 0o755, 0, .failure), (0o600, 7, 0o777, 7, .failure), (0o600, 7, 0o1777, 7, .ok),
      (0o600, 7, 0o775, 7, .failure), (0o600, 8, 0o755, 7, .warning),
    ] as [(UInt32, UInt32, UInt32, UInt32, Check.Verdict)])
  func keyFiles(mode: UInt32, owner: UInt32, folderMode: UInt32, user: UInt32, verdict: Check.Verdict) {
    let check = KeyChecks.file("/k", mode: mode, owner: owner, folderMode: folderMode, user: user)
    #expect(check.verdict == verdict)
  }

  @Test("The own key must match the keys and allowlists of its peers on this host")
  func pairs() throws {
    let (own, other) = (try KeyPair.random().publicKey, try KeyPair.random().publicKey)
    let list = try AllowList("\(own) me")
    #expect(KeyChecks.pair(own, []).verdict == .notChecked)
    #expect(KeyChecks.pair(own, [("A", .publicKey(own)), ("B", .allowList(list))]).finding.hasSuffix("matches A, B"))
    let wrong = KeyChecks.pair(own, [("A", .publicKey(own)), ("B", .publicKey(other))])
    #expect(wrong.verdict == .failure && wrong.finding.hasPrefix("B "))
    #expect(KeyChecks.pair(other, [("A", .allowList(list))]).verdict == .failure)
  }

  @Test(
    "An allowlist must have keys with different names, and only its owner may write it",
    arguments: [
      (["a", "b"], 0o644, .ok), ([], 0o644, .warning), (["a", "b", "a"], 0o644, .warning), (["a"], 0o664, .failure),
      (["a"], 0o606, .failure),
    ] as [([String], UInt32, Check.Verdict)])
  func allowLists(names: [String], mode: UInt32, verdict: Check.Verdict) {
    let check = KeyChecks.allowList("allowlist-jobs", "/l", names: names, mode: mode)
    #expect(check.verdict == verdict && check.measure == .init(names.count, "keys"))
  }

  @Test("HTTP on an address of the network needs TLS in front, except for a feed")
  func plaintext() {
    #expect(KeyChecks.http([("127.0.0.1", 1), ("localhost", 2), ("::1", 3)], isSecure: false).verdict == .ok)
    let open = KeyChecks.http([("0.0.0.0", 8_080)], isSecure: false)
    #expect(open.verdict == .warning && open.finding.contains("0.0.0.0:8080"))
    #expect(KeyChecks.http([("example.org", 80)], isSecure: true).remedy?.contains("firewall") == true)
    #expect(KeyChecks.http([("0.0.0.0", 8_081)], isSecure: nil).verdict == .ok)
  }

  @Test("An address in use is right only if the service runs, and a free one only if it does not")
  func bindings() async throws {
    let keys = try LinkKeys(await Settings(CommonOptions.parse([])), keyFile: nil)
    for (binding, isRunning, verdict) in [
      (.free, false, .ok), (.free, true, .warning), (.inUse, true, .ok), (.inUse, false, .failure),
      (.unusable("no"), false, .failure), (.unusable("no"), true, .failure),
    ] as [(TCPProbe.Binding, Bool, Check.Verdict)] {
      let checks = AddressChecks(plan: ServicePlan(keys: keys), isRunning: isRunning)
      #expect(checks.judge("address-http", "127.0.0.1:1", binding, portRemedy: "ss").verdict == verdict)
    }
  }

  @Test("A bound port is in use, a listener is reached, and a port without a listener refuses")
  func sockets() throws {
    let listener = try #require(ListeningPort())
    #expect(TCPProbe.bind(host: "127.0.0.1", port: listener.port) == .inUse)
    // A connection may outlive its listener for a moment, and keep the port in use.
    let reached = try #require(ListeningPort())
    #expect(TCPProbe.connect(host: "127.0.0.1", port: reached.port, timeout: .seconds(120)) == .connected)
    let port = listener.port
    listener.stop()
    #expect(TCPProbe.bind(host: "127.0.0.1", port: port) == .free)
    let refused = TCPProbe.connect(host: "127.0.0.1", port: port, timeout: .seconds(120))
    #expect(refused == .failed("Connection refused"))
    #expect(TCPProbe.bind(host: unknownHost, port: 1) == .unusable("unknown host"))
    #expect(TCPProbe.connect(path: "/nowhere") == .failed("No such file or directory"))
  }

  @Test("A link is right only if it answers as this link, and each other outcome has its finding")
  func handshakes() throws {
    let endpoint = try Endpoint("tcp://127.0.0.1:7703")
    func judge(_ outcome: LinkProbe.Outcome, as link: LinkName = .gateway) -> Check {
      LinkChecks.judge("ingest-link", endpoint, outcome, of: "ingest", as: link, hasKeys: true)
    }
    #expect(
      judge(.answered(site: nil))
        == .ok("ingest-link", "\(endpoint) accepts the connection and the key, and answers as ONTHEMAP_GATEWAYS"))
    let refused = judge(.refused(reason: "key not on its allowlist"))
    #expect(refused.verdict == .failure && refused.finding.contains("is reached, and the handshake fails: key not"))
    let silent = judge(.silent)
    #expect(silent.verdict == .failure && silent.finding.contains("does not answer the handshake"))
    let other = judge(.otherLink)
    #expect(other.verdict == .failure && other.finding.contains("is another link than ONTHEMAP_GATEWAYS"))
    #expect(other.remedy?.hasPrefix("Set the address that ONTHEMAP_GATEWAYS has at ingest.") == true)
    #expect(judge(.unanswered).verdict == .failure)
    // A feed without a list sends nothing.
    #expect(judge(.unanswered, as: .feed).verdict == .warning)
  }

  @Test("An address whose listener does not greet as ZeroMQ has a finding that says what it does")
  func faults() throws {
    let endpoint = try Endpoint("tcp://127.0.0.1:8080")
    func fault(_ greeting: GreetingProbe.Outcome) -> (finding: String, remedy: String)? {
      LinkChecks.fault(greeting, endpoint, of: "ingest", as: .jobs)
    }
    #expect(fault(.zeroMQ)?.finding == nil)
    #expect(fault(.http)?.finding == "\(endpoint) speaks HTTP, not ZeroMQ")
    #expect(fault(.http)?.remedy == "Set the address that ONTHEMAP_JOBS has at ingest")
    #expect(fault(.unreached("no reply"))?.finding == "\(endpoint) is not reached: no reply")
    #expect(fault(.silent)?.finding.contains("sends no ZeroMQ greeting within 5 s") == true)
    for greeting in [.other, .closed] as [GreetingProbe.Outcome] {
      #expect(fault(greeting)?.finding.hasPrefix("\(endpoint) accepts connections") == true)
    }
  }

  @Test(
    "A listener's first bytes tell ZeroMQ from HTTP and from other protocols",
    arguments: [
      ([0xFF, 0, 0, 0, 0, 0, 0, 0, 1, 0x7F], false, .zeroMQ), ([0xFF, 0, 0, 0, 0, 0, 0, 0, 1, 0], false, .other),
      (Array("SSH-2.0-OpenSSH_9.6\r\n".utf8), false, .other), ([], false, .closed),
      (Array("HTTP/1.1 400 Bad Request\r\n\r\n".utf8), true, .http), (Array("-ERR\r\n".utf8), true, .other),
    ] as [([UInt8], Bool, GreetingProbe.Outcome)])
  func greetings(bytes: [UInt8], followRequest: Bool, outcome: GreetingProbe.Outcome) throws {
    let listener = try #require(ListeningPort())
    listener.serve(bytes, afterRequest: followRequest)
    // A listener that waits for a request sends nothing before, however long the probe waits.
    var probe = GreetingProbe(greetingTimeout: .seconds(120), responseTimeout: .seconds(120))
    if followRequest { probe.greetingTimeout = .milliseconds(20) }
    #expect(probe.run(try Endpoint("tcp://127.0.0.1:\(listener.port)")) == outcome)
  }

  @Test("A listener that never sends is silent, and an address without a listener is not reached")
  func absentGreeting() throws {
    let listener = try #require(ListeningPort())
    let endpoint = try Endpoint("tcp://127.0.0.1:\(listener.port)")
    let probe = GreetingProbe(greetingTimeout: .milliseconds(20), responseTimeout: .milliseconds(20))
    #expect(probe.run(endpoint) == .silent)
    listener.stop()
    #expect(probe.run(endpoint) == .unreached("connection refused"))
    #expect(probe.run(try Endpoint("ipc:///nowhere")) == .unreached("no such file or directory"))
  }

  @Test("An address of ingest that fails is a warning if another address works")
  func lists() {
    let (right, wrong) = (Check.ok("ingest-link", "a"), Check.failure("ingest-link-2", "b", remedy: "c"))
    #expect(LinkChecks.combined([right, wrong]).map(\.verdict) == [.ok, .warning])
    #expect(LinkChecks.combined([wrong, wrong]).map(\.verdict) == [.failure, .failure])
  }

  @Test("A response of the health check decides by its status, and another version is a warning")
  func health() {
    #expect(HealthChecks.judge("health-http", "u", status: 200, body: "ready\n").finding == "u is ready")
    let full = HealthChecks.judge("health-http", "u", status: 503, body: #"{"code":"disk_full"}"#)
    #expect(full.verdict == .failure && full.finding.contains("disk_full"))
    #expect(HealthChecks.judge("health-http", "u", status: 404, body: " \n").finding == "u is not ready: status 404")
    #expect(HealthChecks.versions("running-version", "ingest", ProductVersion.text).verdict == .ok)
    #expect(HealthChecks.versions("running-version", "ingest", "0.0.1").verdict == .warning)
    #expect(HealthChecks.local("0.0.0.0") == "127.0.0.1" && HealthChecks.local("::") == "[::1]")
  }

  @Test("A certificate warns two weeks before its expiry, and a failed TLS handshake is a failure")
  func certificates() {
    let (day, now): (Int64, Int64) = (86_400_000, 1_800_000_000_000)
    for (days, verdict) in [(14, .ok), (13, .warning), (0, .warning)] as [(Int64, Check.Verdict)] {
      let reply = HTTPProbe.Reply(status: 200, certificateEndMs: now + days * day)
      #expect(ProxyChecks.certificate("c", .success(reply), nowMs: now).verdict == verdict, "\(days)")
    }
    #expect(ProxyChecks.certificate("c", .failure(.tls("expired")), nowMs: now).verdict == .failure)
    #expect(ProxyChecks.certificate("c", .failure(.unknownHost), nowMs: now).verdict == .notChecked)
    #expect(HTTPProbe.unixMs("Nov 26 18:00:00 2027 GMT") == 1_827_252_000_000)
    #expect(HTTPProbe.unixMs("never") == nil)
  }

  @Test("A public feed of a members-only map is a failure, and a members-only feed of a public map a warning")
  func mapAccess() {
    for (ingest, feed, verdict) in [
      (true, true, .ok), (false, false, .ok), (true, false, .failure), (false, true, .warning),
      (nil, true, .notChecked), (false, nil, .notChecked),
    ] as [(Bool?, Bool?, Check.Verdict)] {
      #expect(MapAccessCheck.judge(ingest: ingest, feed: feed).verdict == verdict)
    }
    for (status, body, isMembersOnly) in [
      (200, #"{"entries":[]}"#, false), (200, "hello", nil), (401, #"{"code":"ticket_required"}"#, true),
      (401, #"{"code":"session_required"}"#, true), (401, "", nil), (503, #"{"code":"feed_unavailable"}"#, false),
      (503, "", nil), (404, "", nil),
    ] as [(Int, String, Bool?)] {
      let reply = HTTPProbe.Reply(status: status, body: body)
      #expect(MapAccessCheck.isMembersOnly(.success(reply)) == isMembersOnly, "\(status) \(body)")
    }
    #expect(MapAccessCheck.isMembersOnly(.failure(.unknownHost)) == nil)
    func gateway(_ isMapPublic: Bool) -> Check.Verdict {
      MapAccessCheck.gateway(GatewaySite(isSecure: true, allowedOrigins: [], isMapPublic: isMapPublic)).verdict
    }
    #expect(gateway(true) == .ok && gateway(false) == .warning)
    #expect(MapAccessCheck.gateway(nil).verdict == .notChecked)
  }

  @Test("A clock that differs by two seconds is a warning")
  func clocks() {
    #expect(ProxyChecks.clock(nil, nowMs: 0).verdict == .notChecked)
    for (offset, verdict) in [(1_999, .ok), (-1_999, .ok), (2_000, .warning), (-2_000, .warning)]
      as [(Int64, Check.Verdict)]
    {
      #expect(ProxyChecks.clock(10_000 + offset, nowMs: 10_000).verdict == verdict, "\(offset)")
    }
  }

  @Test("A gateway without trusted proxies has a warning, and one that trusts strangers a failure")
  func gatewayProxies() throws {
    for (range, verdict) in [
      (nil, .warning), ("127.0.0.1", .ok), ("10.0.0.0/8", .ok), ("0.0.0.0/0", .failure),
    ] as [(String?, Check.Verdict)] {
      var gateway = GatewayConfiguration(ingest: [], host: "10.0.0.5", port: 8_090)
      gateway.proxies = TrustedProxies(try range.map { [try #require(AddressRange($0))] } ?? [])
      #expect(ProxyChecks.trusted(gateway).verdict == verdict, "\(range ?? "none")")
    }
  }

  @Test("A trusted proxy must forward an address, and a proxy that forwards one must be trusted")
  func forwarded() throws {
    let peer = try #require(IPAddress("10.0.0.1"))
    let trusted = TrustedProxies([try #require(AddressRange("10.0.0.0/8"))])
    let none = TrustedProxies()
    for (forwardedFor, proxies, scheme, verdict) in [
      (["192.0.2.1"], trusted, "https", .ok), ([], trusted, "https", .failure),
      (["unknown"], trusted, "http", .failure),
      (["192.0.2.1"], none, "http", .failure), ([], none, "https", .failure), ([], none, "http", .ok),
    ] as [([String], TrustedProxies, String, Check.Verdict)] {
      let arrival = ArrivalListener.Arrival(peer: peer, forwardedFor: forwardedFor)
      let check = ProxyChecks.judge("forwarded-address", arrival, url: "\(scheme)://example.org", proxies: proxies)
      #expect(check.verdict == verdict, "\(forwardedFor) \(check.finding)")
    }
    #expect(ProxyChecks.judge("forwarded-address", nil, url: "u", proxies: trusted).verdict == .notChecked)
  }

  @Test("The listener answers with 503, and returns the forwarded addresses of the request with the number")
  func arrival() async throws {
    let free = try #require(ListeningPort())
    let port = free.port
    free.stop()
    let listener = try #require(ArrivalListener(host: "127.0.0.1", port: port))
    let arrival = OneShot<ArrivalListener.Arrival?>()
    Thread.detachNewThread { arrival.set(listener.wait(for: "number-2", within: .seconds(120))) }
    /// Sends a request, and returns the status of its response. Nil on a machine that is too busy for the timeout.
    func status(_ number: Int) async -> Int? {
      let url = "http://127.0.0.1:\(port)/livez?doctor=number-\(number)"
      return await bounded(.seconds(120)) { try? HTTPProbe(url: url, isDirect: true).run().get().status } ?? nil
    }
    var first: Int?
    while first == nil, arrival.now == nil { first = await status(1) }
    #expect(first == 503)
    while arrival.now == nil { _ = await status(2) }
    let peer = try #require(IPAddress("127.0.0.1"))
    #expect(arrival.now == ArrivalListener.Arrival(peer: peer, forwardedFor: []))
    let head = "GET /?n HTTP/1.1\r\nX-FORWARDED-FOR: 192.0.2.1\r\nx-forwarded-for: 10.0.0.2 \r\n\r\nX-Forwarded-For: no"
    #expect(ArrivalListener.arrival(head, from: peer, with: "n")?.forwardedFor == ["192.0.2.1", "10.0.0.2"])
    #expect(ArrivalListener.arrival(head, from: peer, with: "other") == nil)
  }

  @Test("A probe reads a body and a head up to their maximum sizes")
  func sizes() {
    let received = Received()
    let body = [UInt8](repeating: 65, count: DoctorLimits.bodyBytesMax)
    #expect(body.withUnsafeBytes { received.append($0) } == body.count && !received.isFull)
    #expect([UInt8(65)].withUnsafeBytes { received.append($0) } == 0 && received.isFull)
    #expect(received.body == body)

    var ends: [Int32] = [-1, -1]
    #expect(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
    defer { for end in ends { close(end) } }
    #expect(writeAll([UInt8](repeating: 65, count: DoctorLimits.forwardedHeadBytesMax + 1), on: ends[0]))
    #expect(ArrivalListener.head(of: ends[1]).utf8.count == DoctorLimits.forwardedHeadBytesMax)
  }

  @Test("A probe reports the failed stage of a connection")
  func probes() throws {
    let listener = try #require(ListeningPort())
    let url = "http://127.0.0.1:\(listener.port)"
    #expect(try HTTPProbe(url: url, isConnectOnly: true, isDirect: true).run().get() == HTTPProbe.Reply())
    listener.stop()
    guard case .failure(.unreachable) = HTTPProbe(url: url, isDirect: true).run() else {
      Issue.record("A closed port answers.")
      return
    }
    let unknown = HTTPProbe(url: "http://\(unknownHost)/", isDirect: true).run()
    #expect(unknown == .failure(.unknownHost))
  }
}

@Suite("Doctor: providers")
struct ProviderCheckTests {
  @Test("A provider that accepts connections is right, and a closed port is a failure")
  func providers() async throws {
    let listener = try #require(ListeningPort())
    let closed = try #require(ListeningPort())
    closed.stop()
    let checks = await ProviderChecks(
      [
        Setting.oidcIssuer.name: "http://127.0.0.1:\(listener.port)/realm",
        Setting.remoteURL.name: "http://127.0.0.1:\(closed.port)",
      ], hasFacebook: false
    ).run()
    #expect(checks.map(\.id) == ["geocoding-provider", "identity-provider"])
    #expect(checks.map(\.verdict) == [.failure, .ok])
    #expect(ProviderChecks([:], hasFacebook: true).servers.map(\.id) == ["facebook"])
    #expect(ProviderChecks([:], hasFacebook: false).servers.isEmpty)
  }
}

/// A listening socket on a free port of loopback.
private final class ListeningPort {
  let port: Int
  private var descriptor: Int32

  init?() {
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | O_CLOEXEC, 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isListening = withUnsafeMutablePointer(to: &address) { [descriptor] pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, size) == 0 && listen(descriptor, 16) == 0 && getsockname(descriptor, $0, &size) == 0
      }
    }
    port = Int(UInt16(bigEndian: address.sin_port))
    guard isListening else { return nil }
  }

  /// Accepts one connection on its own thread, sends bytes, and closes the connection.
  ///
  /// - Parameter afterRequest: True to read a request before.
  func serve(_ bytes: [UInt8], afterRequest: Bool) {
    Thread.detachNewThread { [descriptor] in
      let connection = accept(descriptor, nil, nil)
      guard connection >= 0 else { return }
      defer { close(connection) }
      var request = [UInt8](repeating: 0, count: 1_024)
      if afterRequest { _ = read(connection, &request, request.count) }
      _ = send(connection, bytes, bytes.count, Int32(MSG_NOSIGNAL))
    }
  }

  func stop() {
    if descriptor >= 0 { close(descriptor) }
    descriptor = -1
  }

  deinit { stop() }
}
