/// Stored post, from its acceptance on.
package struct Post: Sendable, Equatable {
  /// State of a post: queued, then one of the others until its owner edits or deletes it.
  package enum State: UInt8, Sendable, CaseIterable {
    /// Stored durably, with a job that a worker has to finish.
    case queued = 0
    /// Published on the map.
    case published = 1
    /// Rejected, for the reason stored with it.
    case rejected = 2
    /// Undecided after too many attempts. The post stays for the operator.
    case dead = 3
    /// Deleted by its owner. An invisible row without content keeps its id and its key.
    case deleted = 4

    /// Name of the state in the API.
    package var word: String {
      switch self {
      case .queued: "queued"
      case .published: "published"
      case .rejected: "rejected"
      case .dead: "dead"
      case .deleted: "deleted"
      }
    }
  }

  package var id: PostID
  package var account: AccountID
  /// Place as typed.
  package var place: String
  package var link: String
  /// The owner's text, if it differs from the link: another spelling, or no link at all. In the second case `link` is
  /// empty.
  package var linkText: String?
  package var state: State
  /// The client's coordinates until the post is settled, then the post's.
  package var coordinate: Coordinate?
  /// Result of a published post.
  package var outcome: Verdict.Published?
  /// Reason of a rejected or dead post.
  package var reason: Verdict.Reason?
  /// Sequence number of a published post.
  package var seq: UInt64?
  /// Time of acceptance, in milliseconds since 1970, UTC.
  package var createdMs: Int64
  /// Time of the last change, in milliseconds since 1970, UTC.
  package var updatedMs: Int64

  package init(
    id: PostID, account: AccountID, place: String, link: String, state: State, coordinate: Coordinate?,
    outcome: Verdict.Published?, reason: Verdict.Reason?, seq: UInt64?, createdMs: Int64, updatedMs: Int64
  ) {
    self.id = id
    self.account = account
    self.place = place
    self.link = link
    self.state = state
    self.coordinate = coordinate
    self.outcome = outcome
    self.reason = reason
    self.seq = seq
    self.createdMs = createdMs
    self.updatedMs = updatedMs
  }
}
