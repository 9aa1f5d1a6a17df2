/// Limits of HTTP: connections, requests, waiting clients and tickets.
extension Limits {
  /// Maximum size of a request body of the native API, in bytes. A post with the longest place and link fits, even with
  /// every character escaped.
  package static let requestBodyBytesMax = 16_384
  /// Maximum number of posts in one request. They are stored together, and other clients' posts wait for that.
  package static let bulkPostsMax = 1_000
  /// Maximum size of the body of such a request, in bytes: 1,000 posts of a kilobyte.
  package static let bulkBytesMax = 1_048_576
  /// Time after which an idle HTTP connection is closed, in milliseconds.
  package static let httpIdleMs: Int64 = 60_000
  /// Maximum number of HTTP connections of one service. Further ones wait until one ends. The limit exceeds the
  /// requests that may wait for an outcome or a place (`waitersMax`, `lookupsMax`), so that such requests cannot block
  /// posts. Each takes about 20 KB, or 70 KB with the longest headers and body.
  package static let httpConnectionsMax = 12_288
  /// Divisor of the HTTP connections that one address may use: an eighth. With IPv6 it applies to a network of 64 bits.
  /// This machine's addresses and trusted proxies are exempt.
  package static let httpNetworkShare = 8
  /// Time that an excess connection has for its request, in milliseconds, so that it can get a response with the
  /// reason.
  package static let httpRejectedMs: Int64 = 1_000
  /// Backlog of the listening socket: HTTP connections that the kernel accepts before the service does. All clients of
  /// a restarted feed connect within seconds. A client that finds the backlog full tries again after a second at the
  /// earliest. The kernel's own bound, net.core.somaxconn, is usually the same.
  package static let httpBacklog = 4_096
  /// Divisor of the process's file descriptors that one service's HTTP connections may use, if that is fewer than
  /// `httpConnectionsMax`: a quarter. A process may run two such services, and needs descriptors for peers and files.
  package static let httpDescriptorsShare = 4
  /// Number of such quarters for a service that is alone in its process, such as a separate feed.
  package static let httpDescriptorsSharesAlone = 3
  /// Maximum number of HTTP connections at the operations address: a few scrapers and people.
  package static let operationsConnectionsMax = 64
  /// Maximum size of a request's URL and headers together, in bytes. A session's cookie or token takes 43 bytes.
  package static let httpHeaderBytesMax = 16_384
  /// Maximum number of headers in one request.
  package static let httpHeadersMax = 100
  /// Timeout of a request from its first byte to its last, in milliseconds: 3.3 KB per second for the longest.
  package static let httpRequestMs: Int64 = 10_000
  /// Time for which 32 KiB of a response may wait for a client that does not read, in milliseconds.
  package static let httpUnreadMs: Int64 = 10_000
  /// Time for which a lookup continues after its client has closed its sending side, in milliseconds. Most such clients
  /// have disconnected.
  package static let httpDisconnectGraceMs: Int64 = 1_000
  /// Longest `Prefer: wait`, in seconds.
  package static let waitSecondsMax = 30
  /// Maximum number of requests that wait for a post's outcome. Each is one connection and about 1 KB.
  package static let waitersMax = 10_000
  /// Time for which a post over the compatibility API waits for its outcome, in milliseconds. The client requests the
  /// list next, and expects the post there.
  package static let compatWaitMs: Int64 = 2_000
  /// Lifetime of a ticket for a feed's HTTP on a members-only map, in milliseconds. Streams end with their ticket, and
  /// clients reconnect with another.
  package static let viewTicketMs: Int64 = 600_000
  /// Minimum size of the secret that ingest and feeds share for tickets, in bytes.
  package static let mapAccessSecretBytesMin = 32
}
