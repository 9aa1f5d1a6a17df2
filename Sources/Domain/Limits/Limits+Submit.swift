/// Limits of submission over ZeroMQ: batches, requests and replies of producers.
extension Limits {
  /// Maximum number of posts in one batch of a producer over ZeroMQ, and of ids in one query. 64 posts suffice to
  /// spread a frame's cost. One commit precedes the reply, so a larger batch would delay the receipts of its first
  /// posts.
  package static let submitPostsMax = 256
  /// Maximum size of a submit frame, in bytes. The largest batch with the longest keys, places and links fits: 256 ×
  /// 2,600 bytes.
  package static let submitFrameBytesMax = 720_896
  /// Maximum number of requests of one connection that wait for their reply. Further requests get BUSY. The limit
  /// suffices for a batch on its way to the disk, one batch behind it and some on the wire.
  package static let submitRequestsOfConnectionMax = 16
  /// Maximum number of requests of all producers that wait for their reply: 180 MB if all have the largest size, 3 MB
  /// in practice.
  package static let submitRequestsMax = 256
  /// Maximum number of replies that libzmq queues for one producer. Every unanswered request has a slot for its reply.
  /// A producer that does not read loses replies and fills no memory.
  package static let submitFramesQueuedMax = 2 * submitRequestsOfConnectionMax
  /// Maximum number of requests of one producer that libzmq keeps until ingest reads them: 6 MB of the largest. Beyond
  /// this number, TCP stops the producer.
  package static let submitFramesUnreadMax = 8
  /// Time for which the verdict on a connection's token is cached, in milliseconds. After a session has ended, its
  /// token is accepted for at most this time.
  package static let submitTokenMs: Int64 = 1_000
  /// Maximum number of connections whose token is cached. A further connection evicts all idle connections, whose
  /// tokens are then checked again.
  package static let submitProducersMax = 1_024
  /// Pause in a BUSY reply to a producer, in milliseconds. A full disk makes the pause longer.
  package static let submitRetryMs: Int64 = 2_000
  /// Time after which a producer without a reply resends, in milliseconds.
  package static let submitReplyTimeoutMs: Int64 = 5_000
  /// Pause of a producer whose batch could not be sent, in milliseconds. The producer has no connection, or a full one.
  package static let submitUnsentMs: Int64 = 50
}
