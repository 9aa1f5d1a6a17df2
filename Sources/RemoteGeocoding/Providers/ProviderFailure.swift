import HTTPClient

/// Why a provider gave no answer. Its texts may be logged: neither the query nor the key is in them.
enum ProviderFailure: Error, Equatable {
  /// 400, 413, 414: it does not take this text. Final for the text; the provider is well.
  case refused(status: Int)
  /// 401, 402, 403, 407: it does not take us. Asking again makes it worse.
  case blocked(status: Int)
  /// 429. The pause in ms, where it says one.
  case rateLimited(retryAfterMs: Int64?)
  /// Any other status.
  case unavailable(status: Int, retryAfterMs: Int64?)
  /// No whole answer within `RemoteLimits.totalMs`.
  case timedOut
  /// No connection, or one that broke, or no trust. The code is URLError's.
  case unreachable(code: Int)
  /// To another host, to plain http, or once more.
  case redirected
  /// More than `RemoteLimits.bodyBytesMax`.
  case tooLong
  /// Not what the provider's documents describe.
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

  /// - Parameter retryAfter: the header's value.
  init(status: Int, retryAfter: String?, unixSeconds: Int64) {
    let pauseMs = retryAfter.flatMap { RetryAfter.ms($0, unixSeconds: unixSeconds) }
    switch status {
    case 400, 413, 414: self = .refused(status: status)
    case 401, 402, 403, 407: self = .blocked(status: status)
    case 429: self = .rateLimited(retryAfterMs: pauseMs)
    default: self = .unavailable(status: status, retryAfterMs: pauseMs)
    }
  }

  /// A word for machines.
  var code: String {
    switch self {
    case .refused: "remote_refused"
    case .blocked: "remote_blocked"
    case .rateLimited: "remote_rate_limited"
    case .unavailable: "remote_unavailable"
    case .timedOut: "remote_timeout"
    case .unreachable: "remote_unreachable"
    case .redirected: "remote_redirected"
    case .tooLong: "remote_answer_too_long"
    case .malformed: "remote_answer_malformed"
    }
  }
}
