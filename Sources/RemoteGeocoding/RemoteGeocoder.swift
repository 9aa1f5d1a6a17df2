package import Domain
import Foundation
import HTTPClient
package import Logging
import Synchronization

/// Client of one provider for streets and houses. It caches results, merges equal queries in flight, paces requests and
/// pauses after failures.
///
/// A call sends at most one request and never retries. The caller must hold one remote permit for each call, because
/// the rate limit belongs to the whole deployment.
package actor RemoteGeocoder {
  /// The outcome of a query.
  package enum Outcome: Sendable, Equatable {
    /// The provider's places: at least one, best first, each with its detail.
    case found([Place])
    /// The provider knows no place for this text. Retry after a day.
    case notFound
    /// The provider returned no result. The code names the reason for programs. Retry later.
    case unavailable(code: String)
  }

  private let configuration: RemoteConfiguration
  private let logger: Logger
  private let nowMs: @Sendable () -> Int64
  private let fetch: HTTPFetch
  private var cache = GeocodingCache()
  private var breaker = CircuitBreaker()
  private var pace: RequestPacer?
  private var inFlight: [GeocodingCache.Key: Task<Outcome, Never>] = [:]
  private let permits: AsyncSemaphore
  private var failures = 0
  private var pausedUntilMs = Int64.min
  private var random = SystemRandomNumberGenerator()

  /// Creates a client without connections.
  ///
  /// - Parameter nowMs: A monotonic clock, in milliseconds.
  package init(
    _ configuration: RemoteConfiguration, logger: Logger, nowMs: @escaping @Sendable () -> Int64
  ) {
    self.configuration = configuration
    self.logger = logger
    self.nowMs = nowMs
    fetch = HTTPFetch(
      headers: ["User-Agent": configuration.userAgent, "Accept": "application/json"], bounds: RemoteLimits.bounds)
    pace = configuration.isPublic ? RequestPacer(perSecond: RemoteLimits.publicPerSecond) : nil
    permits = AsyncSemaphore(
      permits: configuration.isPublic ? 1 : RemoteLimits.inFlightMax, waitingMax: RemoteLimits.waitingMax)
  }

  /// Ends the client. Requests in progress end as `unavailable`. Send no query after this call.
  package nonisolated func end() { fetch.end() }

  /// Returns the outcome that needs no request: a cached result, or the reason why no request is allowed now. Nil if a
  /// request is allowed.
  package func cachedOutcome(_ query: PlaceQuery) -> Outcome? {
    let key = GeocodingCache.Key(query)
    if case .fresh(let places) = cache.entry(key, nowMs: nowMs()) { return places.isEmpty ? .notFound : .found(places) }
    if nowMs() < pausedUntilMs { return stale(key, code: "remote_paused") }
    return breaker.isOpen(nowMs: nowMs()) ? stale(key, code: "remote_circuit_open") : nil
  }

  /// Locates a query. Takes up to `RemoteLimits.totalMs` and the wait for a free slot.
  ///
  /// - Parameter query: A forward query. Queries of other kinds never go to a provider.
  package func locate(_ query: PlaceQuery) async -> Outcome {
    // Providers have other levels than this project. The cache therefore keeps all places, and the caller gets the
    // places of the wanted levels.
    let outcome = await resolve(query)
    guard case .found(let places) = outcome, !query.levels.isEmpty else { return outcome }
    let wanted = places.filter { query.levels.contains($0.level) }
    return wanted.isEmpty ? .notFound : .found(wanted)
  }

  private func resolve(_ query: PlaceQuery) async -> Outcome {
    guard let request = ProviderRequest(query, of: configuration) else { return .unavailable(code: "remote_refused") }
    let key = GeocodingCache.Key(query)
    if let known = cachedOutcome(query) { return known }
    if let same = inFlight[key] { return await same.value }
    let task = Task { await resolve(request, query: query, key: key) }
    inFlight[key] = task
    return await task.value
  }

  private func resolve(_ request: ProviderRequest, query: PlaceQuery, key: GeocodingCache.Key) async -> Outcome {
    defer { inFlight[key] = nil }
    let outcome = await permits.withPermit { await resolveWithPermit(request, query: query, key: key) }
    return outcome ?? stale(key, code: "remote_busy")
  }

  private func resolveWithPermit(
    _ request: ProviderRequest, query: PlaceQuery, key: GeocodingCache.Key
  ) async -> Outcome {
    // The state may have changed during the wait for a permit.
    guard nowMs() >= pausedUntilMs else { return stale(key, code: "remote_paused") }
    guard let permit = breaker.admit(nowMs: nowMs()) else { return stale(key, code: "remote_circuit_open") }
    if let atMs = pace?.reserve(nowMs: nowMs()), atMs > nowMs() {
      try? await Task.sleep(for: .milliseconds(atMs - nowMs()))
    }
    do {
      let places = try await places(request, query: query)
      breaker.succeed(permit)
      if failures > 0 { logger.notice("provider recovered", metadata: ["provider": "\(configuration.server)"]) }
      (failures, pausedUntilMs) = (0, .min)
      cache.store(places, for: key, nowMs: nowMs())
      return places.isEmpty ? .notFound : .found(places)
    } catch {
      note(error, permit)
      return stale(key, code: error.code)
    }
  }

  private func places(_ request: ProviderRequest, query: PlaceQuery) async throws(ProviderFailure) -> [Place] {
    let response: HTTPFetch.Response
    do { response = try await fetch.get(request.url) } catch { throw ProviderFailure(error) }
    guard response.status == 200 else {
      throw ProviderFailure(
        status: response.status, retryAfter: response.retryAfter, unixSeconds: Int64(Date().timeIntervalSince1970))
    }
    return try ProviderResponse.places(
      in: response.body, of: configuration.provider, limit: query.limit, country: query.country)
  }

  /// Returns a stale result if there is one, otherwise a failure with this code.
  private func stale(_ key: GeocodingCache.Key, code: String) -> Outcome {
    switch cache.entry(key, nowMs: nowMs()) {
    case .stale(let places), .fresh(let places): places.isEmpty ? .notFound : .found(places)
    case nil: .unavailable(code: code)
    }
  }

  private func note(_ failure: ProviderFailure, _ permit: CircuitBreaker.Permit) {
    let now = nowMs()
    var metadata: Logger.Metadata = ["provider": "\(configuration.server)", "failure": "\(failure)"]
    switch failure {
    case .refused: return breaker.succeed(permit)
    case .blocked:
      breaker.block(permit, nowMs: now)
      metadata["retry_ms"] = "\(RemoteLimits.blockedMs)"
      return logger.error(
        "provider denied access: check its usage policy, --remote-contact and the API key", metadata: metadata)
    case .rateLimited(let retryAfterMs):
      // The provider is alive and requires only a pause.
      breaker.release(permit, nowMs: now)
      pause(retryAfterMs, nowMs: now)
      metadata["retry_ms"] = "\(pausedUntilMs - now)"
      return logger.warning("provider rate limit reached", metadata: metadata)
    case .unavailable(_, let retryAfterMs): pause(retryAfterMs, nowMs: now)
    case .timedOut, .unreachable, .redirected, .tooLong, .malformed: pause(nil, nowMs: now)
    }
    let opened = breaker.fail(permit, nowMs: now)
    if opened { metadata["breaker"] = "open" }
    logger.warning("provider failed", metadata: metadata)
  }

  private func pause(_ retryAfterMs: Int64?, nowMs: Int64) {
    failures += 1
    let pauseMs =
      retryAfterMs
      ?? Backoff.pauseMs(
        attempts: failures, baseMs: RemoteLimits.backoffBaseMs, capMs: RemoteLimits.backoffCapMs, using: &random)
    pausedUntilMs = max(pausedUntilMs, nowMs + pauseMs)
  }
}
