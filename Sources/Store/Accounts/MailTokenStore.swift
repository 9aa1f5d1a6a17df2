package import Domain

/// Tokens that accounts receive by mail. The store has their hashes only. Writes are durable on return. Times are
/// milliseconds since 1970, UTC.
///
/// A new email address, a new password and the end of an account remove tokens, so a link never outlives its reason. A
/// copy to another store leaves all tokens behind, and a restored backup loses them.
package protocol MailTokenStore: Sendable {
  /// Stores a token of the account with an email address, and removes some expired tokens. An account has at most
  /// `Limits.mailTokensOfAccountMax` tokens for a purpose, so a further token replaces the oldest.
  ///
  /// - Returns: The account. Nil if no account that may log in has the address, or if the token would confirm a
  ///   confirmed address. Nothing is stored then.
  func addMailToken(_ token: MailToken, email: String, unixMs: Int64) async throws -> Account?

  /// Returns the account of a valid token. Nil for an unknown, used or expired token, a token for another purpose, and
  /// for an account that may not log in.
  func account(ofMailToken hash: [UInt8], _ purpose: MailToken.Purpose, unixMs: Int64) async throws -> Account?

  /// Uses a recovery token: stores the hash of a new password, confirms the email address, ends all sessions, and
  /// removes all tokens of the account. Also unlinks all identities if the address was unconfirmed: a stranger may
  /// have signed up with it, and linked one. Reports `StoreChange.account`.
  ///
  /// - Returns: The changed account. Nil as for `account(ofMailToken:_:unixMs:)`. Nothing has changed then.
  func recover(mailToken hash: [UInt8], passwordHash: String, unixMs: Int64) async throws -> Account?

  /// Uses a confirmation token: confirms the email address, and removes the account's confirmation tokens. Reports
  /// `StoreChange.account`.
  ///
  /// - Returns: The changed account. Nil as for `account(ofMailToken:_:unixMs:)`. Nothing has changed then.
  func confirmEmail(mailToken hash: [UInt8], unixMs: Int64) async throws -> Account?
}
