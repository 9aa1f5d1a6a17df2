import Dispatch
import Domain
import Foundation
import InMemoryLogging
import Logging
import StubServers
import Synchronization
import Testing

@testable import RemoteGeocoding

/// A stub provider, and a geocoder for it with a clock that tests can move forward.
private final class GeocoderFixture: Sendable {
  let server: StubServer
  let geocoder: RemoteGeocoder
  private let clock: TestClock

  init(
    _ provider: Provider = .nominatim, isPublic: Bool = false, port: UInt16? = nil,
    reply: @escaping @Sendable (StubServer.Request) -> StubServer.Reply
  ) throws {
    clock = TestClock(isRunning: isPublic)
    server = try StubServer(reply: reply)
    let url = port.map { "http://127.0.0.1:\($0)" } ?? server.url
    var configuration = try RemoteConfiguration(provider: provider, url: url, contact: "ops@example.org")
    configuration.isPublic = isPublic
    geocoder = RemoteGeocoder(configuration, logger: Logger(label: "remote") { _ in SwiftLogNoOpLogHandler() }) {
      [clock] in clock.nowMs
    }
  }

  deinit { geocoder.end() }

  func skip(ms: Int64) { clock.skip(ms: ms) }

  func locate(_ text: String, limit: Int = 1) async -> RemoteGeocoder.Outcome {
    await geocoder.locate(PlaceQuery(text, limit: limit))
  }
}

/// A clock that tests can move forward. The clock runs by itself only for tests of paced requests. Otherwise it stands
/// still, so that no pause ends early on a slow machine.
private final class TestClock: Sendable {
  private let skippedMs = Mutex<Int64>(0)
  private let start: ContinuousClock.Instant?

  init(isRunning: Bool) { start = isRunning ? .now : nil }

  var nowMs: Int64 {
    let elapsedMs = start.map { Int64((ContinuousClock.now - $0) / .milliseconds(1)) } ?? 0
    return elapsedMs + skippedMs.withLock { $0 }
  }

  func skip(ms: Int64) { skippedMs.withLock { $0 += ms } }
}

/// Blocks the server's threads until it opens.
private final class Gate: Sendable {
  private let semaphore = DispatchSemaphore(value: 0)

  func open() { semaphore.signal() }

  /// Waits until the gate opens, for at most two minutes.
  func pass() {
    // Signal again, so that the gate stays open for the next thread.
    if semaphore.wait(timeout: .now() + .seconds(120)) == .success { semaphore.signal() }
  }
}

extension RemoteGeocoder.Outcome {
  fileprivate var isFound: Bool { if case .found = self { true } else { false } }
}

@Suite("Remote geocoder")
struct StubServerTests {
  private static let houses: [(Provider, String, String)] = [
    (.nominatim, "/search", ProviderSamples.nominatimHouse), (.photon, "/api", ProviderSamples.photonHouse),
    (.pelias, "/v1/search", ProviderSamples.peliasHouse),
  ]

  @Test(
    "Each provider finds a house by one request, which has the program's User-Agent",
    arguments: StubServerTests.houses)
  func found(provider: Provider, path: String, body: String) async throws {
    let scene = try GeocoderFixture(provider) { _ in .response(body: body) }
    guard case .found(let places) = await scene.locate("7 Storgata, Oslo", limit: 3) else {
      Issue.record("The house is not found.")
      return
    }
    #expect(places.count == 1 && places[0].level == .house && places[0].detail?.provider == provider.rawValue)
    let request = try #require(scene.server.requests.first)
    #expect(request.path == path)
    #expect(request.parameter(provider == .pelias ? "text" : "q") == "7 Storgata, Oslo")
    #expect(request.parameter(provider == .pelias ? "size" : "limit") == "3")
    #expect(request.parameter("format") == (provider == .nominatim ? "jsonv2" : nil))
    #expect(request.headers["user-agent"] == "onthemap/1.0 (ops@example.org)")
    #expect(request.headers["cookie"] == nil)
  }

  @Test("A result without a place is cached for a day, and a place for 30 days")
  func kept() async throws {
    let scene = try GeocoderFixture {
      $0.parameter("q") == "nowhere 1" ? .response(body: "[]") : .response(body: ProviderSamples.nominatimHouse)
    }
    for _ in 0..<3 {
      #expect(await scene.locate("nowhere 1") == .notFound)
      #expect(await scene.locate(" NOWHERE  1") == .notFound)
      #expect(await scene.locate("7 Storgata").isFound)
    }
    #expect(scene.server.requests.count == 2)
    scene.skip(ms: RemoteLimits.notFoundMs)
    #expect(await scene.locate("nowhere 1") == .notFound)
    #expect(await scene.locate("7 Storgata").isFound)
    #expect(scene.server.requests.count == 3)
    scene.skip(ms: RemoteLimits.foundMs)
    #expect(await scene.locate("7 Storgata").isFound)
    #expect(scene.server.requests.count == 4)
  }

  @Test("The geocoder filters a cached result by the wanted levels")
  func levels() async throws {
    let scene = try GeocoderFixture { _ in .response(body: ProviderSamples.nominatimHouse) }
    func locate(_ levels: Set<Place.Level>) async -> RemoteGeocoder.Outcome {
      await scene.geocoder.locate(PlaceQuery("7 Storgata", levels: levels))
    }
    #expect(await locate([.street]) == .notFound)
    #expect(await locate([.street, .house]).isFound)
    #expect(scene.server.requests.count == 1)
  }

  @Test("Concurrent equal queries share one request, and at most four requests run at a time")
  func singleFlight() async throws {
    let gate = Gate()
    let requestCount = Atomic(0)
    let scene = try GeocoderFixture { _ in
      // Opens the gate when a second request arrives during the first.
      if requestCount.add(1, ordering: .relaxed).newValue > 1 { gate.open() }
      gate.pass()
      return .delayed(ms: 200, .response(body: ProviderSamples.nominatimHouse))
    }
    await withTaskGroup(of: RemoteGeocoder.Outcome.self) { group in
      for number in 0..<40 { group.addTask { await scene.locate("\(number % 8) Storgata") } }
      for await outcome in group { #expect(outcome.isFound) }
    }
    #expect(scene.server.requests.count == 8)
    #expect((2...RemoteLimits.inFlightMax).contains(scene.server.maxConcurrent))
  }

  @Test("A public server gets at most one request a second, and one at a time")
  func publicServer() async throws {
    let scene = try GeocoderFixture(isPublic: true) { _ in
      .delayed(ms: 300, .response(body: ProviderSamples.nominatimHouse))
    }
    let startMs = StubServer.nowMs
    await withTaskGroup(of: RemoteGeocoder.Outcome.self) { group in
      for number in 0..<4 { group.addTask { await scene.locate("\(number) Storgata") } }
      for await outcome in group { #expect(outcome.isFound) }
    }
    #expect(scene.server.maxConcurrent == 1)
    let times = scene.server.requests.map { $0.atMs - startMs }
    #expect(times.count == 4)
    // The network delay varies, so each time is compared with the start and not with the previous request.
    for (number, time) in times.enumerated() { #expect(time >= Int64(number) * 1_000 - 5, "\(times)") }
  }

  @Test("Queries beyond the waiting limit fail immediately as busy")
  func line() async throws {
    let gate = Gate()
    let scene = try GeocoderFixture { _ in
      gate.pass()
      return .response(body: ProviderSamples.nominatimHouse)
    }
    let capacity = RemoteLimits.inFlightMax + RemoteLimits.waitingMax
    let outcomes = await withTaskGroup(of: RemoteGeocoder.Outcome.self) { group in
      for number in 0..<(capacity + 3) { group.addTask { await scene.locate("\(number) Storgata") } }
      // The server responds only after the three surplus queries have failed, so no slot becomes free before.
      return await group.reduce(into: [RemoteGeocoder.Outcome]()) { outcomes, outcome in
        outcomes.append(outcome)
        if outcomes.count == 3 { gate.open() }
      }
    }
    #expect(outcomes.count { $0.isFound } == capacity)
    #expect(outcomes.count { $0 == .unavailable(code: "remote_busy") } == 3)
  }

  private static let failing: [(StubServer.Reply, String)] = [
    (StubServer.Reply.response(status: 503, body: "{}"), "remote_unavailable"),
    (.response(status: 500, headers: ["Content-Type": "text/html"], body: "<html>"), "remote_unavailable"),
    (.response(status: 404, body: "{\"error\":{\"code\":404,\"message\":\"?\"}}"), "remote_unavailable"),
    (.response(status: 400, body: "{\"error\":{\"code\":400,\"message\":\"?\"}}"), "remote_refused"),
    (.response(status: 429, headers: ["Retry-After": "2"], body: ""), "remote_rate_limited"),
    (.response(body: "[{\"lat\":\"1\",\"lon"), "remote_response_malformed"),
    (.response(headers: ["Content-Type": "text/html"], body: "<html>Hello</html>"), "remote_response_malformed"),
    (.raw(Array("HTTP/1.1 200 -\r\nContent-Length: 9\r\n\r\n[\"\u{FC}".utf8.dropLast())), "remote_unreachable"),
    (.raw(Array("HTTP/1.1 200 -\r\nContent-Length: 4\r\n\r\n[\"".utf8) + [0xFC, 0x22]), "remote_response_malformed"),
    (.response(body: String(repeating: " ", count: RemoteLimits.bodyBytesMax) + "[]"), "remote_response_too_long"),
    (
      .raw(Array("HTTP/1.1 200 -\r\n\r\n".utf8) + [UInt8](repeating: 0x20, count: 3 * RemoteLimits.bodyBytesMax)),
      "remote_response_too_long"
    ),
    (.reset, "remote_unreachable"),
  ]

  @Test(
    "Provider errors carry a code and are not cached", arguments: StubServerTests.failing)
  func failures(reply: StubServer.Reply, code: String) async throws {
    let scene = try GeocoderFixture { _ in reply }
    #expect(await scene.locate("7 Storgata") == .unavailable(code: code))
    #expect(scene.server.requests.count == 1, "A lookup must make one request.")
    scene.server.setResponse { _ in .response(body: ProviderSamples.nominatimHouse) }
    scene.skip(ms: RemoteLimits.backoffCapMs)
    #expect(await scene.locate("7 Storgata").isFound)
  }

  @Test("A response at the size limit is accepted")
  func longest() async throws {
    let body = ProviderSamples.nominatimHouse
    let scene = try GeocoderFixture { _ in
      .response(body: body + String(repeating: " ", count: RemoteLimits.bodyBytesMax - body.utf8.count))
    }
    #expect(await scene.locate("7 Storgata").isFound)
  }

  @Test("A silent or endless response times out after five seconds", arguments: [false, true])
  func slow(drips: Bool) async throws {
    let scene = try GeocoderFixture { _ in drips ? .drip : .silence }
    let startMs = StubServer.nowMs
    #expect(await scene.locate("7 Storgata") == .unavailable(code: "remote_timeout"))
    // Not earlier, apart from the clocks' precision.
    #expect(StubServer.nowMs - startMs >= RemoteLimits.totalMs - 100)
    let deadline = ContinuousClock.now + .seconds(120)
    while scene.server.abandonedCount == 0, ContinuousClock.now < deadline {
      try await Task.sleep(for: .milliseconds(5))
    }
    #expect(scene.server.abandonedCount == 1, "The connection must be closed.")
  }

  @Test("A server that refuses connections is unavailable")
  func stoppedServer() async throws {
    let stopped = try StubServer { _ in .silence }
    let port = stopped.port
    stopped.end()
    let scene = try GeocoderFixture(port: port) { _ in .silence }
    guard case .unavailable = await scene.locate("7 Storgata") else {
      Issue.record("A stopped server responded.")
      return
    }
  }

  @Test("The geocoder follows one redirect on the same server, and no other redirect")
  func redirects() async throws {
    let elsewhere = try StubServer { _ in .response(body: ProviderSamples.nominatimHouse) }
    let scene = try GeocoderFixture { request in
      switch request.path {
      case "/search":
        .response(
          status: 302, headers: ["Location": "/next?\(request.target.drop { $0 != "?" }.dropFirst())"], body: "")
      default:
        request.parameter("q") == "loop 1"
          ? .response(status: 302, headers: ["Location": request.target], body: "")
          : .response(body: ProviderSamples.nominatimHouse)
      }
    }
    #expect(await scene.locate("7 Storgata").isFound)
    #expect(scene.server.requests.map(\.path) == ["/search", "/next"])
    #expect(await scene.locate("loop 1") == .unavailable(code: "remote_redirected"))
    #expect(scene.server.requests.count == 4)
    for address in [elsewhere.url, "http://localhost:\(scene.server.port)", "http://example.org"] {
      scene.skip(ms: RemoteLimits.backoffCapMs)
      scene.server.setResponse { _ in .response(status: 301, headers: ["Location": address + "/search"], body: "") }
      #expect(await scene.locate("7 Storgata, \(address)") == .unavailable(code: "remote_redirected"))
    }
    #expect(elsewhere.requests.isEmpty)
  }

  @Test("The geocoder obeys a server's Retry-After, in seconds and as a date", arguments: [false, true])
  func retryAfter(isDate: Bool) async throws {
    let scene = try GeocoderFixture { _ in
      let date = Date(timeIntervalSinceNow: 121)
      let format = DateFormatter()
      format.locale = Locale(identifier: "en_US_POSIX")
      format.timeZone = TimeZone(identifier: "GMT")
      format.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
      return .response(status: 429, headers: ["Retry-After": isDate ? format.string(from: date) : "120"], body: "")
    }
    #expect(await scene.locate("1 Storgata") == .unavailable(code: "remote_rate_limited"))
    scene.server.setResponse { _ in .response(body: ProviderSamples.nominatimHouse) }
    scene.skip(ms: 110_000)
    #expect(await scene.locate("2 Storgata") == .unavailable(code: "remote_paused"))
    #expect(scene.server.requests.count == 1)
    scene.skip(ms: 11_000)
    #expect(await scene.locate("2 Storgata").isFound)
  }

  @Test("Each failure without a Retry-After doubles the pause, up to a minute")
  func backoff() async throws {
    let scene = try GeocoderFixture { _ in .response(status: 429, body: "") }
    for number in 1...12 {
      #expect(await scene.locate("\(number) Storgata") == .unavailable(code: "remote_rate_limited"))
      scene.skip(ms: min(RemoteLimits.backoffBaseMs << Int64(number - 1), RemoteLimits.backoffCapMs))
    }
    #expect(scene.server.requests.count == 12, "A 429 must not open the breaker, because the server works.")
  }

  @Test("An open breaker serves stale results, and one successful probe closes it")
  func breaker() async throws {
    let scene = try GeocoderFixture { _ in .response(body: ProviderSamples.nominatimHouse) }
    #expect(await scene.locate("old 1").isFound)
    scene.skip(ms: RemoteLimits.foundMs)
    scene.server.setResponse { _ in .response(status: 502, body: "") }
    for number in 1...5 {
      #expect(await scene.locate("\(number) Storgata") == .unavailable(code: "remote_unavailable"))
      // Skips past each backoff, but not past the breaker's pause.
      scene.skip(ms: number < 5 ? 16_000 : 20_000)
    }
    #expect(await scene.locate("6 Storgata") == .unavailable(code: "remote_circuit_open"))
    #expect(await scene.locate("old 1").isFound)
    #expect(scene.server.requests.count == 6)
    scene.skip(ms: 10_000)
    scene.server.setResponse { _ in .response(body: ProviderSamples.nominatimHouse) }
    #expect(await scene.locate("6 Storgata").isFound)
    #expect(await scene.locate("7 Storgata").isFound)
  }

  @Test("A client that the provider refuses sends no request for an hour", arguments: [401, 402, 403])
  func blocked(status: Int) async throws {
    let scene = try GeocoderFixture { _ in
      .response(status: status, headers: ["Content-Type": "text/html"], body: "<html>Forbidden</html>")
    }
    #expect(await scene.locate("1 Storgata") == .unavailable(code: "remote_blocked"))
    scene.server.setResponse { _ in .response(body: ProviderSamples.nominatimHouse) }
    scene.skip(ms: RemoteLimits.blockedMs - 10_000)
    #expect(await scene.locate("2 Storgata") == .unavailable(code: "remote_circuit_open"))
    #expect(scene.server.requests.count == 1)
    scene.skip(ms: 10_000)
    #expect(await scene.locate("2 Storgata").isFound)
  }

  @Test("Autocomplete queries never reach the server")
  func suggestions() async throws {
    let scene = try GeocoderFixture { _ in .response(body: ProviderSamples.nominatimHouse) }
    let outcome = await scene.geocoder.locate(PlaceQuery("7 Stor", kind: .autocomplete))
    #expect(outcome == .unavailable(code: "remote_refused"))
    #expect(scene.server.requests.isEmpty)
  }

  @Test("Logs contain neither the key nor the query")
  func secrets() async throws {
    let log = InMemoryLogHandler()
    var logger = Logger(label: "remote") { _ in log }
    logger.logLevel = .trace
    let server = try StubServer { $0.parameter("api_key") == "s3cret-key" ? .reset : .response(status: 401, body: "") }
    let configuration = try RemoteConfiguration(provider: .pelias, url: server.url, key: "s3cret-key")
    for reply in [StubServer.Reply.reset, .response(status: 403, body: "s3cret-key"), .silence] {
      server.setResponse { _ in reply }
      let geocoder = RemoteGeocoder(configuration, logger: logger) { 0 }
      #expect(await !geocoder.locate(PlaceQuery("7 Storgata")).isFound)
      geocoder.end()
    }
    #expect(server.requests.allSatisfy { $0.parameter("api_key") == "s3cret-key" } && server.requests.count == 3)
    let lines = log.entries.map { "\($0.message) \($0.metadata)" }
    #expect(lines.count == 3)
    for line in lines { #expect(!line.contains("s3cret") && !line.contains("Storgata"), "\(line)") }
  }
}
