package import Domain

/// The contents of a store that does not change, for a copy to another store.
package struct CopySource {
  /// Numbers of a store that no row has.
  package struct Numbers: Sendable, Equatable {
    /// Epoch of the sequence numbers.
    package let epoch: Epoch
    /// Number of the latest start of ingest.
    package let generation: UInt32
    /// Sequence number of the latest deletion from the list. 0 without deletions.
    package let deletedSeq: Int64
    /// Lower bound of the queued posts' ids.
    package let queuedFrom: Int64

    /// Creates the numbers of a store.
    package init(epoch: Epoch, generation: UInt32, deletedSeq: Int64, queuedFrom: Int64) {
      (self.epoch, self.generation) = (epoch, generation)
      (self.deletedSeq, self.queuedFrom) = (deletedSeq, queuedFrom)
    }
  }

  /// Returns the next rows of a table, in ascending order of their keys. Blocks on the disk.
  ///
  /// The parameters are the table, the key after which to begin, and the maximum number of rows. A nil key begins with
  /// the first row. Fewer rows than the maximum end the table.
  package typealias Rows = (_ table: CopyTable, _ after: [CopyValue]?, _ limit: Int) throws -> [[CopyValue]]

  package let numbers: Numbers
  package let rows: Rows

  /// Creates the contents of a store.
  package init(numbers: Numbers, rows: @escaping Rows) { (self.numbers, self.rows) = (numbers, rows) }
}
