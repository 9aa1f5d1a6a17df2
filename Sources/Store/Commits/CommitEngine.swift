/// A database that commits groups of writes, for `GroupCommitter`.
package protocol CommitEngine: Sendable {
  associatedtype Write: Sendable
  associatedtype Output: Sendable

  /// Commits writes in one transaction, in their order: all, or none. Durable on return. Runs on the committer's
  /// thread.
  ///
  /// An engine that does not know the outcome of a commit repeats the identical writes itself until it knows.
  ///
  /// - Returns: an output for each write.
  func commit(_ writes: [Write]) throws -> [Output]

  /// Returns the meaning of an error of `commit`.
  func failure(of error: any Error) -> CommitFailure
}

/// The meaning of an error of a commit.
package enum CommitFailure: Sendable {
  /// A write of the group failed, and nothing was stored. The others may be committed without it.
  case refused(StoreError)
  /// The outcome is unknown, and nothing more can be stored until the next start.
  case stopped(StoreError, reason: String)
}
