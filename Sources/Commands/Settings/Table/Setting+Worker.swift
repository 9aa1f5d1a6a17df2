import Domain

/// Settings of workers.
extension Setting {
  static let workerIngest = Setting(
    "ONTHEMAP_WORKER_INGEST", flag: "--ingest", default: Setting.jobs.declaredDefault,
    summary: "Ingest's addresses for workers, comma-separated tcp://HOST:PORT. The next one is used if one fails.",
    explanation: """
      Ingest's addresses for workers (job link), comma-separated, at most \(Limits.addressesMax). The worker uses one \
      at a time, and the next one if that fails.
      """)
  static let gazetteer = Setting(
    "ONTHEMAP_GAZETTEER", flag: "--gazetteer", default: .described("gazetteer.otm beside the program"),
    example: "/usr/share/onthemap/gazetteer.otm",
    summary: "Gazetteer file.",
    explanation: "Gazetteer file. Default: gazetteer.otm beside the program, or ../share/onthemap/gazetteer.otm.")
  static let concurrency = Setting(
    "ONTHEMAP_CONCURRENCY", flag: "--concurrency", default: .value("\(ToolLimits.concurrencyRange.upperBound)"),
    summary: "Number of parallel lookups (\(ToolLimits.concurrencyRange.words)). The worker holds twice as many jobs.",
    explanation: """
      Number of parallel lookups (\(ToolLimits.concurrencyRange.words)). The worker holds twice as many jobs.
      """)
  static let workerName = Setting(
    "ONTHEMAP_WORKER_NAME", flag: "--name", default: .described("host name and process id"), example: "seattle-1",
    summary: "Name in logs and in `onthemap top`.",
    explanation: """
      Name in ingest's log and in onthemap top, 1 to \(Limits.peerNameBytesMax) bytes. Default: host name and process \
      id.
      """)
  static let remoteProvider = Setting(
    "ONTHEMAP_REMOTE_PROVIDER", flag: "--remote-provider", default: .described("none"), example: "nominatim",
    summary: "Remote provider for streets and houses: nominatim, photon or pelias.",
    explanation: """
      Remote provider for streets and houses, which the gazetteer lacks: nominatim, photon or pelias. Default: none. \
      Set the same provider at all workers. The text of such posts leaves your network.
      """)
  static let remoteURL = Setting(
    "ONTHEMAP_REMOTE_URL", flag: "--remote-url", example: "https://geo.example.org",
    summary: """
      Base URL of the remote provider, https (http to this host only). API key: ONTHEMAP_REMOTE_API_KEY or \
      ONTHEMAP_REMOTE_API_KEY_FILE.
      """,
    explanation: "Base URL of the remote provider, https (http to this host only). No default.")
  static let remoteContact = Setting(
    "ONTHEMAP_REMOTE_CONTACT", flag: "--remote-contact", example: "ops@example.org",
    summary: "Contact for the remote provider, an email address or URL. Required by the public Nominatim.",
    explanation: """
      Contact for the remote provider, an email address or URL. Required by the public Nominatim. No default.
      """)
  static let remoteAPIKey = Setting(
    "ONTHEMAP_REMOTE_API_KEY", isSecret: true,
    explanation: "API key for Pelias. Prefer a file, readable by its owner only (0600). No default.")
  static let remoteAPIKeyFile = Setting(
    "ONTHEMAP_REMOTE_API_KEY_FILE", example: "/etc/onthemap/remote-api-key")
  static let ingestKey = Setting(
    "ONTHEMAP_INGEST_KEY", flag: "--ingest-key", example: "/etc/onthemap/ingest.pub",
    summary: "Ingest's public key, or a file that contains it. Enables CURVE on --ingest.",
    explanation: """
      Ingest's public key, or a file that contains it, for workers, feeds and gateways. Encrypts the link to ingest \
      (CURVE), and requires ONTHEMAP_KEY_FILE. All addresses of ingest share this key. No default.
      """)
  static let workerOperations = Setting(
    "ONTHEMAP_WORKER_OPERATIONS", flag: "--operations", default: .value("127.0.0.1:9466"),
    summary: "Address for /metrics, /livez and /readyz, HOST:PORT, or none.",
    explanation: """
      Address for /metrics, /livez and /readyz of the worker, HOST:PORT, or none. If the default port is in use, the \
      process takes a free port. To scrape a second worker on a host, give that worker its own address.
      """)
}
