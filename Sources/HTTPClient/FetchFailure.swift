import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Why a server gave no answer. Its texts may be logged: no address is in them.
package enum FetchFailure: Error, Sendable, Equatable, CustomStringConvertible {
  /// No whole answer within `HTTPFetch.Bounds.totalMs`.
  case timedOut
  /// No connection, or one that broke, or no trust. The code is URLError's.
  case unreachable(code: Int)
  /// To another host, to plain http, or once more than is followed.
  case redirected
  /// More than `HTTPFetch.Bounds.bodyBytesMax`.
  case tooLong
  /// Not HTTP.
  case malformed

  /// A sentence for people, without a full stop.
  package var description: String {
    switch self {
    case .timedOut: "it did not answer in time"
    case .unreachable(code: URLError.Code.cannotFindHost.rawValue): "no host has this name"
    case .unreachable(code: URLError.Code.cannotConnectToHost.rawValue): "it does not accept connections"
    case .unreachable(code: URLError.Code.networkConnectionLost.rawValue): "it ended the connection"
    case .unreachable(code: URLError.Code.secureConnectionFailed.rawValue): "no secure connection could be made"
    case .unreachable(let code): "the connection failed (error \(code))"
    case .redirected: "it sends elsewhere: use the address that it serves"
    case .tooLong: "its answer is too long"
    case .malformed: "it does not speak HTTP"
    }
  }
}
