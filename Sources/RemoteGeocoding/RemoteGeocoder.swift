package import Domain
import Foundation
import HTTPClient
package import Logging
import Synchronization

/// Asks one provider for streets and houses, and spares it: what it answered is kept, equal questions under way are
/// one, requests keep their distance, and a server that fails is left alone for a while.
///
/// One call makes one request at most. Nothing is repeated here: whoever calls has leave for one request, for the rate
/// is the whole deployment's.
package actor RemoteGeocoder {
  /// What is known now.
  package enum Outcome: Sendable, Equatable {
    /// Best first, one at least, each with its detail.
    case found([Place])
    /// The provider knows no place by this text. It may be asked again after a day.
    case notFound
    /// The provider did not say; why, as a word for machines. Ask again later.
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

  /// - Parameter nowMs: a clock that never goes back, in ms.
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

  /// Nothing may be asked afterwards; what is under way is unavailable.
  package nonisolated func end() { fetch.end() }

  /// What can be said without a request: what is kept, and why the provider must not be asked now; nil where it may be.
  package func cachedOutcome(_ query: PlaceQuery) -> Outcome? {
    let key = GeocodingCache.Key(query)
    if case .fresh(let places) = cache.entry(key, nowMs: nowMs()) { return places.isEmpty ? .notFound : .found(places) }
    if nowMs() < pausedUntilMs { return stale(key, code: "remote_paused") }
    return breaker.isOpen(nowMs: nowMs()) ? stale(key, code: "remote_off") : nil
  }

  /// Takes `RemoteLimits.totalMs` and the time in line for it.
  ///
  /// - Parameter query: of kind forward; others never go to a provider.
  package func locate(_ query: PlaceQuery) async -> Outcome {
    // Providers know other levels than ours: all that they say is kept, and what is wanted is told.
    let answer = await ask(query)
    guard case .found(let places) = answer, !query.levels.isEmpty else { return answer }
    let wanted = places.filter { query.levels.contains($0.level) }
    return wanted.isEmpty ? .notFound : .found(wanted)
  }

  private func ask(_ query: PlaceQuery) async -> Outcome {
    guard let request = ProviderRequest(query, of: configuration) else { return .unavailable(code: "remote_refused") }
    let key = GeocodingCache.Key(query)
    if let known = cachedOutcome(query) { return known }
    if let same = inFlight[key] { return await same.value }
    let task = Task { await ask(request, query: query, key: key) }
    inFlight[key] = task
    return await task.value
  }

  private func ask(_ request: ProviderRequest, query: PlaceQuery, key: GeocodingCache.Key) async -> Outcome {
    defer { inFlight[key] = nil }
    let answer = await permits.withPermit { await askAlone(request, query: query, key: key) }
    return answer ?? stale(key, code: "remote_busy")
  }

  private func askAlone(_ request: ProviderRequest, query: PlaceQuery, key: GeocodingCache.Key) async -> Outcome {
    // While it stood in line, that may have changed.
    guard nowMs() >= pausedUntilMs else { return stale(key, code: "remote_paused") }
    guard let permit = breaker.admit(nowMs: nowMs()) else { return stale(key, code: "remote_off") }
    if let atMs = pace?.reserve(nowMs: nowMs()), atMs > nowMs() {
      try? await Task.sleep(for: .milliseconds(atMs - nowMs()))
    }
    do {
      let places = try await places(request, query: query)
      breaker.succeed(permit)
      if failures > 0 { logger.notice("provider answers again", metadata: ["provider": "\(configuration.server)"]) }
      (failures, pausedUntilMs) = (0, .min)
      cache.store(places, for: key, nowMs: nowMs())
      return places.isEmpty ? .notFound : .found(places)
    } catch {
      note(error, permit)
      return stale(key, code: error.code)
    }
  }

  private func places(_ request: ProviderRequest, query: PlaceQuery) async throws(ProviderFailure) -> [Place] {
    let answer: HTTPFetch.Response
    do { answer = try await fetch.get(request.url) } catch { throw ProviderFailure(error) }
    guard answer.status == 200 else {
      throw ProviderFailure(
        status: answer.status, retryAfter: answer.retryAfter, unixSeconds: Int64(Date().timeIntervalSince1970))
    }
    return try ProviderResponse.places(
      in: answer.body, of: configuration.provider, limit: query.limit, country: query.country)
  }

  /// Better an old answer than none.
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
      metadata["pauseMs"] = "\(RemoteLimits.blockedMs)"
      return logger.error("provider turns us away: look at its rules, the contact and the key", metadata: metadata)
    case .rateLimited(let retryAfterMs):
      // It lives: a pause is all that it wants.
      breaker.release(permit, nowMs: now)
      pause(retryAfterMs, nowMs: now)
      return logger.warning("provider asks for a pause", metadata: metadata)
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
