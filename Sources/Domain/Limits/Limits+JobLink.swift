/// Limits of the job link between ingest and its workers: sessions, heartbeats, frames and results.
extension Limits {
  /// Maximum number of workers' sessions at one ingest. Each session holds at most `windowMax` jobs.
  package static let sessionsMax = 1_000
  /// Maximum number of unacknowledged results that a worker keeps. At the limit, it grants no more credit.
  package static let outboxMax = 1_024
  /// Interval between two heartbeats of either end of the job link, in milliseconds. Ingest sends the interval in
  /// Welcome.
  package static let heartbeatMs: Int64 = 2_000
  /// Liveness timeout of a peer, in milliseconds: three heartbeat intervals. A feed whose ingest is silent for longer
  /// has a stale list, and is not ready.
  package static let livenessMs: Int64 = heartbeatsPerLiveness * heartbeatMs
  /// Time for which an ending process waits for the reply to its goodbye, in milliseconds.
  package static let goodbyeTimeoutMs: Int64 = 500
  /// Maximum number of acknowledgements in a frame: 1,000 take 23 KB.
  package static let acksPerFrameMax = 1_000
  /// Maximum size of a frame of the job link, in bytes. A window of lookups with the longest queries fits: 64 × (256 +
  /// 100) bytes. One result with the longest texts fits too: 20 × (2,050 + 832 + 128) + 1,024 bytes. Workers split
  /// results over several frames. A longer frame ends its connection (ZMQ_MAXMSGSIZE).
  package static let jobFrameBytesMax = 65_536
  /// Number of malformed frames of one peer of the job link within `quarantineMs` at which ingest quarantines the peer.
  package static let malformedFramesMax = 100
  /// Window in which ingest counts a peer's malformed frames, and duration of the quarantine that follows, in
  /// milliseconds. A worker with another protocol version waits as long.
  package static let quarantineMs: Int64 = 60_000
  /// Maximum number of peers whose malformed frames are counted. Each takes about 100 bytes.
  package static let quarantinePeersMax = 1_000
  /// Smallest frame limit that a Welcome may set, in bytes. One failure fits.
  package static let jobFrameBytesMin = 1_024
  /// Maximum size of the code of a job's failure, in bytes: a word such as `remote_unavailable`.
  package static let failureCodeBytesMax = 64
  /// Maximum size of the detail of a job's failure, in bytes: one sentence with the provider's message.
  package static let failureDetailBytesMax = 256
  /// Maximum size of a lease in a Hello, heartbeat or Goodbye, in bytes: two numbers of at most 9 and 10 bytes with
  /// their tags.
  package static let leaseReferenceBytesMax = 20
  /// Maximum size of a Hello, heartbeat or Goodbye without its leases, in bytes: names, versions and the body's own
  /// fields.
  package static let jobFrameHeadBytesMax = 512
  /// Time after which a worker repeats a Hello without a reply, in milliseconds. It exceeds a round trip and a commit.
  package static let helloRepeatMs: Int64 = 1_000
  /// First pause before a worker resends an unacknowledged result, in milliseconds. It exceeds the duration of a commit
  /// on a busy disk. Each further pause is twice as long.
  package static let resultResendMs: Int64 = 1_000
  /// Longest pause before a worker resends an unacknowledged result, in milliseconds: the duration of a lease. Ingest
  /// may refuse results for as long as its disk is full.
  package static let resultResendCapMs: Int64 = leaseMs
  /// Shortest heartbeat interval that a worker accepts, in milliseconds. A Welcome with 0 must not make the worker send
  /// without a pause.
  package static let heartbeatMinMs: Int64 = 100
  /// Number of consecutive heartbeats that must be lost before a peer of the job link counts as dead. One late
  /// heartbeat is common, and two in a row are rare.
  package static let heartbeatsPerLiveness: Int64 = 3
  /// Shortest pause of a worker after a refusal, in milliseconds, even if ingest asks for none.
  package static let refusedPauseMinMs: Int64 = 1_000
}
