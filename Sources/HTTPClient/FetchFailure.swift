/// Why a server gave no answer. Its texts may be logged: no address is in them.
package enum FetchFailure: Error, Sendable, Equatable {
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
}
