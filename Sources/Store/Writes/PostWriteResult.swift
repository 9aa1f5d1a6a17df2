package import Domain

/// The result of a `PostWrite`. Each case has the name of its write.
package enum PostWriteResult: Sendable {
  /// The acceptance of each post, in the order of the write.
  case accept([Acceptance])
  case settle(SettlementResult)
  case delete(Deletion)
  case edit(Edit)
  indirect case changeProfile(Profile)
  case erasePosts(Erasure)
  case retryDead(RetriedPosts)
  case discard(QueueChange)
  /// Start of the pause, in milliseconds since 1970, UTC. Nil without a pause.
  case pause(sinceMs: Int64?)

  /// The result of a deletion.
  package enum Deletion: Sendable, Equatable {
    /// The post does not exist, is deleted already, or belongs to another account.
    case notFound
    /// The post is deleted, and was not on the map.
    case unlisted
    /// The post is deleted, and has left the map.
    case listed(FeedChange)
  }

  /// The result of an edit.
  package enum Edit: Sendable, Equatable {
    /// The post does not exist, is deleted, or belongs to another account.
    case notFound
    /// The post is queued, so its first geocoding is not finished. Nothing has changed.
    case queued
    /// The post has its new content, and is on top of the list.
    case published(FeedEntry)
  }

  /// The result of a change of an account's own data.
  package enum Profile: Sendable {
    /// The account is closed, or does not exist.
    case notFound
    /// Another account has the email address. Nothing has changed.
    case emailTaken
    /// The account after the change, and the changes of the list. After a change of name, the account's posts on the
    /// list are at the top, under new sequence numbers.
    case changed(Account, [FeedChange])
  }

  /// The result of an erasure.
  package struct Erasure: Sendable {
    /// Changes of the list, by ascending sequence number.
    package var changes: [FeedChange] = []
    /// Erased posts that had not been published.
    package var unlisted: [PostID] = []
    /// The last erased post, from which to continue. Nil when only the account's id is left.
    package var next: PostID?

    package init() {}
  }

  /// Dead posts that were queued again.
  package struct RetriedPosts: Sendable {
    package let change: QueueChange
    /// The jobs of `change.done`.
    package let jobs: [Job]

    package init(change: QueueChange, jobs: [Job]) { (self.change, self.jobs) = (change, jobs) }
  }

  /// Returns the changes to report to observers of the store, in order.
  ///
  /// - Parameter write: Write of this result.
  package func changes(of write: PostWrite) -> [StoreChange] {
    switch (self, write) {
    case (.settle(let result), .settle(let records, _)):
      (result.entries.isEmpty ? [] : [.list(result.entries.map { .upsert($0) })]) + result.settled(of: records)
    case (.delete(.listed(let change)), _): [.list([change])]
    case (.delete(.unlisted), .delete(let post, _, _)): [.unlisted([post])]
    case (.edit(.published(let entry)), _): [.list([.upsert(entry)])]
    case (.changeProfile(.changed(let account, let changes)), _):
      changes.isEmpty ? [.account(account.id)] : [.account(account.id), .list(changes)]
    case (.erasePosts(let erasure), _):
      (erasure.changes.isEmpty ? [] : [.list(erasure.changes)])
        + (erasure.unlisted.isEmpty ? [] : [.unlisted(erasure.unlisted)])
    case (.pause(let sinceMs), _): [.paused(sinceMs: sinceMs)]
    default: []
    }
  }
}

extension SettlementResult {
  /// Returns the posts that have left the queue by these settlements, as one change or none.
  fileprivate func settled(of records: [SettlementRecord]) -> [StoreChange] {
    let posts = records.filter { $0.settlement.isFinal && !notQueued.contains($0.post) }.map(\.post)
    return posts.isEmpty ? [] : [.settled(posts)]
  }
}
