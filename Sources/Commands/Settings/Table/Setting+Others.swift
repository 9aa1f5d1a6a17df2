import Domain

/// Settings of `up`, of the tools, and of all processes.
extension Setting {
  static let workers = Setting(
    "ONTHEMAP_WORKERS", flag: "--workers", default: .value("2"),
    summary: "Number of workers in the process (\(ToolLimits.workersRange.words)).",
    explanation: "Number of workers in the process (\(ToolLimits.workersRange.words)).")
  static let feed = Setting(
    "ONTHEMAP_FEED", flag: "--feed", default: Setting.publish.declaredDefault,
    summary: "Feeds of one ingest, comma-separated tcp://HOST:PORT. The next one is used if one fails.",
    explanation: """
      Feeds of one ingest, comma-separated tcp://HOST:PORT, at most \(Limits.addressesMax). watch begins with a random \
      one. The next one is used if one fails.
      """)
  static let feedKey = Setting(
    "ONTHEMAP_FEED_KEY", flag: "--feed-key", example: "/etc/onthemap/feed.pub",
    summary: "The feed's public key, or a file that contains it. Required if the feed uses keys.",
    explanation: """
      The feed's public key, or a file that contains it. Required if the feed uses keys. All feeds of ONTHEMAP_FEED, \
      and of ONTHEMAP_GATEWAY_FEED, share this key. No default.
      """)
  static let submitKey = Setting(
    "ONTHEMAP_SUBMIT_KEY", flag: "--submit-key", example: "/etc/onthemap/ingest.pub",
    summary: "Ingest's public key, or a file that contains it. Required if --submit uses keys.",
    explanation: """
      Ingest's public key, or a file that contains it. Required if the submission link uses keys. No default.
      """)
  static let server = Setting(
    "ONTHEMAP_SERVER", flag: "--server", default: .value("http://\(Setting.http.defaultValue)"),
    summary: "Base URL of ingest's HTTP server.",
    explanation: "Base URL of ingest or a gateway. load requires http, and takes several, comma-separated.")
  static let user = Setting(
    "ONTHEMAP_USER", flag: "--user", example: "ana@example.org",
    summary: "Email address of your account.",
    explanation: "Email address of the account. No default.")
  static let password = Setting(
    "ONTHEMAP_PASSWORD", isSecret: true,
    explanation: "Password of the account. Prefer a file, readable by its owner only (0600). No default.")
  static let passwordFile = Setting(
    "ONTHEMAP_PASSWORD_FILE", example: "/etc/onthemap/password")
  static let keyFile = Setting(
    "ONTHEMAP_KEY_FILE", flag: "--key-file", example: "/etc/onthemap/onthemap.key",
    summary: "Secret key file of this process.",
    explanation: """
      Secret key file of this process, readable by its owner only (onthemap keys new --output FILE). No default.
      """)
  static let allowPlaintext = Setting(
    "ONTHEMAP_ALLOW_PLAINTEXT", flag: "--allow-plaintext", example: "feed,query",
    summary: """
      Links allowed without encryption on non-loopback addresses, comma-separated: submit, jobs, changes, \
      gateway; with up also feed, query.
      """,
    explanation: """
      Links allowed without encryption on non-loopback addresses, comma-separated: submit, jobs, changes, gateway, \
      feed, query. The two links of a feed are feed and query. Use it only on a private network of these services. \
      Default: none.
      """)
  static let config = Setting(
    "ONTHEMAP_CONFIG", flag: "--config", example: "/etc/onthemap/onthemap.env",
    summary: "File of NAME=value lines, with the names of the environment variables.",
    explanation: "Path of a file like this one. Set it by flag or environment only. No default.")
  static let logLevel = Setting(
    "ONTHEMAP_LOG_LEVEL", flag: "--log-level", default: .value("info"),
    summary: "Minimum log level: trace, debug, info, notice, warning, error or critical.",
    explanation: "Minimum log level: trace, debug, info, notice, warning, error or critical.")
}
