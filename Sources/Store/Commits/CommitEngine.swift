/// A database that commits groups of writes, for `GroupCommitter`.
package protocol CommitEngine: Sendable {
  associatedtype Write: Sendable
  associatedtype Output: Sendable

  /// Commits writes in one transaction, in their order: all, or none. Durable on return. On the committer's thread.
  ///
  /// An engine that cannot know whether a commit succeeded repeats the identical writes itself until it knows.
  ///
  /// - Returns: an output for each write.
  func commit(_ writes: [Write]) throws -> [Output]

  /// Decides what an error of `commit` means.
  func failure(of error: any Error) -> CommitFailure
}

/// The meaning of an error of a commit.
package enum CommitFailure: Sendable {
  /// Nothing was stored, because of one of the writes. The others may be committed without it.
  case refused(StoreError)
  /// The outcome is not known, and nothing more can be stored until the next start.
  case stopped(StoreError, reason: String)
}
