import HTTPClient

/// Limits of requests to identity providers, with their reasons.
package enum IdentityLimits {
  /// Timeout of one request, in milliseconds, including the connection. A login takes at most three requests while a
  /// person waits.
  static let totalMs: Int64 = 5_000
  /// Maximum size of a response, in bytes. A provider's metadata takes 2 to 10 KB, and so does a token with many
  /// claims.
  static let bodyBytesMax = 256 * 1_024
  /// Maximum number of concurrent requests to one provider.
  static let connectionsMax = 8
  static let bounds = HTTPFetch.Bounds(
    totalMs: totalMs, bodyBytesMax: bodyBytesMax, redirectsMax: 0, connectionsMax: connectionsMax)

  /// Lifetime of a provider's cached metadata, in milliseconds.
  static let metadataMs: Int64 = 3_600_000
  /// Maximum error of a provider's clock, in seconds.
  static let leewaySeconds: Int64 = 60
  /// Maximum age of an ID token, in seconds. An older token does not belong to the login in progress.
  static let statementAgeSeconds: Int64 = 600

  /// Maximum length of a client's id or secret, in bytes. The ids and secrets of providers have about ten to a few
  /// hundred characters.
  package static let credentialBytesMax = 1_024
  /// Maximum length of a provider's displayed name, in bytes.
  package static let nameBytesMax = 64
  /// Maximum length of a received authorization code or access token, in bytes.
  package static let tokenBytesMax = 4_096
}
