/// Limits of the feed: the change log from ingest, streams over HTTP, and queries, snapshots and joins over ZeroMQ.
extension Limits {
  /// Maximum size of a frame of the change log and of the feed, in bytes. 100 entries with the longest texts fit: 100 ×
  /// 3,100 bytes.
  package static let feedFrameBytesMax = 327_680
  /// Maximum number of changes that ingest keeps in memory for feeds to fetch. A feed further behind gets a snapshot.
  /// They take about 5 MB, or 30 MB with the longest texts.
  package static let changesKept = 10_000
  /// Maximum number of changes in one reply to a feed, and in one delta. More would replace the list twice.
  package static let changesPerFetchMax = 100
  /// Time for which ingest keeps a feed's fetch open while nothing changes, in milliseconds.
  package static let fetchWaitMs: Int64 = 1_000
  /// Number of changes that a feed keeps in memory for clients that ask for the changes since a sequence number. A
  /// client further behind gets the whole list. Ten times the length of the list suffices for a client that reconnects.
  package static let feedChangesKept = 1_024
  /// Maximum number of event streams over HTTP at one feed. Further requests get 503 with Retry-After. A sixth of the
  /// connections stays free for requests for the list. The connections are `httpConnectionsMax`, or fewer if
  /// descriptors are short.
  package static let streamsMax = 10_240
  /// Shortest interval between two events of a stream, in milliseconds. Changes between them are combined, and all
  /// streams get the same bytes. If writing to all streams takes long, the interval is twice that duration, which
  /// leaves time for other requests.
  package static let streamIntervalMs: Int64 = 50
  /// Number of streams that an event loop serves before it turns to other connections.
  package static let streamsPerBatch = 128
  /// Number of filtered streams that an event loop serves before it turns to other connections. With a filter of its
  /// own, a stream costs half a millisecond, fifty times as much as without one.
  package static let filteredStreamsPerBatch = 8
  /// Pause of an event loop between two such batches, in microseconds. Without any pause, the event loop does not serve
  /// its connections.
  package static let streamPauseUs: Int64 = 100
  /// Longest interval between two events of a stream, in milliseconds. A process that was suspended while it wrote has
  /// not spent that time writing.
  package static let streamIntervalMaxMs: Int64 = 1_000
  /// Silence after which a stream gets a comment, in milliseconds. Proxies cut connections that are silent for a
  /// minute. The comment also detects a client that has left without closing, because it does not accept the comment.
  package static let streamHeartbeatMs: Int64 = 10_000
  /// Interval between two checks of streams, in milliseconds, for due heartbeats and for clients that can accept bytes
  /// again.
  package static let streamSweepMs: Int64 = 1_000
  /// Range of the pause before a stream's client reconnects, in milliseconds. Its random choice spreads the clients.
  package static let streamRetryMs: ClosedRange<Int64> = 1_000...5_000
  /// Bytes of a stream that the kernel buffers for a client that does not read. The kernel itself takes twice as much.
  /// The largest snapshot goes out in three parts.
  package static let streamSendBytes: Int32 = 131_072
  /// Maximum number of bodies, snapshots and deltas, of each kind, that a version of the list caches for filters. All
  /// clients with the same filter share one. Further bodies are made for each request. The cache for clients without a
  /// filter has the same size: 128 × 30 KB.
  package static let cachedBodiesMax = 64
  /// Maximum number of countries in one filter.
  package static let filterCountriesMax = 32
  /// Longest pause before a subscriber joins a feed again that has said Bye, in milliseconds. The pause after a refused
  /// Hello is the same.
  package static let byePauseMaxMs: Int64 = 60_000
  /// Maximum number of other feeds' addresses in a goodbye.
  package static let failoverEndpointsMax = 8
  /// Maximum age of a feed's snapshot file, compared with the list that it publishes, in milliseconds.
  package static let snapshotFileMaxAgeMs: Int64 = 2_000
  /// Maximum size of a query to a feed, in bytes.
  package static let feedQueryBytesMax = 256
  /// Maximum number of replies that libzmq queues for one peer of the query port: a few whole lists. A peer that does
  /// not read loses further replies.
  package static let feedRepliesQueuedMax = 8
  /// Maximum number of queries that a feed answers per second. Each may cost a list of about 20 KB.
  package static let feedQueriesPerSecondMax = 1_000
  /// Maximum number of queries per second that a feed answers for one peer, so that no peer uses the whole limit. A
  /// peer with ten connections can.
  package static let feedQueriesPerPeerMax = 100
  /// Shortest interval between two snapshots of the feed while the list changes, in milliseconds: four per second.
  package static let snapshotIntervalMinMs: Int64 = 250
  /// Interval between two snapshots of the feed without a change, in milliseconds.
  package static let snapshotIntervalMaxMs: Int64 = 5_000
  /// Interval between two heartbeats of the feed, in milliseconds.
  package static let feedHeartbeatMs: Int64 = 1_000
  /// Number of consecutive heartbeats with a lower sequence number than the subscriber's list, after which the
  /// subscriber resyncs.
  package static let laggingHeartbeatsMax = 3
  /// Maximum number of replies of the change log that libzmq queues for one feed. A feed has one fetch open, so it
  /// reads a reply before it fetches again. A connection that does not read holds at most 2.6 MB (this number of
  /// `feedFrameBytesMax`).
  package static let changesFramesQueuedMax = 8
  /// Maximum number of frames queued for one slow subscriber. Above it the feed drops its frames, and the subscriber
  /// takes a new snapshot. One connection holds at most 42 MB (this number of `feedFrameBytesMax`), and 3 MB of usual
  /// frames. Subscribers share the bytes of a frame; `feedUnreadBytesMax` bounds the bytes of all.
  package static let feedFramesQueuedMax = 128
  /// Maximum bytes of frames that all subscribers of one feed together leave unread. Above it the feed closes all
  /// connections, and subscribers that read come back. The limit is 864 of the longest snapshots (100 × 3,100 bytes),
  /// or 10,000 usual ones.
  package static let feedUnreadBytesMax = 268_435_456
  /// Maximum bytes of replies that one feed's query port keeps for all peers that do not read. Above it the feed closes
  /// all connections to that port. The limit is 432 of the longest replies, or 5,000 usual ones.
  package static let feedReplyBytesUnreadMax = 134_217_728
  /// Maximum number of unread frames that a subscriber keeps, above which TCP stops its feed: ten seconds of a busy
  /// feed. At this mark, libzmq 4.3.4 may abort the subscriber's process when its feed dies. The message is
  /// `Assertion failed: !_io_error` (libzmq issue 4841).
  package static let subscriberFramesQueuedMax = 10_000
  /// Maximum number of feeds with an open fetch at one ingest.
  package static let feedsMax = 256
  /// Maximum number of joins that a feed answers per second. Each costs a snapshot of about 20 KB.
  package static let joinsPerSecondMax = 200
  /// Number of joins that a feed can answer before their subscribers give up after 3 s. While more wait, the newest are
  /// answered first.
  package static let joinsInTimeMax = 3 * joinsPerSecondMax
  /// Maximum number of joins that wait for their reply. Above it, a new one replaces the oldest.
  package static let joinsWaitingMax = 4_096
  /// Maximum size of a subscription with ZeroMQ's prefix, in bytes: the longest join with some margin. The number of
  /// topics of one peer has no limit, because libzmq stores them itself.
  package static let subscriptionBytesMax = 96
  /// Maximum size of the random part of a join topic, in bytes.
  package static let joinNonceBytesMax = 40
  /// Timeout of a feed's fetch, in milliseconds: twice the time for which ingest keeps it open. After it, the
  /// connection counts as lost.
  package static let fetchTimeoutMs: Int64 = 2 * fetchWaitMs
  /// Range of a subscriber's first random pause before it joins again, in milliseconds. Each desync doubles it.
  package static let joinPauseMs: Int64 = 500
  /// Longest of these ranges, in milliseconds. At `joinsPerSecondMax`, 6,000 subscribers of a restarted feed join
  /// within it.
  package static let joinPauseCapMs: Int64 = 30_000
  /// Time after which a subscriber repeats a join that has brought no list, in milliseconds: three heartbeats of the
  /// feed.
  package static let joinTimeoutMs: Int64 = 3 * feedHeartbeatMs
  /// Interval between two ticks of a feed while joins wait, in milliseconds: one join at `joinsPerSecondMax`.
  package static let joinTickMs: Int64 = 5
  /// Retry pause that a feed sends to a peer whose query it refuses, in milliseconds. Its limits are per second.
  package static let feedQueryBusyMs: Int64 = 1_000
  /// Retry pause that a feed without a list sends to a peer, in milliseconds. Ingest's first reply brings a list.
  package static let feedQueryEmptyMs: Int64 = 2_000
}
