/// Limits of submission over ZeroMQ: batches, requests and replies of producers.
extension Limits {
  /// Posts in one batch of a producer over ZeroMQ, and ids in one of its questions. 64 are enough to spread a frame's
  /// cost. One answer takes a commit, so more would only delay the first of them.
  package static let submitPostsMax = 256
  /// Size of a frame of submission: the largest batch with the longest keys, places and links fits: 256 × 2,600 bytes.
  package static let submitFrameBytesMax = 720_896
  /// Requests of one connection that wait for their answer; further ones get BUSY. Enough for a batch on its way to the
  /// disk, one behind it and some on the wire.
  package static let submitUnansweredMax = 16
  /// Requests of all producers that wait for their answer: 180 MB when all are of the largest size, 3 MB in practice.
  package static let submitRequestsMax = 256
  /// Replies that libzmq keeps for one producer: each request that is answered has room for its answer. A producer that
  /// does not read loses answers and fills no memory.
  package static let submitFramesQueuedMax = 2 * submitUnansweredMax
  /// Requests of one producer that libzmq keeps until ingest reads them: 6 MB of the largest. Above it TCP stops the
  /// producer.
  package static let submitFramesUnreadMax = 8
  /// Time for which the verdict on a connection's token is kept: after a session has ended, its token is accepted for
  /// this time at most.
  package static let submitTokenMs: Int64 = 1_000
  /// Connections whose token is remembered; above it the tokens of idle ones are read again.
  package static let submitProducersMax = 1_024
  /// Pause in a BUSY reply to a producer. A full disk asks for a longer one.
  package static let submitRetryMs: Int64 = 2_000
  /// Time after which a producer without an answer sends the same again.
  package static let submitReplyTimeoutMs: Int64 = 5_000
  /// Pause of a producer whose batch found no connection, or a full one, in milliseconds.
  package static let submitUnsentMs: Int64 = 50
}
