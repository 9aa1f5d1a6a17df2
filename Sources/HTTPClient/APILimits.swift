/// Limits of the tools' requests to ingest's HTTP API.
enum APILimits {
  /// Timeout of a request, connecting included, in milliseconds: twice as long as the longest that ingest may take,
  /// `Prefer: wait=30`.
  static let totalMs: Int64 = 60_000
  /// Body of an answer, unpacked, in bytes: four times a page of 1,000 posts with the longest places and links.
  static let bodyBytesMax = 16_777_216
  /// Redirects that one request follows: ingest sends tools none, and a reverse proxy in front of it one or two.
  static let redirectsMax = 3
  /// Connections to the server at once: a tool sends a few requests at a time, and further ones wait for a connection.
  static let connectionsMax = 16
  /// Bounds with all of these limits.
  static let bounds = HTTPFetch.Bounds(
    totalMs: totalMs, bodyBytesMax: bodyBytesMax, redirectsMax: redirectsMax, connectionsMax: connectionsMax)
}
