/// Limits of the job link between ingest and its workers: sessions, heartbeats, frames and results.
extension Limits {
  /// Sessions of workers at one ingest; each holds at most `windowMax` jobs.
  package static let sessionsMax = 1_000
  /// Results that a worker keeps until they are acknowledged. Full, it grants no more credit.
  package static let outboxMax = 1_024
  /// Time between two heartbeats of either end of the job link. Ingest names it in Welcome.
  package static let heartbeatMs: Int64 = 2_000
  /// Silence after which the other end counts as dead: three heartbeats. A feed whose ingest is silent for longer has a
  /// stale list, and is not ready.
  package static let livenessMs: Int64 = heartbeatsPerLiveness * heartbeatMs
  /// Time for which a process that ends waits for the answer to its goodbye.
  package static let goodbyeTimeoutMs: Int64 = 500
  /// Acknowledgements in a frame: 1,000 take 23 KB.
  package static let acksPerFrameMax = 1_000
  /// Size of a frame of the job link. A window of lookups with the longest queries fits: 64 × (256 + 100) bytes; so
  /// does one answer with the longest texts: 20 × (2,050 + 832 + 128) + 1,024 bytes. Results are split over frames that
  /// fit; a longer frame ends its connection, as ZMQ_MAXMSGSIZE says.
  package static let jobFrameBytesMax = 65_536
  /// Malformed frames of one peer of the job link within `quarantineMs`; above it the peer is refused for as long.
  package static let malformedFramesMax = 100
  /// Time over which malformed frames are counted, and for which a peer is refused then. A worker that speaks another
  /// version waits as long.
  package static let quarantineMs: Int64 = 60_000
  /// Peers whose malformed frames are counted; each about 100 bytes.
  package static let quarantinePeersMax = 1_000
  /// Smallest limit of a frame that a Welcome may name: one failure fits.
  package static let jobFrameBytesMin = 1_024
  /// Code of a job's failure: a word such as `remote_unavailable`.
  package static let failureCodeBytesMax = 64
  /// Detail of a job's failure: one sentence with what the provider said.
  package static let failureDetailBytesMax = 256
  /// Bytes of a lease in a Hello, heartbeat or Goodbye: two numbers of at most 9 and 10 bytes with their tags.
  package static let leaseReferenceBytesMax = 20
  /// The part of such a frame that is no lease: names, versions and the body's own fields.
  package static let jobFrameHeadBytesMax = 512
  /// Time after which a worker repeats a Hello without an answer, in milliseconds: more than a round trip and a commit.
  package static let helloRepeatMs: Int64 = 1_000
  /// First pause before a worker sends a result again that is not acknowledged, in milliseconds; doubled each time.
  /// More than a commit takes on a busy disk.
  package static let resultResendMs: Int64 = 1_000
  /// Longest of these pauses, in milliseconds: as long as a lease. Ingest may refuse results for as long as its disk is
  /// full.
  package static let resultResendCapMs: Int64 = leaseMs
  /// Shortest heartbeat that a worker accepts, in milliseconds: a Welcome with 0 must not make it send without a pause.
  package static let heartbeatMinMs: Int64 = 100
  /// Heartbeats in a row that must be lost before an end of the job link counts as dead: one may be late, two hardly.
  package static let heartbeatsPerLiveness: Int64 = 3
  /// Shortest pause of a worker after a refusal, in milliseconds, also where ingest asks for none.
  package static let refusedPauseMinMs: Int64 = 1_000
}
