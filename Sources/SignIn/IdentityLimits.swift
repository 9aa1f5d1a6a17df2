import HTTPClient

/// Every bound of asking providers who somebody is, with what it follows from.
package enum IdentityLimits {
  /// One request, connecting included: a login takes three at most, and a person waits for it.
  static let totalMs: Int64 = 5_000
  /// An answer: a provider's description of itself takes 2 to 10 KB, a token with many claims as much.
  static let bodyBytesMax = 256 * 1_024
  /// Requests at once to one provider, that wait for nobody.
  static let connectionsMax = 8
  static let bounds = HTTPFetch.Bounds(
    totalMs: totalMs, bodyBytesMax: bodyBytesMax, redirectsMax: 0, connectionsMax: connectionsMax)

  /// A provider's description of itself is asked for again after this time.
  static let metadataMs: Int64 = 3_600_000
  /// How far a provider's clock may be off, in seconds.
  static let leewaySeconds: Int64 = 60
  /// A statement that was made longer ago is none about a login that has just been, in seconds.
  static let statementAgeSeconds: Int64 = 600

  /// A client's id or secret: providers' have some ten to some hundred characters.
  package static let credentialBytesMax = 1_024
  /// What people see of a provider.
  package static let nameBytesMax = 64
  /// A code or an access token from outside.
  package static let tokenBytesMax = 4_096
}
