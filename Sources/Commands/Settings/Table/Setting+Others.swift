/// Settings of `up`, of the tools, and of all processes.
extension Setting {
  static let workers = Setting(
    "ONTHEMAP_WORKERS", flag: "--workers", default: .value("2"),
    summary: "Geocoding workers, \(ToolLimits.workersRange.words).",
    explanation: "Geocoders in the process, \(ToolLimits.workersRange.words).")
  static let feed = Setting(
    "ONTHEMAP_FEED", flag: "--feed", default: Setting.publish.declaredDefault,
    summary: "The feed to subscribe to.",
    explanation: "The feed to watch.")
  static let feedKey = Setting(
    "ONTHEMAP_FEED_KEY", flag: "--feed-key", example: "/etc/onthemap/feed.pub",
    summary: "The feed's public key, or a file with it, where the feed uses keys.",
    explanation: "The feed's public key, or a file that holds it, where the feed uses keys. No default.")
  static let submitKey = Setting(
    "ONTHEMAP_SUBMIT_KEY", flag: "--submit-key", example: "/etc/onthemap/ingest.pub",
    summary: "The public key of that address, or a file with it, where it uses keys.",
    explanation: """
      The public key of the address for producers, or a file that holds it, where ingest uses keys there. No default.
      """)
  static let server = Setting(
    "ONTHEMAP_SERVER", flag: "--server", default: .value("http://\(Setting.http.defaultValue)"),
    summary: "Ingest's address.",
    explanation: "Where to post.")
  static let user = Setting(
    "ONTHEMAP_USER", flag: "--user", example: "ana@example.org",
    summary: "Your e-mail address.",
    explanation: "Who posts: the e-mail address of the account. No default.")
  static let password = Setting(
    "ONTHEMAP_PASSWORD", isSecret: true,
    explanation: "The password, or better a file that holds it, readable by its owner only. No default.")
  static let passwordFile = Setting(
    "ONTHEMAP_PASSWORD_FILE", example: "/etc/onthemap/password")
  static let keyFile = Setting(
    "ONTHEMAP_KEY_FILE", flag: "--key-file", example: "/etc/onthemap/onthemap.key",
    summary: "The secret key of this process, a file.",
    explanation: """
      The process's own secret key, a file that only its owner can read (onthemap keys new --output FILE). No \
      default.
      """)
  static let allowPlaintext = Setting(
    "ONTHEMAP_ALLOW_PLAINTEXT", flag: "--allow-plaintext", example: "feed,query",
    summary: """
      Links that other hosts may reach in plain text: submit, jobs, changes; of up also feed, query; with commas.
      """,
    explanation: """
      Links that other hosts may reach in plain text, of submit, jobs, changes, feed, query, with commas between \
      them. A feed listens at two of them, feed and query: allow both. For a network that only these services are on; \
      empty by default.
      """)
  static let config = Setting(
    "ONTHEMAP_CONFIG", flag: "--config", example: "/etc/onthemap/onthemap.env",
    summary: "A file of NAME=value lines, with the names of the environment.",
    explanation: "A file like this one; itself set by flag or environment only. No default.")
  static let logLevel = Setting(
    "ONTHEMAP_LOG_LEVEL", flag: "--log-level", default: .value("info"),
    summary: "trace, debug, info, notice, warning, error or critical.",
    explanation: "trace, debug, info, notice, warning, error or critical.")
}
