import HTTPClient

/// Why nobody knows who it is. Codes may be logged: no token, no secret and nothing that was typed is in them.
package enum IdentityFailure: Error, Sendable, Equatable {
  /// The provider did not say, or not as its protocol has it. Later it may.
  case unavailable(code: String)
  /// The provider does not vouch for this login, or for another one than this. Final; a new login may do better.
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

  /// For logs.
  package var code: String {
    switch self {
    case .unavailable(let code), .refused(let code): code
    }
  }
}
