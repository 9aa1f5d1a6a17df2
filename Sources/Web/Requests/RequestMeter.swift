import HTTPTypes
package import Hummingbird
import Metrics
import Synchronization
import Telemetry

/// Middleware that counts requests by route, method and status, and times them by route and method. Add this middleware
/// first, so that it sees every response.
package struct RequestMeter: RouterMiddleware {
  /// Context of every router in this project.
  package typealias Context = ConnectionContext

  private struct Key: Hashable {
    let route: String
    let method: HTTPRequest.Method
    let code: Int

    /// Hashes the route's length and the status, which distinguish nearly all keys. A cheap hash matters because every
    /// request needs it.
    func hash(into hasher: inout Hasher) { hasher.combine(route.utf8.count << 16 ^ code) }
  }

  /// Cache of the instruments of each route, method and status. Finding an instrument by name costs more than using it.
  private final class Cache: Sendable {
    private let instruments = Mutex<[Key: (Counter, Metrics.Timer)]>([:])

    func instruments(_ key: Key) -> (Counter, Metrics.Timer) {
      instruments.withLock { instruments in
        if let known = instruments[key] { return known }
        let made = (
          Metric.httpRequests.counter(key.route, key.method.rawValue, "\(key.code)"),
          Metric.httpDuration.timer(key.route, key.method.rawValue)
        )
        instruments[key] = made
        return made
      }
    }
  }

  private let cache = Cache()

  package init() {}

  /// Witness of `RouterMiddleware`.
  package func handle(
    _ request: Request, context: Context, next: @concurrent (Request, Context) async throws -> Response
  ) async throws -> Response {
    let watch = Stopwatch()
    let response = try await next(request, context)
    let isKnown = RequestMeter.methods.contains(request.method)
    // An unmatched path may be any text, so it must not become a label.
    let route = isKnown ? context.endpointPath ?? RequestMeter.unmatched : RequestMeter.unmatched
    let (counter, timer) = cache.instruments(
      Key(
        route: route == "NotFound" ? RequestMeter.unmatched : route, method: isKnown ? request.method : .other,
        code: response.status.code))
    counter.increment()
    watch.stop(timer)
    return response
  }

  private static let unmatched = "unmatched"
  /// Other methods may be any word, so they share one label.
  private static let methods: Set<HTTPRequest.Method> = [
    .get, .head, .post, .put, .patch, .delete, .options, .trace, .connect,
  ]
}

extension HTTPRequest.Method {
  fileprivate static let other = Self("other")!
}
