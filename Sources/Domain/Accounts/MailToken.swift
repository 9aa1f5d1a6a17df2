/// A token that a link in a mail carries, as the store has it: without the token itself.
package struct MailToken: Sendable, Equatable {
  /// The right that a token grants, with its number in the database.
  package enum Purpose: Int64, Sendable, CaseIterable {
    /// Sets a new password.
    case recovery = 1
    /// Confirms the email address.
    case confirmation = 2

    /// Name in logs and metrics.
    package var name: String {
      switch self {
      case .recovery: "recovery"
      case .confirmation: "confirmation"
      }
    }

    /// Lifetime of a token, in milliseconds.
    package var lifetimeMs: Int64 {
      switch self {
      case .recovery: Limits.recoveryTokenMs
      case .confirmation: Limits.confirmationTokenMs
      }
    }
  }

  /// Hash of the token: 32 bytes.
  package let hash: [UInt8]
  package let purpose: Purpose
  /// End of the token's validity, in milliseconds since 1970, UTC. The token is invalid from then on.
  package let expiresMs: Int64

  /// Creates a token that is valid from now on.
  ///
  /// - Parameter unixMs: Current time, in milliseconds since 1970, UTC.
  package init(hash: [UInt8], purpose: Purpose, unixMs: Int64) {
    self.hash = hash
    self.purpose = purpose
    expiresMs = unixMs + purpose.lifetimeMs
  }
}
