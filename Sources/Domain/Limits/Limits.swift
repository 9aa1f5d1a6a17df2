/// Every bound of the system, in one place: the unit is in the name, the reason beside it.
///
/// Promise 5 of the design: nothing is unbounded.
package enum Limits {
  /// The list that everybody sees.
  package static let feedEntriesMax = 100

  /// A place as typed. A street address in any script fits several times; the gazetteer reads no more.
  package static let placeBytesMax = 256
  /// A link: what browsers and intermediaries are sure to carry.
  package static let linkBytesMax = 2_048
  /// A first or last name.
  package static let nameBytesMax = 100
  /// An e-mail address: 64 before the @, 255 behind it, RFC 5321, rounded down to what fits a forward-path.
  package static let emailBytesMax = 254
  /// NIST SP 800-63B asks for 8 at least.
  package static let passwordBytesMin = 8
  /// Bounds what one login hashes; well above the 64 characters that must be allowed.
  package static let passwordBytesMax = 1_024
  /// An Idempotency-Key: a UUID fits seven times.
  package static let idempotencyKeyBytesMax = 255
  /// A request that is repeated with its key within so many days is recognised.
  package static let idempotencyDays: Int64 = 7
  /// A request body of the native API: a post with the longest place and link, escaped in the worst way, fits.
  package static let requestBodyBytesMax = 16_384

  /// Posts in one request: they are stored together, and those of others wait for that.
  package static let bulkPostsMax = 1_000
  /// The body of such a request: so many posts of a kilobyte.
  package static let bulkBytesMax = 1_048_576

  /// HTTP connections on which nothing moves.
  package static let httpIdleMs: Int64 = 60_000
  /// HTTP connections of one service at once; further ones wait until one ends. More than may wait for an outcome or a
  /// place (`waitersMax`, `lookupsMax`), so that those do not shut out who posts. Each takes about 20 KB, and 70 KB
  /// with the longest headers and body.
  package static let httpConnectionsMax = 12_288
  /// The part of those that one address may have, or one network of 64 bits with IPv6, if it is neither this machine's
  /// nor a trusted proxy's: an eighth.
  package static let httpNetworkShare = 8
  /// How long one that has too many may take to say what it wants, to be told why it gets nothing.
  package static let httpTurnedAwayMs: Int64 = 1_000
  /// HTTP connections that the kernel makes before the service takes them: all clients of a feed that starts again come
  /// within seconds, and one that finds no room tries again a second later at the earliest. The kernel's own bound,
  /// net.core.somaxconn, is usually the same.
  package static let httpBacklog = 4_096
  /// The part of the process's file descriptors that one service's HTTP connections may take, where that is fewer: a
  /// quarter, for one process may run two such services, and needs some for peers and files.
  package static let httpDescriptorsShare = 4
  /// How many of those parts a process takes that has no other such service: a feed of its own.
  package static let httpDescriptorsSharesAlone = 3
  /// HTTP connections at the address for operations: a few scrapers and people.
  package static let operationsConnectionsMax = 64
  /// A request's address and headers, in all. A session's cookie or token takes 43 bytes, other cookies what they want.
  package static let httpHeaderBytesMax = 16_384
  /// Headers of one request.
  package static let httpHeadersMax = 100
  /// How long a request may take from its first byte to its last: 3.3 KB a second for the longest.
  package static let httpRequestMs: Int64 = 10_000
  /// How long 32 KiB of an answer may wait for a client that does not read.
  package static let httpUnreadMs: Int64 = 10_000
  /// How long a client may still wait for the answer to a look-up when it has closed its sending side, as one does that
  /// has gone.
  package static let httpGoneMs: Int64 = 1_000
  /// A database up to this size is read from end to end at each start, to see whether it is whole: all of 100,000
  /// queued posts, with which `bench --only memory` tells how long a start takes.
  package static let databaseCheckBytesMax = 67_108_864
  /// A clean stop rewrites a database up to this size if something was deleted: about a million posts, some seconds.
  /// The stop takes that much longer, and Docker waits for ten seconds only.
  package static let databaseCompactBytesMax = 268_435_456
  /// Posts accepted and not yet settled. Above it posts are refused with 503: at 10,000 a second they are ten seconds'
  /// work, and about 50 MB of memory, 300 MB with the longest places and links.
  package static let queueDepthMax = 100_000
  /// When a post has waited for a worker for so long, further ones are refused with 503 until it goes out, for nobody
  /// should be promised what is not to be seen within that time. Where nothing else is set.
  package static let queueWaitMaxMs: Int64 = 600_000
  /// The least and the most seconds that may be set.
  package static let queueWaitMaxSecondsRange = 1...604_800
  /// The least and the most posts and edits of an account a minute that may be set.
  package static let postsPerMinuteRange = 1...1_000_000
  /// With posts of so many accounts in memory, each about 50 bytes, those are forgotten that may make all again.
  package static let postRatesSweptAt = 10_000
  /// Look-ups waiting for a worker; each holds an HTTP request open.
  package static let lookupsMax = 1_000
  /// How long a look-up may take before its request is answered 503.
  package static let lookupTimeoutMs: Int64 = 5_000
  /// The longest `Prefer: wait`.
  package static let waitSecondsMax = 30
  /// Requests that may wait for a post's outcome at once: each is one connection and about 1 KB.
  package static let waitersMax = 10_000
  /// Posts in one page of a list.
  package static let pagePostsMax = 1_000
  /// Posts that one page of a search looks at: some hundredths of a second. The next page goes on behind them.
  package static let searchScanMax = 5_000
  /// How deep the conditions of a list may be nested, as clients of the original service give them: they use two.
  package static let whereDepthMax = 8
  /// Values that such conditions may compare with: a list of a page's posts fits.
  package static let whereComparisonsMax = 100
  /// Of so many posts, the latest, those are found for which such a condition holds; of an account's own, of so many of
  /// its latest. Each is read: about a tenth of a second for all.
  package static let whereScanMax = 100_000
  /// Posts that a page of such a list may skip. Each is counted.
  package static let skipMax = 1_000_000
  /// How long a post that comes as to the original service waits for its outcome: whoever sent it asks for the list
  /// next, and expects to find it there.
  package static let classicWaitMs: Int64 = 2_000
  /// Alternatives in the answer to a look-up.
  package static let candidatesMax = 20
  /// The same where the client names no number.
  package static let candidatesUsual = 5
  /// What is repeated of a wrong value in the complaint about it.
  package static let complaintBytesMax = 64
  /// A row of a table of places, or a line of JSON: a query with all its options fits a hundred times, and columns that
  /// nobody reads should fit too.
  package static let tableRecordBytesMax = 65_536
  /// What is read of a table at once, and looked up together: thousands of rows, so that handing them over costs
  /// nothing.
  package static let tableChunkBytes = 262_144

  /// A worker's unanswered jobs. More would only add waiting.
  package static let windowMax = 64
  /// So many jobs go to one worker together although another one is free: a second message costs more than the
  /// look-ups of sixteen.
  package static let jobsTogether = 16
  /// How often a reactor that is woken twice within a millisecond lets others run before it looks what there is. `make
  /// bench` shows it in the time of all roles at 64 connections.
  package static let turnYields = 2
  /// Starts of ingest on one database: what is left of a lease token's 64 bits above the counter.
  package static let bootMax: UInt32 = 1 << 24 - 1
  /// Sessions of workers at one ingest; each holds at most `windowMax` jobs.
  package static let sessionsMax = 1_000
  /// Results that a worker keeps until they are acknowledged. Full, it grants no more credit.
  package static let outboxMax = 1_024
  /// Failed tries of a job before it is dead.
  package static let attemptsMax = 8
  /// Workers lost over a job before it is dead: it may be what kills them.
  package static let leaseLossesMax = 3
  /// Earlier leases of a job whose tokens ingest remembers: 7 failed attempts, 2 losses, and 7 that were given back or
  /// never arrived. A success under an older one is stale. For 100,000 jobs they take 16 MB at most.
  package static let formerLeasesMax = 16
  /// A lease without a heartbeat that names it.
  package static let leaseMs: Int64 = 30_000
  /// A lease that heartbeats do not extend any more: its worker may hang, and others could have answered long ago. A
  /// look-up at a remote provider stands in line for less.
  package static let leaseAgeMaxMs: Int64 = 300_000
  /// Heartbeats running with the same progress, from a worker that holds a lease older than `stuckLeaseMs`: then its
  /// handler hangs. 30 s: several times as long as a remote provider may take for one answer.
  package static let stuckHeartbeats = 15
  /// See `stuckHeartbeats`; leases that are older are not extended while the worker hangs.
  package static let stuckLeaseMs: Int64 = 30_000
  /// Heartbeats of both ends of the job link, dictated by ingest.
  package static let heartbeatMs: Int64 = 2_000
  /// Silence after which the other end is taken for dead: three heartbeats. A feed whose ingest is silent for longer
  /// has a stale list, and is not ready.
  package static let livenessMs: Int64 = heartbeatsPerLiveness * heartbeatMs
  /// How long the end of a process waits for the answer to its goodbye.
  package static let leaveMs: Int64 = 500
  /// First pause before a failed job is tried again; doubled each time, with full jitter.
  package static let backoffBaseMs: Int64 = 2_000
  /// Longest pause before a failed job is tried again.
  package static let backoffCapMs: Int64 = 900_000
  /// Shortest pause of a job that its worker has not even started on: that counts as no attempt, so no other pause
  /// would grow, and nothing ends it.
  package static let notStartedPauseMs: Int64 = 5_000
  /// Acknowledgements in a frame: 1,000 take 23 KB.
  package static let acksPerFrameMax = 1_000

  /// A second-level region's name.
  package static let countyBytesMax = 256
  /// A postcode: the longest in use have about ten characters.
  package static let postcodeBytesMax = 32
  /// The name of who answered a look-up.
  package static let providerBytesMax = 32
  /// What licences ask to be shown beside an answer, of all its sources.
  package static let attributionBytesMax = 1_024

  /// Requests a second to remote providers, of the whole deployment, where nothing else is set: what public ones allow.
  package static let remotePerSecond = 1.0
  /// The least and the most that may be set: one in 100 seconds, and as many as a server of one's own may take.
  package static let remotePerSecondRange = 0.01...100.0
  /// Jobs that wait for leave to ask a remote provider; further ones take the gazetteer's answer.
  package static let remoteWaitingMax = 100
  /// How long a look-up may expect to wait for that leave; behind more, it takes the gazetteer's answer at once.
  package static let remoteLookupWaitMs: Int64 = 2_500
  /// How long a look-up waits for the provider itself: with the wait before, less than `lookupTimeoutMs`.
  package static let remoteLookupMs: Int64 = 2_000
  /// Longest time between two requests that a worker's provider may ask for.
  package static let remoteIntervalMaxMs: Int64 = 3_600_000

  /// One frame of the job link. A window of look-ups with the longest queries fits: 64 × (256 + 100) bytes; and so does
  /// one answer with the longest texts: 20 × (2,050 + 832 + 128) + 1,024 bytes.
  package static let jobFrameBytesMax = 65_536
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
  /// Frames that wait in each direction for one peer of the job link, and requests of one feed at the change log: more
  /// than credit lets an honest peer have.
  package static let linkFramesQueuedMax = 1_000
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

  /// Frames of one peer of the job link that nobody can read, within `quarantineMs`; then it is shut out for as long.
  package static let malformedFramesMax = 100
  /// See `malformedFramesMax`; and how long a worker waits that speaks another version.
  package static let quarantineMs: Int64 = 60_000
  /// Peers that are remembered for that; each about 100 bytes.
  package static let quarantinePeersMax = 1_000
  /// The least that a frame may have by an ingest's Welcome: one failure fits.
  package static let jobFrameBytesMin = 1_024

  /// Posts in one batch of a producer over ZeroMQ, and ids in one of its questions. 64 are enough to spread a frame's
  /// cost; one answer takes a commit, so more would only make the first of them wait.
  package static let submitPostsMax = 256
  /// One frame of submission: the largest batch fits with the longest keys, places and links: 256 × 2,600 bytes.
  package static let submitFrameBytesMax = 720_896
  /// Requests of one connection that wait for their answer; further ones are told to come again. Enough to have a batch
  /// on its way to the disk, one behind it and some on the wire.
  package static let submitUnansweredMax = 16
  /// Requests of all producers that wait for their answer: 180 MB when all are of the largest size, 3 MB in practice.
  package static let submitRequestsMax = 256
  /// Replies that libzmq keeps for one producer: a request that is answered has room for its answer, and whoever does
  /// not read loses answers instead of filling memory.
  package static let submitFramesQueuedMax = 2 * submitUnansweredMax
  /// Requests of one producer that libzmq keeps until ingest reads them: 6 MB of the largest; then TCP holds them up.
  package static let submitFramesUnreadMax = 8
  /// How long a connection's token is taken for good, or for wrong, without another look: a session that is ended stops
  /// within this time.
  package static let submitTokenMs: Int64 = 1_000
  /// Connections whose token is remembered; then those that ask for nothing at the moment are looked up again.
  package static let submitProducersMax = 1_024
  /// When a producer that has been told BUSY should come again: the least of HTTP's Retry-After that is not a disk's.
  package static let submitRetryMs: Int64 = 2_000
  /// How long a producer waits for an answer before it sends the same again.
  package static let submitAnswerMs: Int64 = 5_000

  /// Keys on one allow-list: ten for every session or feed that could use them.
  package static let allowedKeysMax = 10_000
  /// A file of keys: the longest list with some comments fits.
  package static let keyFileBytesMax = 2_097_152
  /// A name behind a key on an allow-list: as long as a worker's.
  package static let keyNameBytesMax = peerNameBytesMax
  /// What CURVE adds to a frame: its command's name, nonce, flags and authenticator. (ZeroMQ RFC 26.)
  package static let curveFrameBytes = 8 + 8 + 1 + 16
  /// A command of CURVE's handshake: the longest, INITIATE, has 257 bytes and the peer's properties.
  package static let curveHandshakeBytesMax = 1_024
  /// Longest first pause of a client whose handshake failed; doubled each time.
  package static let handshakePauseBaseMs: Int64 = 1_000
  /// Longest pause between two handshakes that fail: short enough that a key that is added to a list is connected
  /// within seconds, long enough that a wrong one costs its server at most 24 handshakes a minute.
  package static let handshakePauseCapMs: Int64 = 5_000
  /// Between two lines in the log about what the same peer does at the door.
  package static let logRepeatMs: Int64 = 60_000
  /// Peers that the log remembers for that; each about 200 bytes.
  package static let logSubjectsMax = 1_000
  /// Lines of that kind in one second, about all peers.
  package static let logLinesPerSecondMax = 10
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
  /// How long a ticket for a feed's HTTP is good, where the map is closed; streams end with it, and come again with
  /// another.
  package static let viewTicketMs: Int64 = 600_000
  /// The shortest key that ingest and feeds may share for tickets.
  package static let viewKeyBytesMin = 32
  /// Between two samples of the queue's history.
  package static let queueHistoryStepMs: Int64 = 5_000
  /// Samples of the queue's history that are kept: an hour of them.
  package static let queueHistorySamples = 720
  /// Commits whose times are kept, for their percentiles.
  package static let commitTimesKept = 512

  /// Heartbeats that an examined worker is told to keep: not ingest's, so that one who keeps his own is found.
  package static let examHeartbeatMs: Int64 = 1_000
  /// Silence after which an examined worker is to take the other end for dead: three such heartbeats.
  package static let examLivenessMs: Int64 = heartbeatsPerLiveness * examHeartbeatMs
  /// Frames that an examined worker is told to keep to: sixteen places fit only in several.
  package static let examFrameBytesMax = jobFrameBytesMin
  /// Frames that are read of an examined worker: it has to say some 200.
  package static let examFramesMax = 10_000
  /// Silence after which nothing more is expected of an examined worker: each step waits for less.
  package static let examGoneMs: Int64 = 10_000
  /// A line that a subscriber under examination prints; a longer one is not kept. The longest list of a hundred fits.
  package static let examLineBytesMax = 1_048_576
  /// How many seconds an exam may wait for the worker to come.
  package static let examWaitSecondsRange = 1...600
}
