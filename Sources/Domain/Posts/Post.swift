/// Accepted post, as the store has it.
package struct Post: Sendable, Equatable {
  /// State of a post. A queued post becomes published, rejected or dead. Its owner or an operator may change that state
  /// later.
  package enum State: UInt8, Sendable, CaseIterable {
    /// Stored durably, with a job that a worker has to finish.
    case queued = 0
    /// Published on the map.
    case published = 1
    /// Rejected, for the reason stored with it.
    case rejected = 2
    /// Dead after a permanent failure, too many attempts or too many lost workers. An operator may retry the post.
    case dead = 3
    /// Deleted by its owner. A row without content keeps its id and idempotency key.
    case deleted = 4

    /// Name of the state in the API.
    package var name: String {
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
  /// The owner's text for the link, if it differs from `link`. The text is another spelling of the link, or it is not a
  /// link and `link` is empty.
  package var linkText: String?
  package var state: State
  /// Coordinates from the client until the settlement, then the coordinates on the map.
  package var coordinate: Coordinate?
  /// Outcome of a published post.
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
