import HTTPClient

/// Limits of the remote providers, with their reasons.
package enum RemoteLimits {
  /// Timeout of one request in milliseconds, from the connection to the last byte. A post's lease lasts 30 s, and a
  /// client that waits for a preview gives up after 5 s.
  static let totalMs: Int64 = 5_000
  /// Maximum size of a response, in bytes. 20 places with long addresses and names take about 40 KB.
  static let bodyBytesMax = 1 << 20
  /// Maximum number of redirects of one request. A server that appends a slash to its path needs one.
  static let redirectsMax = 1
  /// Maximum number of concurrent requests to the operator's own server. A public server gets one request at a time.
  static let inFlightMax = 4
  static let bounds = HTTPFetch.Bounds(
    totalMs: totalMs, bodyBytesMax: bodyBytesMax, redirectsMax: redirectsMax, connectionsMax: inFlightMax)
  /// Maximum number of queries that wait for a request: half a worker's window, so that its other jobs continue.
  static let waitingMax = 32
  /// Requests per second of one process to a public server.
  package static let publicPerSecond = 1.0

  /// Maximum number of cached results. A result with one place takes about 1 KB.
  static let cachedMax = 8_192
  /// Divisor for eviction: a full cache evicts a sixteenth of its results together.
  static let evictedShare = 16
  /// Lifetime of a cached place, in milliseconds. OpenStreetMap's streets change slowly.
  static let foundMs: Int64 = 30 * 24 * 3_600_000
  /// Lifetime of a cached result without a place, in milliseconds. A missing street may be mapped tomorrow.
  static let notFoundMs: Int64 = 24 * 3_600_000

  /// Consecutive failures that open the breaker.
  static let failuresInARow = 5
  /// Number of latest outcomes that the breaker considers. It also opens if more than half of them are failures.
  static let breakerWindow = 20
  /// First pause of an open breaker, in milliseconds. Each failed probe doubles it.
  static let openMs: Int64 = 30_000
  /// Longest pause of an open breaker, in milliseconds.
  static let openMaxMs: Int64 = 600_000
  /// Pause after the provider refuses this client (401, 402, 403 or 407), in milliseconds. A retry makes it worse.
  static let blockedMs: Int64 = 3_600_000
  /// Longest pause that a server may request, in milliseconds.
  static let retryAfterMaxMs: Int64 = 3_600_000
  /// First pause after a failure, in milliseconds, with full jitter. Each further failure doubles it.
  static let backoffBaseMs: Int64 = 1_000
  /// Longest pause after a failure without a `Retry-After`, in milliseconds.
  static let backoffCapMs: Int64 = 60_000

  /// Maximum length of the contact in the User-Agent, in bytes.
  package static let contactBytesMax = 200
  /// Maximum length of a key, in bytes: several times that of the providers' keys.
  package static let keyBytesMax = 256
  /// Maximum length of a text in a result, in bytes, as on the job link.
  static let textBytesMax = 512
}
