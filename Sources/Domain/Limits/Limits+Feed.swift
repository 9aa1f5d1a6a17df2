/// Limits of the feed: the change log from ingest, streams over HTTP, and queries, snapshots and joins over ZeroMQ.
extension Limits {
  /// Maximum size of a frame of the change log and of the feed, in bytes. 100 entries with the longest texts fit: 100 ×
  /// 3,100 bytes.
  package static let feedFrameBytesMax = 327_680
  /// Maximum number of changes that ingest keeps in memory for feeds to fetch. A feed further behind gets a snapshot.
  /// The changes take about 5 MB, or 30 MB with the longest texts.
  package static let changesKept = 10_000
  /// Maximum number of changes in one reply to a feed, and in one delta. 100 changes can already replace the whole
  /// list.
  package static let changesPerFetchMax = 100
  /// Time for which ingest keeps a feed's fetch open while nothing changes, in milliseconds.
  package static let fetchWaitMs: Int64 = 1_000
  /// Minimum number of changes that a feed keeps in memory for clients that request the changes after a sequence
  /// number. A client further behind gets the whole list. Ten times the length of the list suffices for a client that
  /// reconnects.
  package static let feedChangesKept = 1_024
  /// Maximum number of event streams over HTTP at one feed. Further requests get 503 with Retry-After. A sixth of the
  /// connections (`httpConnectionsMax`) stays free for requests for the list. If file descriptors are short, both
  /// numbers are lower.
  package static let streamsMax = 10_240
  /// Shortest interval between two events of a stream, in milliseconds. A feed combines the changes between two events,
  /// and all streams get the same bytes. If the writes to all streams take long, the interval is twice their duration,
  /// which leaves time for other requests.
  package static let streamIntervalMs: Int64 = 50
  /// Number of streams that an event loop serves before it turns to other connections.
  package static let streamsPerBatch = 128
  /// Number of filtered streams that an event loop serves before it turns to other connections. A stream with its own
  /// filter costs half a millisecond, fifty times as much as a stream without a filter.
  package static let filteredStreamsPerBatch = 8
  /// Pause of an event loop between two batches of streams, in microseconds. Without any pause, the event loop does not
  /// serve its connections.
  package static let streamPauseUs: Int64 = 100
  /// Longest interval between two events of a stream, in milliseconds. Without this limit, a suspension of the process
  /// would count as the duration of a write.
  package static let streamIntervalMaxMs: Int64 = 1_000
  /// Silence after which a stream gets a comment, in milliseconds. Proxies cut connections that are silent for a
  /// minute. The comment also detects a client that has left without a close, because that client does not acknowledge
  /// it.
  package static let streamHeartbeatMs: Int64 = 10_000
  /// Interval between two checks of all streams, in milliseconds. The check finds due heartbeats, and clients that can
  /// accept bytes again.
  package static let streamSweepMs: Int64 = 1_000
  /// Range of the pause before a stream's client reconnects, in milliseconds. A random choice from the range spreads
  /// the clients.
  package static let streamRetryMs: ClosedRange<Int64> = 1_000...5_000
  /// Bytes of a stream that the kernel buffers for a client that does not read. The kernel itself takes twice as much.
  /// The largest snapshot fits in three such buffers.
  package static let streamSendBytes: Int32 = 131_072
  /// Maximum number of response bodies that a version of the list caches for filters. Snapshots and deltas have the
  /// same maximum each. All clients with the same filter share a cached value. Values beyond the maximum are computed
  /// for each request. The same number of values is reserved for clients without a filter: 128 × 30 KB.
  package static let cachedBodiesMax = 64
  /// Maximum number of countries in one filter.
  package static let filterCountriesMax = 32
  /// Longest pause before a subscriber returns to a feed that has said goodbye, in milliseconds. The pause after a
  /// refused Hello is the same.
  package static let byePauseMaxMs: Int64 = 60_000
  /// Maximum number of other feeds' addresses in a goodbye.
  package static let failoverEndpointsMax = 8
  /// Maximum time by which a feed's snapshot file is behind the published list, in milliseconds.
  package static let snapshotFileMaxAgeMs: Int64 = 2_000
  /// Maximum size of a query to a feed, in bytes.
  package static let feedQueryBytesMax = 256
  /// Maximum number of replies that libzmq queues for one peer of the query port: a few whole lists. A peer that does
  /// not read loses further replies.
  package static let feedRepliesQueuedMax = 8
  /// Maximum number of queries that a feed serves per second. The reply to each may be a list of about 20 KB.
  package static let feedQueriesPerSecondMax = 1_000
  /// Maximum number of queries that a feed serves per second for one peer, so that no peer uses the whole limit. A peer
  /// with ten connections can still use it.
  package static let feedQueriesPerPeerMax = 100
  /// Shortest interval between two snapshots of the feed while the list changes, in milliseconds: four per second.
  package static let snapshotIntervalMinMs: Int64 = 250
  /// Interval between two snapshots of the feed without a change, in milliseconds.
  package static let snapshotIntervalMaxMs: Int64 = 5_000
  /// Interval between two heartbeats of the feed, in milliseconds.
  package static let feedHeartbeatMs: Int64 = 1_000
  /// Number of consecutive heartbeats with a lower sequence number than the subscriber's list at which the subscriber
  /// resyncs.
  package static let laggingHeartbeatsMax = 3
  /// Maximum number of replies of the change log that libzmq queues for one feed. A feed has one open fetch, so it
  /// reads a reply before it fetches again. A connection that does not read holds at most 2.6 MB (this number of
  /// `feedFrameBytesMax`).
  package static let changesFramesQueuedMax = 8
  /// Maximum number of frames that libzmq queues for one slow subscriber. The feed drops further frames for this
  /// subscriber, which then takes a new snapshot. One connection holds at most 42 MB (this number of
  /// `feedFrameBytesMax`), and 3 MB of usual frames. Subscribers share the bytes of a frame. `feedUnreadBytesMax`
  /// bounds the bytes of all subscribers.
  package static let feedFramesQueuedMax = 128
  /// Maximum size of the frames that all subscribers of one feed together leave unread, in bytes. Beyond this size, the
  /// feed closes all connections, and subscribers that read reconnect. The limit is 864 of the longest snapshots (100 ×
  /// 3,100 bytes), or 10,000 usual ones.
  package static let feedUnreadBytesMax = 268_435_456
  /// Maximum size of the replies that one feed's query port keeps for all peers that do not read, in bytes. Beyond this
  /// size, the feed closes all connections to that port. The limit is 432 of the longest replies, or 5,000 usual ones.
  package static let feedReplyBytesUnreadMax = 134_217_728
  /// Maximum number of frames that a subscriber leaves unread: ten seconds of a busy feed. At this number, TCP stops
  /// the subscriber's feed. libzmq 4.3.4 may then abort the subscriber's process when the feed dies, with `Assertion
  /// failed: !_io_error` (libzmq issue 4841).
  package static let subscriberFramesQueuedMax = 10_000
  /// Maximum number of feeds with an open fetch at one ingest.
  package static let feedsMax = 256
  /// Maximum number of joins that a feed serves per second. The reply to each is a snapshot of about 20 KB.
  package static let joinsPerSecondMax = 200
  /// Number of joins that a feed can serve before their subscribers give up after 3 s. While more joins wait, the feed
  /// serves the newest first.
  package static let joinsInTimeMax = 3 * joinsPerSecondMax
  /// Maximum number of joins that wait for their reply. A further join replaces the oldest.
  package static let joinsWaitingMax = 4_096
  /// Maximum size of a subscription with ZeroMQ's prefix, in bytes: the longest join with some margin. The number of
  /// topics of one peer has no limit, because libzmq stores them itself.
  package static let subscriptionBytesMax = 96
  /// Maximum size of the random part of a join topic, in bytes.
  package static let joinNonceBytesMax = 40
  /// Timeout of a feed's fetch, in milliseconds: twice the time for which ingest keeps it open. After it, the feed
  /// sends a new fetch.
  package static let fetchTimeoutMs: Int64 = 2 * fetchWaitMs
  /// Range of a subscriber's first random pause before it joins again, in milliseconds. Each desync doubles it.
  package static let joinPauseMs: Int64 = 500
  /// Longest range of a subscriber's random pause before it joins again, in milliseconds. At `joinsPerSecondMax`, 6,000
  /// subscribers of a restarted feed join within this range.
  package static let joinPauseCapMs: Int64 = 30_000
  /// Time after which a subscriber repeats a join that has brought no list, in milliseconds: three heartbeat intervals
  /// of the feed.
  package static let joinTimeoutMs: Int64 = 3 * feedHeartbeatMs
  /// Interval between two ticks of a feed while joins wait, in milliseconds: one join at `joinsPerSecondMax`.
  package static let joinTickMs: Int64 = 5
  /// Retry pause that a feed sends to a peer whose query it refuses, in milliseconds. The feed's limits are per second.
  package static let feedQueryBusyMs: Int64 = 1_000
  /// Retry pause that a feed without a list sends to a peer, in milliseconds. Ingest's first reply brings a list.
  package static let feedQueryEmptyMs: Int64 = 2_000
}
