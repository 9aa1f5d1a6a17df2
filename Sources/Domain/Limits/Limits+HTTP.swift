/// Limits of HTTP: connections, requests, waiting clients and tickets.
extension Limits {
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
  /// The longest `Prefer: wait`.
  package static let waitSecondsMax = 30
  /// Requests that may wait for a post's outcome at once: each is one connection and about 1 KB.
  package static let waitersMax = 10_000
  /// How long a post that comes as to the original service waits for its outcome: whoever sent it asks for the list
  /// next, and expects to find it there.
  package static let classicWaitMs: Int64 = 2_000
  /// How long a ticket for a feed's HTTP is good, where the map is closed; streams end with it, and come again with
  /// another.
  package static let viewTicketMs: Int64 = 600_000
  /// The shortest key that ingest and feeds may share for tickets.
  package static let viewKeyBytesMin = 32
}
