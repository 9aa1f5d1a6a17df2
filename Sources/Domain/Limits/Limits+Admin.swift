/// Limits of the operator's interface: the admin socket, the queue's history and the events of posts.
extension Limits {
  /// Posts in one request or answer of the admin socket.
  package static let adminPostsMax = 1_000
  /// Accounts in one answer of the admin socket: each with 254 bytes of address and twice 100 of name at most.
  package static let adminUsersMax = 1_000
  /// Size of a request of the admin socket: its ids fit four times.
  package static let adminRequestBytesMax = 65_536
  /// Size of an answer of the admin socket: the most posts with the longest places and reasons fit, and so do the most
  /// workers: 1,000 × (256 + 64 + 256 + 64 + 100) bytes.
  package static let adminReplyBytesMax = 1_048_576
  /// Requests of the admin socket that wait for the store at once.
  package static let adminRequestsMax = 64
  /// Events of failed posts that the store keeps for the operator; above it the oldest are deleted. About 20 MB.
  package static let postEventsMax = 100_000
  /// Events that are shown with one post: eight attempts, three lost workers and a burial fit eight times.
  package static let postEventsShownMax = 100
  /// Reasons of dead posts that are counted each by itself.
  package static let deadReasonsMax = 20
  /// Seconds over which rates are counted.
  package static let rateWindowSeconds = 10
  /// Timeout of a look at the queue, which waits for the reactor. A scrape of metrics then goes without it.
  package static let queueInspectionTimeoutMs: Int64 = 1_000
  /// Looks at one ingest's queue that wait for its reactor at once.
  package static let queueInspectionsMax = 64
  /// Time between two samples of the queue's history.
  package static let queueHistoryStepMs: Int64 = 5_000
  /// Samples of the queue's history that are kept: an hour of them.
  package static let queueHistorySamples = 720
  /// Pause of a tool whose question found no connection, in milliseconds: people wait for the answer.
  package static let adminRetryMs: Int64 = 20
}
