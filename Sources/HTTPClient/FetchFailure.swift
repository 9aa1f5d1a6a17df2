import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The reason why a request got no valid response. The texts contain no URL, so they may be logged.
package enum FetchFailure: Error, Sendable, Equatable, CustomStringConvertible {
  /// No complete response within `HTTPFetch.Bounds.totalMs`.
  case timedOut
  /// The connection failed or broke, or the server's certificate is untrusted. `code` is that of the `URLError`.
  case unreachable(code: Int)
  /// A redirect to another scheme, host or port, or beyond the maximum number of redirects.
  case redirected
  /// A response body of more than `HTTPFetch.Bounds.bodyBytesMax` bytes.
  case tooLong
  /// The response is not HTTP, or the request's URL is invalid.
  case malformed

  /// A short explanation for people, without a full stop.
  package var description: String {
    switch self {
    case .timedOut: "no response in time"
    case .unreachable(code: URLError.Code.cannotFindHost.rawValue): "unknown host"
    case .unreachable(code: URLError.Code.cannotConnectToHost.rawValue): "connection refused"
    case .unreachable(code: URLError.Code.networkConnectionLost.rawValue): "connection lost"
    case .unreachable(code: URLError.Code.secureConnectionFailed.rawValue): "TLS handshake failed"
    // Foundation on Linux gives this code for a missing route, for most TLS failures, and for untrusted certificates.
    case .unreachable(code: URLError.Code.unknown.rawValue):
      "no connection: check the network, its firewalls, and the certificate if there is one"
    case .unreachable(let code): "the connection failed (error \(code))"
    case .redirected: "unexpected redirect: use the final address"
    case .tooLong: "response too long"
    case .malformed: "not an HTTP response"
    }
  }
}
