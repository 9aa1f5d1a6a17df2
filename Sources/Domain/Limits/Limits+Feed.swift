/// Limits of the feed: the change log from ingest, streams over HTTP, questions, snapshots and joins over ZeroMQ.
extension Limits {
  /// Size of a frame of the change log and of the feed: 100 entries with the longest texts fit: 100 × 3,100 bytes.
  package static let feedFrameBytesMax = 327_680
  /// Changes that ingest keeps in memory for feeds to fetch; a feed further behind takes a snapshot. About 5 MB,
  /// 30 MB with the longest texts.
  package static let changesKept = 10_000
  /// Changes in one answer to a feed, and in one delta: more would replace the list twice.
  package static let changesPerFetchMax = 100
  /// Time for which ingest keeps a feed's fetch open while nothing changes.
  package static let fetchWaitMs: Int64 = 1_000
  /// Changes that a feed keeps in memory for clients that ask for the changes since a number. A client further behind
  /// gets the whole list. Ten times the length of the list is enough for a connection that breaks and comes back.
  package static let feedChangesKept = 1_024
  /// Streams of events over HTTP at one feed; further requests get 503 with Retry-After. A sixth of
  /// `httpConnectionsMax`, or of the connections that there are descriptors for, is left for requests for the list.
  package static let streamsMax = 10_240
  /// Shortest time between two events of a stream. Changes between them travel together, and all streams get the same
  /// bytes. If writing to all streams takes long, the time is twice as long as that, so that other requests are
  /// answered meanwhile.
  package static let streamIntervalMs: Int64 = 50
  /// Streams that an event loop serves before it turns to other connections.
  package static let streamsPerBatch = 128
  /// Streams with a filter that an event loop serves before it turns to other connections. If each stream has a filter
  /// of its own, a stream costs half a millisecond, fifty times as much as one without.
  package static let filteredStreamsPerBatch = 8
  /// Pause of an event loop between two such turns, in microseconds. Without a pause, however short, the event loop
  /// does not look at its connections.
  package static let streamPauseUs: Int64 = 100
  /// Longest time between two events of a stream. A process that was stopped while it wrote has not spent that time
  /// writing.
  package static let streamIntervalMaxMs: Int64 = 1_000
  /// Silence after which a stream gets a comment. Proxies cut connections that are silent for a minute, and a client
  /// that has gone without closing is noticed when it does not take the comment.
  package static let streamHeartbeatMs: Int64 = 10_000
  /// Time between two checks of streams for a due heartbeat, and for clients that can take bytes again.
  package static let streamSweepMs: Int64 = 1_000
  /// Pause that a stream's client is asked for before it connects again; random, so that not all clients come at once.
  package static let streamRetryMs: ClosedRange<Int64> = 1_000...5_000
  /// Bytes of a stream that the kernel keeps for a client that does not read; the kernel itself takes twice as much.
  /// The largest snapshot goes out in three parts.
  package static let streamSendBytes: Int32 = 131_072
  /// Bodies, snapshots and deltas, of each kind, that a version of the list keeps for filters: made once for all
  /// clients with the same filter. Further ones are made for each request. As many again are kept for clients without a
  /// filter: 128 × 30 KB.
  package static let cachedBodiesMax = 64
  /// Countries of one filter.
  package static let filterCountriesMax = 32
  /// Longest pause before a subscriber joins a feed again that has said Bye: that of a refused Hello.
  package static let byePauseMaxMs: Int64 = 60_000
  /// Other feeds' addresses in a goodbye.
  package static let alternatesMax = 8
  /// Age of a feed's list on disk at most, compared with the list that it publishes.
  package static let snapshotFileMaxAgeMs: Int64 = 2_000
  /// Size of a question to a feed.
  package static let feedQueryBytesMax = 256
  /// Answers that libzmq keeps for one peer that asks a feed: a few of the whole list. A peer that does not read loses
  /// the others.
  package static let feedRepliesQueuedMax = 8
  /// Questions that a feed answers in a second: each may cost a list of about 20 KB.
  package static let feedQueriesPerSecondMax = 1_000
  /// Questions in a second that a feed answers for one peer, so that no peer takes all of them. A peer with ten
  /// connections can.
  package static let feedQueriesPerPeerMax = 100
  /// Shortest time between two snapshots of the feed while the list changes: four a second.
  package static let snapshotIntervalMinMs: Int64 = 250
  /// Time between two snapshots of the feed without a change.
  package static let snapshotIntervalMaxMs: Int64 = 5_000
  /// Time between two heartbeats of the feed.
  package static let feedHeartbeatMs: Int64 = 1_000
  /// Heartbeats in a row that are behind a subscriber's list, at which it asks for the feed's.
  package static let laggingHeartbeatsMax = 3
  /// Replies of the change log that libzmq keeps for one feed. A feed has one fetch open, so it reads a reply before it
  /// fetches again. A connection that does not read holds 2.6 MB at most (so many frames of `feedFrameBytesMax`).
  package static let changesFramesQueuedMax = 8
  /// Frames queued for one slow subscriber. Above it the feed drops its frames, and the subscriber takes a new
  /// snapshot. One connection holds 42 MB at most (so many frames of `feedFrameBytesMax`), 3 MB of usual ones.
  /// Subscribers share the bytes of a frame; `feedUnreadBytesMax` bounds those of all.
  package static let feedFramesQueuedMax = 128
  /// Bytes of frames that subscribers of one feed leave unread, all together. Above it the feed ends all connections,
  /// and subscribers that read come back. 864 of the longest snapshots (100 × 3,100 bytes), 10,000 of usual ones.
  package static let feedUnreadBytesMax = 268_435_456
  /// Bytes of answers that one feed's query port keeps for peers that do not read them, all together. Above it the feed
  /// ends all connections to that port: 432 of the longest answers, 5,000 of usual ones.
  package static let feedReplyBytesUnreadMax = 134_217_728
  /// Frames that a subscriber keeps until it reads them; then TCP holds up its feed. Ten seconds of a busy one: libzmq
  /// 4.3.4 may end the process of a subscriber that stands at this mark when its feed dies
  /// (`Assertion failed: !_io_error`, libzmq issue 4841).
  package static let subscriberFramesQueuedMax = 10_000
  /// Feeds at one ingest with a fetch open.
  package static let feedsMax = 256
  /// Joins answered in a second: each costs a snapshot of about 20 KB.
  package static let joinsPerSecondMax = 200
  /// Joins that are answered before their subscribers give up, which is after 3 s. While more wait, the newest are
  /// answered first.
  package static let joinsInTimeMax = 3 * joinsPerSecondMax
  /// Joins that wait for their answer; above it a new one replaces the oldest.
  package static let joinsWaitingMax = 4_096
  /// A subscription with what ZeroMQ puts before it: the longest join, and some room. How many topics one peer
  /// subscribes is not bounded: libzmq keeps them itself.
  package static let subscriptionBytesMax = 96
  /// The random part of a join topic.
  package static let joinNonceBytesMax = 40
  /// Timeout of a feed's fetch, in milliseconds: twice the time for which ingest keeps it open. After that the
  /// connection is taken as lost.
  package static let fetchTimeoutMs: Int64 = 2 * fetchWaitMs
  /// Range of a subscriber's first random pause before it joins again, in milliseconds; doubled by each loss.
  package static let joinPauseMs: Int64 = 500
  /// Longest of these ranges, in milliseconds: at `joinsPerSecondMax` 6,000 subscribers of a restarted feed join within
  /// it.
  package static let joinPauseCapMs: Int64 = 30_000
  /// Time after which a join that has brought no list is repeated, in milliseconds: three heartbeats of the feed.
  package static let joinTimeoutMs: Int64 = 3 * feedHeartbeatMs
  /// Time between two turns of a feed while joins wait, in milliseconds: at `joinsPerSecondMax` one join.
  package static let joinTickMs: Int64 = 5
  /// Pause that a feed asks of a peer whose question it refuses, in milliseconds: its limits are per second.
  package static let feedQueryBusyMs: Int64 = 1_000
  /// Pause that a feed without a list asks of a peer, in milliseconds: a list comes with ingest's first answer.
  package static let feedQueryEmptyMs: Int64 = 2_000
}
