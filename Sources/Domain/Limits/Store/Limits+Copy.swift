/// Limits of a copy of ingest's data to another store.
extension Limits {
  /// Number of rows that a copy reads and writes at a time. PostgreSQL takes about 40 ms for 5,000 posts.
  package static let copyBatchRows = 5_000
  /// Timeout for one batch of a copy, in milliseconds. A checkpoint of the server may delay a batch for seconds.
  package static let copyBatchMs: Int64 = 60_000
  /// Maximum size of the file that marks a copied data folder, in bytes: the longest address, and a time.
  package static let movedMarkBytesMax = 2 * postgresURLBytesMax
}
