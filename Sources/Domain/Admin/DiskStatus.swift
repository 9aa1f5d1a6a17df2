/// Disk space for the database, at one moment.
package struct DiskStatus: Sendable, Equatable {
  /// Bytes that ingest may still use on the file system of its data folder. 0 if `sizeBytes` is 0.
  package var freeBytes: Int64
  /// Size of the data folder's file system, in bytes. 0 if the kernel does not report it.
  package var sizeBytes: Int64
  /// Size of the database's file and its write-ahead log, in bytes.
  package var databaseBytes: Int64
  /// Time at which the disk became full or nearly full, in milliseconds since 1970, UTC. Nil while the disk has space.
  /// While the disk is full, writes that do not fit get status 507.
  package var fullMs: Int64?

  package init(freeBytes: Int64 = 0, sizeBytes: Int64 = 0, databaseBytes: Int64 = 0, fullMs: Int64? = nil) {
    self.freeBytes = freeBytes
    self.sizeBytes = sizeBytes
    self.databaseBytes = databaseBytes
    self.fullMs = fullMs
  }
}
