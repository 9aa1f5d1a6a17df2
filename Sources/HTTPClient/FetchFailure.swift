import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Reason why a server gave no response. Its texts contain no address, so they may be logged.
package enum FetchFailure: Error, Sendable, Equatable, CustomStringConvertible {
  /// No complete response within `HTTPFetch.Bounds.totalMs`.
  case timedOut
  /// No connection, a broken one, or an untrusted certificate. The code is URLError's.
  case unreachable(code: Int)
  /// Redirect to another host or to plain http, or one more than the limit.
  case redirected
  /// Response body above `HTTPFetch.Bounds.bodyBytesMax`.
  case tooLong
  /// Response that is not HTTP.
  case malformed

  /// Explanation for people: a sentence without a full stop.
  package var description: String {
    switch self {
    case .timedOut: "no response in time"
    case .unreachable(code: URLError.Code.cannotFindHost.rawValue): "unknown host"
    case .unreachable(code: URLError.Code.cannotConnectToHost.rawValue): "connection refused"
    case .unreachable(code: URLError.Code.networkConnectionLost.rawValue): "connection lost"
    case .unreachable(code: URLError.Code.secureConnectionFailed.rawValue): "TLS handshake failed"
    // Foundation on Linux gives this code for no route, for most failures of TLS, and for untrusted certificates.
    case .unreachable(code: URLError.Code.unknown.rawValue):
      "no connection: check the network, its firewalls, and the certificate if there is one"
    case .unreachable(let code): "the connection failed (error \(code))"
    case .redirected: "unexpected redirect: use the final address"
    case .tooLong: "response too long"
    case .malformed: "not an HTTP response"
    }
  }
}
