import HTTPClient

/// Every bound of the remote providers, with what it follows from.
package enum RemoteLimits {
  /// From the first byte sent to the last one received, connecting included: a post's look-up holds a lease of 30 s,
  /// and a client that waits for a preview gives up after 5 s.
  static let totalMs: Int64 = 5_000
  /// An answer: 20 places with long addresses and names take about 40 KB.
  static let bodyBytesMax = 1 << 20
  /// Redirects of one request: a server that puts a slash behind its path needs one.
  static let redirectsMax = 1
  /// Requests at once to a provider of one's own; a public one gets one at a time.
  static let inFlightMax = 4
  static let bounds = HTTPFetch.Bounds(
    totalMs: totalMs, bodyBytesMax: bodyBytesMax, redirectsMax: redirectsMax, connectionsMax: inFlightMax)
  /// Texts that wait for their request: half a worker's window, so that its other jobs go on.
  static let waitingMax = 32
  /// Requests a second to a public server, from one process.
  package static let publicPerSecond = 1.0

  /// Answers kept. With one place each they take about 1 KB.
  static let cachedMax = 8_192
  /// Part of them that a full cache removes at once: a sixteenth.
  static let evictedShare = 16
  /// OpenStreetMap's streets change slowly.
  static let foundMs: Int64 = 30 * 24 * 3_600_000
  /// A street that is not there may be drawn tomorrow.
  static let notFoundMs: Int64 = 24 * 3_600_000

  /// Failures in a row that open the breaker.
  static let failuresInARow = 5
  /// Answers that the breaker looks back at: more than half of them failed opens it too.
  static let breakerWindow = 20
  /// First pause of an open breaker; doubled by each probe that fails.
  static let openMs: Int64 = 30_000
  /// Longest pause of an open breaker.
  static let openMaxMs: Int64 = 600_000
  /// Pause after a refusal that repeating makes worse: 403, and what says that the key is wrong.
  static let blockedMs: Int64 = 3_600_000
  /// Longest pause that a server may ask for.
  static let retryAfterMaxMs: Int64 = 3_600_000
  /// First pause after a failure, with full jitter; doubled by each that follows.
  static let backoffBaseMs: Int64 = 1_000
  /// Longest pause after a failure without a time of the server's own.
  static let backoffCapMs: Int64 = 60_000

  /// A mail address or a link, in the User-Agent.
  package static let contactBytesMax = 200
  /// A key, as providers give them, several times over.
  package static let keyBytesMax = 256
  /// A text of an answer, as on the job link.
  static let textBytesMax = 512
}
