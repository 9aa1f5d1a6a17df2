import HTTPClient

/// A failure to learn a user's identity from a provider. Its codes may be logged: they hold no token, no secret and no
/// user input.
package enum IdentityFailure: Error, Sendable, Equatable {
  /// The provider did not respond, or not as its protocol demands. Retry later.
  case unavailable(code: String)
  /// The provider does not vouch for this login, or vouches for another one. Final for this login; a new login may
  /// succeed.
  case refused(code: String)

  init(_ failure: FetchFailure) {
    let code =
      switch failure {
      case .timedOut: "provider_timeout"
      case .unreachable(let code): "provider_unreachable_\(code)"
      case .redirected: "provider_redirected"
      case .tooLong: "provider_answer_too_long"
      case .malformed: "provider_answer_malformed"
      }
    self = .unavailable(code: code)
  }

  static let malformed = IdentityFailure.unavailable(code: "provider_answer_malformed")

  /// Code for logs.
  package var code: String {
    switch self {
    case .unavailable(let code), .refused(let code): code
    }
  }
}
