/// A start of ingest: the history in its store, and the number of the start.
///
/// Ingest sends both to its clients. After a changeover, an ingest of an earlier start may still run. Its generation is
/// lower, and its clients would work for a list without subscribers.
package struct IngestStart: Sendable, Hashable {
  package let epoch: Epoch
  /// Number of the start, 1 … `Limits.generationMax`. It rises with each start on the same data.
  package let generation: UInt32

  package init(epoch: Epoch, generation: UInt32) {
    self.epoch = epoch
    self.generation = generation
  }
}

/// The latest start of ingest that a client has seen, at any of its addresses.
package struct LatestStart: Sendable {
  /// The latest start. Nil before the first one.
  package private(set) var start: IngestStart?

  /// Creates a record without any start.
  package init() {}

  /// Records the start of the ingest that sent a message. Returns false if the client must refuse that ingest.
  ///
  /// Only a lower generation of the same epoch is refused. A restored or a new database has another epoch, so nothing
  /// is refused for ever.
  ///
  /// - Parameter start: Nil if the message has none, because an earlier version of ingest sent it. Such an ingest is
  ///   accepted.
  package mutating func admits(_ start: IngestStart?) -> Bool {
    guard let start else { return true }
    if let latest = self.start, latest.epoch == start.epoch, start.generation < latest.generation { return false }
    self.start = start
    return true
  }
}
