/// Limits of the operator's interface: the admin socket, the queue's history and the events of posts.
extension Limits {
  /// Maximum number of posts in one request or reply of the admin socket.
  package static let adminPostsMax = 1_000
  /// Maximum number of accounts in one reply of the admin socket. Each account has an address of at most 254 bytes, and
  /// two names of at most 100 bytes.
  package static let adminUsersMax = 1_000
  /// Maximum size of a request of the admin socket, in bytes. The largest set of ids fits four times.
  package static let adminRequestBytesMax = 65_536
  /// Maximum size of a reply of the admin socket, in bytes. The largest page of posts with the longest places and
  /// reasons fits: 1,000 × (256 + 64 + 256 + 64 + 100) bytes. A status with the largest number of workers fits too.
  package static let adminReplyBytesMax = 1_048_576
  /// Maximum number of requests of the admin socket that wait for the store.
  package static let adminRequestsMax = 64
  /// Maximum number of stored events of failed posts. A further event replaces the oldest. All events together take
  /// about 20 MB.
  package static let postEventsMax = 100_000
  /// Maximum number of events shown with one post. The events of eight attempts, three lost workers and a death fit
  /// eight times.
  package static let postEventsShownMax = 100
  /// Maximum number of reasons for which the status counts dead posts.
  package static let deadReasonsMax = 20
  /// Window over which rates are measured, in seconds.
  package static let rateWindowSeconds = 10
  /// Timeout of an inspection of the queue, which waits for the reactor, in milliseconds. After it, a scrape of metrics
  /// omits the queue.
  package static let queueInspectionTimeoutMs: Int64 = 1_000
  /// Maximum number of inspections of one ingest's queue that wait for its reactor.
  package static let queueInspectionsMax = 64
  /// Interval between two samples of the queue's history, in milliseconds.
  package static let queueHistoryStepMs: Int64 = 5_000
  /// Number of stored samples of the queue's history: one hour.
  package static let queueHistorySamples = 720
  /// Pause of a tool whose request found no connection, in milliseconds. People wait for the reply, so the pause is
  /// short.
  package static let adminRetryMs: Int64 = 20
}
