/// Limits of HTTP: connections, requests, waiting clients and tickets.
extension Limits {
  /// A request body of the native API: a post with the longest place and link, escaped in the worst way, fits.
  package static let requestBodyBytesMax = 16_384
  /// Posts in one request. They are stored together, and other clients' posts wait for that.
  package static let bulkPostsMax = 1_000
  /// Size of the body of such a request: 1,000 posts of a kilobyte.
  package static let bulkBytesMax = 1_048_576
  /// Time after which an idle HTTP connection is closed.
  package static let httpIdleMs: Int64 = 60_000
  /// HTTP connections of one service at once; further ones wait until one ends. More than the requests that may wait
  /// for an outcome or a place (`waitersMax`, `lookupsMax`), so that those do not keep posts out. Each takes about 20
  /// KB, and 70 KB with the longest headers and body.
  package static let httpConnectionsMax = 12_288
  /// Share of the HTTP connections for one address, or one network of 64 bits with IPv6, if it is neither this
  /// machine's nor a trusted proxy's: an eighth.
  package static let httpNetworkShare = 8
  /// Time that a connection too many has for its request, so that it gets an answer with the reason.
  package static let httpRejectedMs: Int64 = 1_000
  /// HTTP connections that the kernel accepts before the service does. All clients of a feed that restarts connect
  /// within seconds, and a client without a place tries again a second later at the earliest. The kernel's own bound,
  /// net.core.somaxconn, is usually the same.
  package static let httpBacklog = 4_096
  /// Share of the process's file descriptors for one service's HTTP connections, if that is fewer than
  /// `httpConnectionsMax`: a quarter, because a process may run two such services and needs descriptors for peers and
  /// files.
  package static let httpDescriptorsShare = 4
  /// Shares of a process that has no other such service: a feed of its own.
  package static let httpDescriptorsSharesAlone = 3
  /// HTTP connections at the address for operations: a few scrapers and people.
  package static let operationsConnectionsMax = 64
  /// Size of a request's address and headers together. A session's cookie or token takes 43 bytes.
  package static let httpHeaderBytesMax = 16_384
  /// Headers of one request.
  package static let httpHeadersMax = 100
  /// Timeout of a request from its first byte to its last: 3.3 KB a second for the longest.
  package static let httpRequestMs: Int64 = 10_000
  /// Time for which 32 KiB of an answer may wait for a client that does not read.
  package static let httpUnreadMs: Int64 = 10_000
  /// Time for which a lookup goes on after its client has closed its sending side. Most such clients have gone.
  package static let httpDisconnectGraceMs: Int64 = 1_000
  /// Longest `Prefer: wait`, in seconds.
  package static let waitSecondsMax = 30
  /// Requests that may wait for a post's outcome at once: each is one connection and about 1 KB.
  package static let waitersMax = 10_000
  /// Time for which a post over the original service's API waits for its outcome: its client asks for the list next,
  /// and expects the post there.
  package static let compatWaitMs: Int64 = 2_000
  /// Validity of a ticket for a feed's HTTP on a closed map. Streams end with their ticket, and clients connect again
  /// with another.
  package static let viewTicketMs: Int64 = 600_000
  /// The shortest key that ingest and feeds may share for tickets.
  package static let viewKeyBytesMin = 32
}
