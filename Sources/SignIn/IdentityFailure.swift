import HTTPClient

/// A failure to get a user's identity from a provider. The codes may be logged, because they contain no token, no
/// secret and no user input.
package enum IdentityFailure: Error, Sendable, Equatable {
  /// The provider did not respond, violated its protocol, or reported an error. Retry later.
  case unavailable(code: String)
  /// The provider refused this login, or its response belongs to another login. Final for this login. A new login may
  /// succeed.
  case refused(code: String)

  init(_ failure: FetchFailure) {
    let code =
      switch failure {
      case .timedOut: "provider_timeout"
      case .unreachable(let code): "provider_unreachable_\(code)"
      case .redirected: "provider_redirected"
      case .tooLong: "provider_response_too_long"
      case .malformed: "provider_response_malformed"
      }
    self = .unavailable(code: code)
  }

  static let malformed = IdentityFailure.unavailable(code: "provider_response_malformed")

  /// Code for logs.
  package var code: String {
    switch self {
    case .unavailable(let code), .refused(let code): code
    }
  }
}
