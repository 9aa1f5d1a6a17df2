import Domain

/// Settings of gateways.
extension Setting {
  static let gatewayIngest = Setting(
    "ONTHEMAP_GATEWAY_INGEST", flag: "--ingest", default: .value(Setting.gateways.example),
    summary: "Ingest's addresses for gateways, comma-separated tcp://HOST:PORT. The next one is used if one fails.",
    explanation: """
      Ingest's addresses for gateways (ONTHEMAP_GATEWAYS of ingest), comma-separated, at most \(Limits.addressesMax). \
      The gateway uses one at a time, and the next one if that fails.
      """)
  static let gatewayFeed = Setting(
    "ONTHEMAP_GATEWAY_FEED", flag: "--feed", example: Setting.publish.defaultValue,
    summary: """
      Feeds of the same ingest, comma-separated tcp://HOST:PORT. The gateway serves /v2/feed from them. The next one \
      is used if one fails.
      """,
    explanation: """
      Feeds of the same ingest, comma-separated tcp://HOST:PORT, at most \(Limits.addressesMax). The gateway serves \
      /v2/feed from them, also while ingest is away. It begins with a random one. The next one is used if one fails. \
      Without feeds, the gateway forwards /v2/feed to ingest. No default.
      """)
  static let gatewayHTTP = Setting(
    "ONTHEMAP_GATEWAY_HTTP", flag: "--http", default: .value("127.0.0.1:8090"),
    summary: "HTTP address of the gateway, HOST:PORT.",
    explanation: "HTTP address for browsers and programs, HOST:PORT. No TLS: use a reverse proxy.")
  static let gatewayPasswordHashes = Setting(
    "ONTHEMAP_GATEWAY_PASSWORD_HASHES", flag: "--password-hashes",
    default: .described("the number of cores, at most 8"),
    example: "2",
    summary:
      "Password hashes computed at a time (\(Limits.gatewayPasswordHashesRange.words)). 0 leaves them to ingest.",
    explanation: """
      Number of password hashes that the gateway computes at a time (\(Limits.gatewayPasswordHashesRange.words)), at \
      19 MiB each. 0 leaves them to ingest. Default: the number of cores, at most 8.
      """)
  static let gatewayOperations = Setting(
    "ONTHEMAP_GATEWAY_OPERATIONS", flag: "--operations", default: .value("127.0.0.1:9467"),
    summary: "Address for /metrics, /livez and /readyz, HOST:PORT, or none.",
    explanation: """
      Address for /metrics, /livez and /readyz of the gateway, HOST:PORT, or none. /readyz fails while the gateway has \
      no connection to ingest.
      """)
}
