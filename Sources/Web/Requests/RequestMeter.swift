import HTTPTypes
package import Hummingbird
import Metrics
import Synchronization
import Telemetry

/// Counts requests and times them, by route, method and status. The outermost layer, so that it sees every answer.
package struct RequestMeter: RouterMiddleware {
  /// Of every router here.
  package typealias Context = ConnectionContext

  private struct Key: Hashable {
    let route: String
    let method: HTTPRequest.Method
    let code: Int

    /// As much as tells nearly all apart: each request is looked up.
    func hash(into hasher: inout Hasher) { hasher.combine(route.utf8.count << 16 ^ code) }
  }

  /// Made once for each route, method and status: to look instruments up by their names costs more than to use them.
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

  /// As the HTTP library asks for it.
  package func handle(
    _ request: Request, context: Context, next: @concurrent (Request, Context) async throws -> Response
  ) async throws -> Response {
    let watch = Stopwatch()
    let response = try await next(request, context)
    let isKnown = RequestMeter.methods.contains(request.method)
    // What somebody asks for that is not there may be anything.
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
  /// Others may be any word.
  private static let methods: Set<HTTPRequest.Method> = [
    .get, .head, .post, .put, .patch, .delete, .options, .trace, .connect,
  ]
}

extension HTTPRequest.Method {
  fileprivate static let other = Self("other")!
}
