/// Limits of submission over ZeroMQ: batches, requests and replies of producers.
extension Limits {
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
  /// Pause of a producer whose batch found no connection, or a full one, in milliseconds.
  package static let submitUnsentMs: Int64 = 50
}
