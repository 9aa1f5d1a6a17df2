/// A submission in the store, from its acceptance on.
package struct Post: Sendable, Equatable {
  /// The life of a post: queued, then one of the others until its owner edits or deletes it.
  package enum State: UInt8, Sendable, CaseIterable {
    /// On disk, and a job: a worker is to find its place.
    case queued = 0
    /// On the map.
    case published = 1
    /// Not on the map, for the reason given with it.
    case rejected = 2
    /// No worker could say: tried too often. Kept for the operator.
    case dead = 3
    /// Its owner has deleted it. A row without content keeps its id and its key; nobody is shown it.
    case deleted = 4

    /// The word in the API.
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
  /// As typed.
  package var place: String
  package var link: String
  /// The owner's text, if it differs from the link: no link at all (the link is empty then), or another spelling.
  package var linkText: String?
  package var state: State
  /// The client's until the post is settled, then the post's.
  package var coordinate: Coordinate?
  /// Of a published post.
  package var outcome: Verdict.Published?
  /// Of a rejected or dead post.
  package var reason: Verdict.Reason?
  /// Of a published post: its place in the order of changes.
  package var seq: UInt64?
  /// Milliseconds since 1970, UTC.
  package var createdMs: Int64
  /// Milliseconds since 1970, UTC.
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
