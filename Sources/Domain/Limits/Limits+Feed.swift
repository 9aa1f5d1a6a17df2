/// Limits of the feed: the change log from ingest, streams over HTTP, questions, snapshots and joins over ZeroMQ.
extension Limits {
  /// One frame of the change log and of the feed: 100 entries with the longest texts fit: 100 × 3,100 bytes.
  package static let feedFrameBytesMax = 327_680
  /// Changes that ingest keeps in memory for feeds to fetch; a feed further behind takes a snapshot. About 5 MB,
  /// 30 MB with the longest texts.
  package static let changesKept = 10_000
  /// Changes in one answer to a feed, and in one delta: more would replace the list twice.
  package static let changesPerFetchMax = 100
  /// How long ingest keeps a feed's fetch open when there is nothing new.
  package static let fetchWaitMs: Int64 = 1_000
  /// Changes that a feed keeps in memory for those who ask what has changed since; who is further behind takes the
  /// whole list. Ten times the list's length are enough for a connection that was made anew.
  package static let feedChangesKept = 1_024
  /// Streams of events over HTTP at one feed; further ones are told to come again. A sixth of `httpConnectionsMax`, or
  /// of the connections that there are descriptors for, stays for who asks for the list.
  package static let streamsMax = 10_240
  /// Between two events of a stream at least: changes between them travel together, and everybody is told the same
  /// bytes. Where it takes long to tell all, twice as long as that, so that others are answered meanwhile.
  package static let streamIntervalMs: Int64 = 50
  /// Streams that an event loop looks at before others have a turn.
  package static let streamsPerTurn = 128
  /// The same of those with a filter: where that is each one's own, one costs half a millisecond, fifty times as much.
  package static let filteredStreamsPerTurn = 8
  /// The pause after that. Only with one, however short, the event loop looks at its connections in between.
  package static let streamRestUs: Int64 = 100
  /// The longest of these pauses: who was stopped while it wrote has not taken so long.
  package static let streamIntervalMaxMs: Int64 = 1_000
  /// After so much silence a stream gets a comment: proxies cut what is silent for a minute, and a client that is
  /// gone without a word is found when it does not take it.
  package static let streamHeartbeatMs: Int64 = 10_000
  /// How often streams are looked at for that, and for a client that can take again what it could not.
  package static let streamSweepMs: Int64 = 1_000
  /// How long a client of a stream is told to wait before it comes again, at random, so that not all come at once.
  package static let streamRetryMs: ClosedRange<Int64> = 1_000...5_000
  /// What the kernel keeps of a stream that its client does not read; it takes twice as much for itself. The largest
  /// snapshot goes out in three parts.
  package static let streamSendBytes: Int32 = 131_072
  /// Bodies, snapshots and deltas that one version of the list keeps of each for those with a filter, made once for all
  /// who ask for the same; what else is asked for is made each time. As many again for those without: 128 × 30 KB.
  package static let feedBytesKept = 64
  /// Countries of one filter.
  package static let filterCountriesMax = 32
  /// The longest pause before a subscriber comes back to a feed that has said Bye: that of a refused Hello.
  package static let byePauseMaxMs: Int64 = 60_000
  /// Other feeds' addresses in a goodbye.
  package static let alternatesMax = 8
  /// How far a feed's list on disk may be behind the one that it tells.
  package static let listKeptMs: Int64 = 2_000
  /// A question to a feed.
  package static let feedQueryBytesMax = 256
  /// Answers that libzmq keeps for one who asks a feed: a few of the whole list; who does not read loses the others.
  package static let feedAnswersQueuedMax = 8
  /// Questions that a feed answers in a second: each may cost a list of about 20 KB.
  package static let feedQueriesPerSecondMax = 1_000
  /// Of them for one who asks, so that nobody takes them all. Who has ten connections may.
  package static let feedQueriesPerAskerMax = 100
  /// Snapshots of the feed on change: four a second at most.
  package static let snapshotIntervalMinMs: Int64 = 250
  /// Snapshots of the feed without a change.
  package static let snapshotIntervalMaxMs: Int64 = 5_000
  /// Heartbeats of the feed.
  package static let feedHeartbeatMs: Int64 = 1_000
  /// Heartbeats in a row that are behind a subscriber's list, at which it asks for the feed's.
  package static let lowerHeartbeatsMax = 3
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
  package static let feedAnswerBytesUnreadMax = 134_217_728
  /// Frames that a subscriber keeps until it reads them; then TCP holds up its feed. Ten seconds of a busy one: libzmq
  /// 4.3.4 may end the process of a subscriber that stands at this mark when its feed dies
  /// (`Assertion failed: !_io_error`, libzmq issue 4841).
  package static let subscriberFramesQueuedMax = 10_000
  /// Feeds at one ingest with a fetch open.
  package static let feedsMax = 256
  /// Joins answered in a second: each costs a snapshot of about 20 KB.
  package static let joinsPerSecondMax = 200
  /// Joins that are answered in time, before those who asked give up, which is after 3 s. When more wait, the newest go
  /// first.
  package static let joinsInTimeMax = 3 * joinsPerSecondMax
  /// Joins that wait for their turn; then the oldest is dropped for a new one.
  package static let joinsWaitingMax = 4_096
  /// A subscription with what ZeroMQ puts before it: the longest join, and some room. How many topics one peer
  /// subscribes is not bounded: libzmq keeps them itself.
  package static let subscriptionBytesMax = 96
  /// The random part of a join topic.
  package static let joinNonceBytesMax = 40
  /// Timeout of a feed's fetch, in milliseconds: as long as ingest keeps it open, and as long again for its way. Then
  /// the connection was lost with it.
  package static let fetchAnswerMs: Int64 = 2 * fetchWaitMs
  /// Range of a subscriber's first random pause before it joins again, in milliseconds; doubled by each loss.
  package static let joinPauseMs: Int64 = 500
  /// Longest of these ranges, in milliseconds: at `joinsPerSecondMax` 6,000 subscribers of a restarted feed join within
  /// it.
  package static let joinPauseCapMs: Int64 = 30_000
  /// Time after which a join that has brought no list is repeated, in milliseconds: three heartbeats of the feed.
  package static let joinAnswerMs: Int64 = 3 * feedHeartbeatMs
  /// Time between two turns of a feed while joins wait, in milliseconds: at `joinsPerSecondMax` one join.
  package static let joinTurnMs: Int64 = 5
  /// Pause that a feed asks of a peer whose question it refuses, in milliseconds: its limits are per second.
  package static let feedQueryBusyMs: Int64 = 1_000
  /// Pause that a feed without a list asks of a peer, in milliseconds: a list comes with ingest's first answer.
  package static let feedQueryEmptyMs: Int64 = 2_000
}
