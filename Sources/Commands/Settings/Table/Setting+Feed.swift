/// Settings of feeds.
extension Setting {
  static let feedIngest = Setting(
    "ONTHEMAP_FEED_INGEST", flag: "--ingest", default: Setting.changes.declaredDefault,
    summary: "Ingest's address for feeds.",
    explanation: "Ingest's change log.")
  static let publish = Setting(
    "ONTHEMAP_PUBLISH", flag: "--publish", default: .value("tcp://127.0.0.1:7710"),
    summary: "Address for subscribers.",
    explanation: "Where ZeroMQ subscribers connect to.")
  static let query = Setting(
    "ONTHEMAP_QUERY", flag: "--query", default: .described("one port above --publish"),
    example: "tcp://127.0.0.1:7711",
    summary: "Address for questions to the feed.",
    explanation: """
      Where it is asked for the list or for what has changed since. Default: one port above ONTHEMAP_PUBLISH.
      """)
  static let alternates = Setting(
    "ONTHEMAP_ALTERNATES", flag: "--alternates", example: "tcp://10.0.0.3:7710,tcp://10.0.0.4:7710",
    summary: """
      Other feeds of the same ingest, tcp://HOST:PORT with commas between them: where subscribers are sent when this \
      one is stopped.
      """,
    explanation: """
      Other feeds of the same ingest, with commas between them: where subscribers are sent when this one is stopped. \
      No default.
      """)
  static let feedData = Setting(
    "ONTHEMAP_FEED_DATA", flag: "--data", default: .value("data/feed"),
    summary: "A folder for the last list, which is told, as stale, when ingest is away at the start; or none.",
    explanation: "A folder for the last list, which is told, as stale, when ingest is away at the start; or none.")
  static let allowSubscribers = Setting(
    "ONTHEMAP_ALLOW_SUBSCRIBERS", flag: "--allow-subscribers", example: "anyone",
    summary: "Subscribers' public keys, a file, or the word anyone; --publish and --query use keys then.",
    explanation: """
      Who may subscribe: a file of public keys, one a line with a name behind it; or the word anyone, who then only \
      has to know the feed's public key: not where viewing is closed. The feed uses keys then. No default.
      """)
  static let feedHTTP = Setting(
    "ONTHEMAP_FEED_HTTP", flag: "--feed-http", default: .value("127.0.0.1:8081"),
    summary: "The feed's address for HTTP, HOST:PORT.",
    explanation: "HTTP, for browsers: host and port. Plain; TLS ends in a reverse proxy in front of it.",
    flagNote: "--http; of up: --feed-http")
  static let feedOperations = Setting(
    "ONTHEMAP_FEED_OPERATIONS", flag: "--operations", default: .value("127.0.0.1:9465"),
    summary: "Address for /metrics, /livez and /readyz, HOST:PORT, or none.",
    explanation: "Where the feed is asked about itself, as ingest is; it is ready while its list is not stale.")
}
