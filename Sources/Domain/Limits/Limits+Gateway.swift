/// Limits of gateways and of ingest's link to them.
extension Limits {
  /// Time for which a gateway holds a request while it has no connection to ingest, in milliseconds. A restart of
  /// ingest takes about two seconds. Most clients wait at least 30 seconds.
  package static let gatewayHoldMs: Int64 = 15_000
  /// Interval between two Hellos of a gateway, in milliseconds. A gateway detects a restart of ingest within this time.
  package static let gatewayHelloMs: Int64 = 250
  /// Pause before a gateway resends a request that was not sent, and its first pause after BUSY, in milliseconds.
  package static let gatewayRetryMs: Int64 = 50
  /// Longest pause of a gateway after BUSY, in milliseconds. After the pause it sends one request, and the others after
  /// its reply.
  package static let gatewayBusyPauseMaxMs: Int64 = 1_000
  /// Number of connections that may be lost while a request is sent. Then the request ends, because it may be the
  /// cause.
  package static let gatewayLossesMax = 3
  /// Time without a message from ingest after which a gateway reconnects, in milliseconds: eight missed Hellos.
  package static let gatewaySilenceMs: Int64 = 8 * gatewayHelloMs
  /// Number of successive Welcomes after which a gateway warns that its feed has another ingest: about 10 s. A feed has
  /// the epoch of a restored ingest sooner.
  package static let gatewayListMismatches = 40
  /// Maximum number of posts in one frame of a gateway.
  package static let gatewayPostsMax = 256
  /// Maximum number of post frames of a gateway without a reply. `PostFrames` sends more than one only if that shortens
  /// the wait of few posts, or if the frames are large.
  package static let gatewayPostFramesMax = 4
  /// Number of posts without a reply from which they share frames. Fewer posts wait for no other post's reply.
  package static let gatewayPostsFew = 8
  /// Number of waiting posts from which a frame is large: its cost is spread, so it need not wait for a reply.
  package static let gatewayPostsMany = 64
  /// Maximum number of posts that a gateway holds: 26 MB if all have the longest place and link. Each needs an open
  /// HTTP connection, so the gateway has at most `httpConnectionsMax`.
  package static let gatewayPostsHeldMax = 10_000
  /// Maximum number of other requests that a gateway holds, and that ingest executes for all gateways together. The
  /// limit exceeds the number of requests that may wait for an outcome or a place (`waitersMax`, `lookupsMax`).
  package static let gatewayRequestsMax = 12_288
  /// Maximum number of post frames of all gateways that ingest executes: 4 for each of 256 gateways.
  package static let gatewayPostFramesTotalMax = 1_024
  /// Maximum size of the bodies of these requests together, in bytes.
  package static let gatewayBytesMax = 67_108_864
  /// Maximum size of the large bodies of one network at a gateway together, in bytes: 16 bulk requests. A network is an
  /// IPv4 address or an IPv6 /64.
  package static let gatewayBytesOfNetworkMax = 16_777_216
  /// Maximum size of a frame from a gateway, in bytes. The largest bulk request fits with its headers, and so do 256
  /// posts with the longest keys, places and links.
  package static let gatewayFrameBytesMax = bulkBytesMax + 65_536
  /// Maximum size of the body of a response to a gateway, in bytes. A page of 1,000 posts with the longest places and
  /// links has about 3 MB.
  package static let gatewayResponseBytesMax = 8_388_608
  /// Maximum size of a frame to a gateway, in bytes: the largest response with its headers.
  package static let gatewayReplyFrameBytesMax = gatewayResponseBytesMax + 65_536
  /// Maximum size of the responses that all gateways together leave unread, in bytes. Beyond this size, ingest closes
  /// all connections of gateways. They reconnect, and repeat their requests. The limit is 32 of the longest responses.
  package static let gatewayUnreadBytesMax = 268_435_456
  /// Maximum number of replies that libzmq queues for one gateway. Every open request has a slot for its reply.
  package static let gatewayFramesQueuedMax = 2 * gatewayRequestsMax
  /// Maximum number of frames of one gateway that libzmq keeps until ingest reads them.
  package static let gatewayFramesUnreadMax = 1_000
  /// Maximum size of the name of a connection, in bytes: the number of ingest's run, and libzmq's routing id.
  package static let gatewayConnectionBytesMax = 64
  /// Time for which requests may still wait when a gateway shuts down, in milliseconds. The rest of `shutdownMs` is for
  /// the responses, and for the end of the operations address.
  package static let gatewayDrainMs: Int64 = 2_000
  /// Range of the number of password hashes that a gateway computes at a time.
  package static let gatewayPasswordHashesRange = 0...concurrentPasswordHashesMax
  /// Maximum number of gateways that compute password hashes. Ingest computes the hashes of further gateways itself.
  package static let gatewaysHashingMax = 512
  /// Timeout of a password hash at a gateway, in milliseconds. Then ingest computes the hash. On a busy machine, a hash
  /// takes little more than `passwordHashHedgeDelayMs`.
  package static let gatewayHashMs: Int64 = 5_000
  /// Time after a timeout for which ingest computes all hashes of this gateway itself, in milliseconds.
  package static let gatewayHashPauseMs: Int64 = 30_000
  /// Maximum time for which a shutdown of ingest waits for the open requests of gateways, in milliseconds. A sign-up
  /// may wait for other password hashes. Gateways hold new requests meanwhile.
  package static let gatewayShutdownMs: Int64 = 3_000
}
