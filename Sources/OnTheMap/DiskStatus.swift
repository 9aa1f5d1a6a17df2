/// The room for the database on the disk, at one moment.
package struct DiskStatus: Sendable, Equatable {
  /// Bytes that ingest may still fill on the file system of its data folder; 0 where `sizeBytes` is.
  package var freeBytes: Int64
  /// Size of that file system, in bytes; 0 where the kernel does not tell.
  package var sizeBytes: Int64
  /// Size of the database's file and its write-ahead log, in bytes.
  package var databaseBytes: Int64
  /// When the disk became full, ms since 1970, UTC; nil while it has room. Ingest refuses posts with 507 meanwhile.
  package var fullMs: Int64?

  package init(freeBytes: Int64 = 0, sizeBytes: Int64 = 0, databaseBytes: Int64 = 0, fullMs: Int64? = nil) {
    self.freeBytes = freeBytes
    self.sizeBytes = sizeBytes
    self.databaseBytes = databaseBytes
    self.fullMs = fullMs
  }
}
