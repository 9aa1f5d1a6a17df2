import Domain

/// Settings of feeds.
extension Setting {
  static let feedIngest = Setting(
    "ONTHEMAP_FEED_INGEST", flag: "--ingest", default: Setting.changes.declaredDefault,
    summary: "Ingest's addresses for feeds, comma-separated tcp://HOST:PORT. The next one is used if one fails.",
    explanation: """
      Ingest's addresses for feeds (change log), comma-separated, at most \(Limits.addressesMax). The feed uses one at \
      a time, and the next one if that fails.
      """)
  static let publish = Setting(
    "ONTHEMAP_PUBLISH", flag: "--publish", default: .value("tcp://127.0.0.1:7710"),
    summary: "Address to bind for subscribers.",
    explanation: "Address to bind for ZeroMQ subscribers.")
  static let query = Setting(
    "ONTHEMAP_QUERY", flag: "--query", default: .described("one port above --publish"),
    example: "tcp://127.0.0.1:7711",
    summary: "Address to bind for the query API.",
    explanation: """
      Address to bind for the query API, which returns the list or the changes since a sequence number. Default: one \
      port above ONTHEMAP_PUBLISH.
      """)
  static let failoverFeeds = Setting(
    "ONTHEMAP_FAILOVER_FEEDS", flag: "--failover-feeds", example: "tcp://10.0.0.3:7710,tcp://10.0.0.4:7710",
    summary: """
      Other feeds of the same ingest, comma-separated tcp://HOST:PORT. The feed sends them to its subscribers at \
      shutdown.
      """,
    explanation: """
      Other feeds of the same ingest, comma-separated tcp://HOST:PORT. The feed sends them to its subscribers at \
      shutdown. No default.
      """)
  static let feedData = Setting(
    "ONTHEMAP_FEED_DATA", flag: "--data", default: .value("data/feed"),
    summary: """
      Folder for the last snapshot, or none. If ingest is down at startup, the feed serves that snapshot as stale.
      """,
    explanation: """
      Folder for the last snapshot, or none. If ingest is down at startup, the feed serves that snapshot as stale.
      """)
  static let allowSubscribers = Setting(
    "ONTHEMAP_ALLOW_SUBSCRIBERS", flag: "--allow-subscribers", example: "anyone",
    summary: "File of the subscribers' public keys (allowlist), or anyone. Enables CURVE on --publish and --query.",
    explanation: """
      Allowlist of subscribers: a file with one public key and name per line, or anyone. The word anyone admits every \
      client that knows the feed's public key. With ONTHEMAP_MAP_ACCESS=members, anyone is refused. Encrypts the feed \
      and the query API (CURVE), and requires ONTHEMAP_KEY_FILE. SIGHUP reloads the file. Without an allowlist, both \
      links are unencrypted.
      """)
  static let feedHTTP = Setting(
    "ONTHEMAP_FEED_HTTP", flag: "--feed-http", default: .value("127.0.0.1:8081"),
    summary: "HTTP address of the feed, HOST:PORT.",
    explanation: "HTTP address for browsers, HOST:PORT. No TLS: use a reverse proxy.",
    flagNote: "--http; of up: --feed-http")
  static let feedOperations = Setting(
    "ONTHEMAP_FEED_OPERATIONS", flag: "--operations", default: .value("127.0.0.1:9465"),
    summary: "Address for /metrics, /livez and /readyz, HOST:PORT, or none.",
    explanation: """
      Address for /metrics, /livez and /readyz of the feed, HOST:PORT, or none. /readyz fails while the list is stale.
      """)
}
