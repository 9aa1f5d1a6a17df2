/// Limits of the operator's interface: the admin socket, the queue's history and the events of posts.
extension Limits {
  /// Posts in one request or answer of the admin socket.
  package static let adminPostsMax = 1_000
  /// Accounts in one answer of the admin socket: each with 254 bytes of address and twice 100 of name at most.
  package static let adminUsersMax = 1_000
  /// One request of the admin socket: as many ids as may be in it fit four times.
  package static let adminRequestBytesMax = 65_536
  /// One answer of the admin socket: as many posts with the longest places and reasons, or as many workers as may be
  /// there, fit: 1,000 × (256 + 64 + 256 + 64 + 100) bytes.
  package static let adminReplyBytesMax = 1_048_576
  /// Requests of the admin socket that wait for the store at once.
  package static let adminRequestsMax = 64
  /// What happened to posts that failed, kept for the operator: the oldest go first. About 20 MB.
  package static let postEventsMax = 100_000
  /// What is shown of it with one post: eight tries, three lost workers and a burial fit eight times.
  package static let postEventsShownMax = 100
  /// Reasons of dead posts that are counted each by itself.
  package static let deadReasonsMax = 20
  /// Over so many seconds rates are counted.
  package static let rateWindowSeconds = 10
  /// How long a look at the queue waits for the reactor: a scrape of metrics goes without it then.
  package static let queueLookMs: Int64 = 1_000
  /// Looks at one ingest's queue that wait for its reactor at once.
  package static let queueLooksMax = 64
  /// Between two samples of the queue's history.
  package static let queueHistoryStepMs: Int64 = 5_000
  /// Samples of the queue's history that are kept: an hour of them.
  package static let queueHistorySamples = 720
  /// Pause of a tool whose question found no connection, in milliseconds: people wait for the answer.
  package static let adminRetryMs: Int64 = 20
}
