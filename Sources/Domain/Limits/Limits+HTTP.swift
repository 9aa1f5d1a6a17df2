/// Limits of HTTP: connections, requests, waiting clients and tickets.
extension Limits {
  /// Maximum size of a request body of the native API, in bytes. A post with the longest place and link fits, even with
  /// every character escaped.
  package static let requestBodyBytesMax = 16_384
  /// Maximum number of posts in one bulk request. The store writes them together, and other clients' posts wait for
  /// that write.
  package static let bulkPostsMax = 1_000
  /// Maximum size of the body of a bulk request, in bytes: 1,000 posts of a kilobyte.
  package static let bulkBytesMax = 1_048_576
  /// Time after which a service closes an idle HTTP connection, in milliseconds.
  package static let httpIdleMs: Int64 = 60_000
  /// Maximum number of HTTP connections of one service. Further connections wait until one ends. The limit exceeds the
  /// number of requests that may wait for an outcome or a place (`waitersMax`, `lookupsMax`), so that such requests
  /// cannot block posts. Each connection takes about 20 KB, or 70 KB with the longest headers and body.
  package static let httpConnectionsMax = 12_288
  /// Divisor for the connections of one IPv4 address or IPv6 /64. Such a network may use an eighth of the HTTP
  /// connections. The host's own addresses and trusted proxies are exempt.
  package static let httpNetworkShare = 8
  /// Time in which a refused connection has to send its request, in milliseconds. The response to the request has the
  /// reason.
  package static let httpRefusedMs: Int64 = 1_000
  /// Backlog of the listening socket: HTTP connections that the kernel accepts before the service does. All clients of
  /// a restarted feed connect within seconds. A client that finds the backlog full tries again after a second at the
  /// earliest. The kernel's own bound, net.core.somaxconn, is usually the same.
  package static let httpBacklog = 4_096
  /// Divisor for the file descriptors of one service. Its HTTP connections may use a quarter of the process's
  /// descriptors. The share counts if it is less than `httpConnectionsMax`. A process may run two such services, and
  /// needs descriptors for peers and files.
  package static let httpDescriptorsShare = 4
  /// Number of shares (`httpDescriptorsShare`) for a service that is alone in its process, such as a separate feed.
  package static let httpDescriptorsSharesAlone = 3
  /// Maximum number of HTTP connections at the operations address: a few scrapers and people.
  package static let operationsConnectionsMax = 64
  /// Maximum size of a request's URL and headers together, in bytes. A session's cookie or token takes 43 bytes.
  package static let httpHeaderBytesMax = 16_384
  /// Maximum number of headers in one request.
  package static let httpHeadersMax = 100
  /// Timeout of a request from its first byte to its last, in milliseconds. The longest headers and body need 3.3 KB
  /// per second, and the largest bulk request needs 105 KB per second.
  package static let httpRequestMs: Int64 = 10_000
  /// Time for which 32 KiB of a response may wait for a client that does not read, in milliseconds.
  package static let httpUnreadMs: Int64 = 10_000
  /// Maximum size of the responses that all clients of one service leave unread, in bytes. Beyond this size, the
  /// service closes the connections that have not read for the longest time. The limit counts connections with more
  /// than 64 KiB. It is 85 of the longest pages of posts, and at most an eighth of a service's memory limit.
  package static let httpUnreadBytesMax = 268_435_456
  /// Time after which a service probes a client that has closed its sending side, in milliseconds. Most such clients
  /// have disconnected. The time doubles with each probe of a request. A request of 30 s thus has at most four probes,
  /// and Go's client accepts five interim responses.
  package static let httpProbeMs: Int64 = 1_000
  /// Time for which a shutdown waits for the next request of an idle connection, or for the rest of a request, in
  /// milliseconds.
  package static let httpQuiesceMs: Int64 = 1_000
  /// Longest `Prefer: wait`, in seconds.
  package static let waitSecondsMax = 30
  /// Maximum number of requests that wait for a post's outcome. Each is one connection and about 1 KB.
  package static let waitersMax = 10_000
  /// Time for which a post over the compatibility API waits for its outcome, in milliseconds. The client requests the
  /// list next, and expects the post there.
  package static let compatWaitMs: Int64 = 2_000
  /// Lifetime of a ticket for a feed over HTTP if only members may see the map, in milliseconds. Streams end with their
  /// ticket, and clients reconnect with another ticket.
  package static let viewTicketMs: Int64 = 600_000
  /// Minimum size of the secret that ingest and feeds share for tickets, in bytes.
  package static let mapAccessSecretBytesMin = 32
}
