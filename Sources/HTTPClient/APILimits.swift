/// Limits of the tools' requests to ingest's HTTP API.
enum APILimits {
  /// Timeout of a request with its connection, in milliseconds: twice the longest wait at ingest, `Prefer: wait=30`.
  static let totalMs: Int64 = 60_000
  /// Maximum size of a response body after decompression, in bytes: four times a page of 1,000 posts with the longest
  /// places and links.
  static let bodyBytesMax = 16_777_216
  /// Maximum number of redirects of one request. Ingest sends tools none, and a reverse proxy sends one or two.
  static let redirectsMax = 3
  /// Maximum number of parallel connections to the server. A tool sends a few parallel requests, and further ones wait
  /// for a connection.
  static let connectionsMax = 16
  /// Bounds with all of these limits.
  static let bounds = HTTPFetch.Bounds(
    totalMs: totalMs, bodyBytesMax: bodyBytesMax, redirectsMax: redirectsMax, connectionsMax: connectionsMax)
}
