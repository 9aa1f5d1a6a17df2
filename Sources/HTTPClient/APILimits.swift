/// Limits of the tools' requests to ingest's HTTP API.
enum APILimits {
  /// Timeout of a request, including the connection, in milliseconds. The value is twice the longest wait at ingest
  /// (`Prefer: wait=30`).
  static let totalMs: Int64 = 60_000
  /// Maximum size of a response body after decompression, in bytes. The value is four times the size of a page of 1,000
  /// posts with the longest places and links.
  static let bodyBytesMax = 16_777_216
  /// Maximum number of redirects of one request. A reverse proxy sends one or two, and ingest sends tools none.
  static let redirectsMax = 3
  /// Maximum number of parallel connections to the server. A tool sends few parallel requests. Further requests wait
  /// for a connection.
  static let connectionsMax = 16
  /// Bounds of the tools' `HTTPFetch`.
  static let bounds = HTTPFetch.Bounds(
    totalMs: totalMs, bodyBytesMax: bodyBytesMax, redirectsMax: redirectsMax, connectionsMax: connectionsMax)
}
