/// A database that commits groups of writes, for `GroupCommitter`.
package protocol CommitEngine: Sendable {
  associatedtype Write: Sendable
  associatedtype Output: Sendable

  /// Commits all writes or none, in one transaction and in their order. The writes are durable on return. The committer
  /// calls this on its own queue.
  ///
  /// An engine that does not know the outcome of a commit repeats the identical writes itself until it knows.
  ///
  /// - Returns: an output for each write, in their order.
  func commit(_ writes: [Write]) throws -> [Output]

  /// Returns the meaning of an error of `commit`.
  func failure(of error: any Error) -> CommitFailure
}

/// The meaning of an error of a commit.
package enum CommitFailure: Sendable {
  /// A write of the group failed, and nothing was stored. The committer then commits each write alone.
  case refused(StoreError)
  /// The outcome of the group is unknown, and nothing more can be stored until the next start.
  case stopped(StoreError, reason: String)
}
