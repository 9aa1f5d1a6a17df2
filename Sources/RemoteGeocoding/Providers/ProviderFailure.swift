import HTTPClient

/// A failure of a request to a provider. Its texts may be logged: they contain neither the query nor the key.
enum ProviderFailure: Error, Equatable {
  /// 400, 413 or 414: the provider refuses this text. Final for the text; the provider is healthy.
  case refused(status: Int)
  /// 401, 402, 403 or 407: the provider refuses this client. A retry makes it worse.
  case blocked(status: Int)
  /// 429: too many requests. The value is the requested pause in milliseconds, if there is one.
  case rateLimited(retryAfterMs: Int64?)
  /// Any other status except 200.
  case unavailable(status: Int, retryAfterMs: Int64?)
  /// The complete response did not arrive within `RemoteLimits.totalMs`.
  case timedOut
  /// No connection, a broken connection or an untrusted certificate. The code is that of `URLError`.
  case unreachable(code: Int)
  /// A redirect to another host or to plain http, or one redirect too many.
  case redirected
  /// The response is longer than `RemoteLimits.bodyBytesMax`.
  case tooLong
  /// The response does not match the provider's documentation.
  case malformed
}

extension ProviderFailure {
  init(_ failure: FetchFailure) {
    switch failure {
    case .timedOut: self = .timedOut
    case .unreachable(let code): self = .unreachable(code: code)
    case .redirected: self = .redirected
    case .tooLong: self = .tooLong
    case .malformed: self = .malformed
    }
  }

  /// Maps a status other than 200.
  ///
  /// - Parameter retryAfter: The value of the `Retry-After` header.
  init(status: Int, retryAfter: String?, unixSeconds: Int64) {
    let pauseMs = retryAfter.flatMap { RetryAfter.ms($0, unixSeconds: unixSeconds) }
    switch status {
    case 400, 413, 414: self = .refused(status: status)
    case 401, 402, 403, 407: self = .blocked(status: status)
    case 429: self = .rateLimited(retryAfterMs: pauseMs)
    default: self = .unavailable(status: status, retryAfterMs: pauseMs)
    }
  }

  /// The reason, as a stable code for programs.
  var code: String {
    switch self {
    case .refused: "remote_refused"
    case .blocked: "remote_blocked"
    case .rateLimited: "remote_rate_limited"
    case .unavailable: "remote_unavailable"
    case .timedOut: "remote_timeout"
    case .unreachable: "remote_unreachable"
    case .redirected: "remote_redirected"
    case .tooLong: "remote_response_too_long"
    case .malformed: "remote_response_malformed"
    }
  }
}
