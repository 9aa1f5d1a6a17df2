import Domain

/// Settings of geocoders.
extension Setting {
  static let geocoderIngest = Setting(
    "ONTHEMAP_GEOCODER_INGEST", flag: "--ingest", default: Setting.jobs.declaredDefault,
    summary: "Ingest's address for workers.",
    explanation: "Ingest's job link.")
  static let gazetteer = Setting(
    "ONTHEMAP_GAZETTEER", flag: "--gazetteer", default: .described("gazetteer.otm beside the program"),
    example: "/usr/share/onthemap/gazetteer.otm",
    summary: "The compiled gazetteer.",
    explanation: "The file of places. Default: gazetteer.otm beside the program, or ../share/onthemap/gazetteer.otm.")
  static let concurrency = Setting(
    "ONTHEMAP_CONCURRENCY", flag: "--concurrency", default: .value("\(ToolLimits.concurrencyRange.upperBound)"),
    summary: "Half of the jobs that may be here at once, \(ToolLimits.concurrencyRange.words).",
    explanation: "Half of the jobs that may be with one geocoder at once, \(ToolLimits.concurrencyRange.words).")
  static let workerName = Setting(
    "ONTHEMAP_WORKER_NAME", flag: "--name", default: .described("host and process number"), example: "seattle-1",
    summary: "A name for people.",
    explanation: """
      Its name in ingest's log, 1 to \(Limits.peerNameBytesMax) bytes. Default: the host's name and the process number.
      """)
  static let remote = Setting(
    "ONTHEMAP_REMOTE", flag: "--remote", default: .described("nobody"), example: "nominatim",
    summary: "Who is asked for streets and houses: nominatim, photon or pelias.",
    explanation: """
      Who is asked for streets and houses, which the file does not have: nominatim, photon or pelias. Nobody by \
      default. Set it for all geocoders alike. The texts of such posts leave your network.
      """)
  static let remoteURL = Setting(
    "ONTHEMAP_REMOTE_URL", flag: "--remote-url", example: "https://geo.example.org",
    summary: """
      The remote provider's address; https, or http to this host; its key: ONTHEMAP_REMOTE_KEY, or in a file that \
      ONTHEMAP_REMOTE_KEY_FILE names.
      """,
    explanation: "The provider's address, with the path before its own; https, or http to this host. No default.")
  static let remoteContact = Setting(
    "ONTHEMAP_REMOTE_CONTACT", flag: "--remote-contact", example: "ops@example.org",
    summary: "Your mail address or link, for the provider; the public Nominatim demands it.",
    explanation: "A mail address or a link by which the provider can reach you. The public Nominatim demands it.")
  static let remoteKey = Setting(
    "ONTHEMAP_REMOTE_KEY", isSecret: true,
    explanation: "The key of Pelias, or better a file that holds it, readable by its owner only. No default.")
  static let remoteKeyFile = Setting(
    "ONTHEMAP_REMOTE_KEY_FILE", example: "/etc/onthemap/remote-key")
  static let ingestKey = Setting(
    "ONTHEMAP_INGEST_KEY", flag: "--ingest-key", example: "/etc/onthemap/ingest.pub",
    summary: "Ingest's public key, or a file with it; --ingest uses keys then.",
    explanation: "Ingest's public key, or a file that holds it; of the feed too. No default.")
  static let geocoderOperations = Setting(
    "ONTHEMAP_GEOCODER_OPERATIONS", flag: "--operations", default: .value("127.0.0.1:9466"),
    summary: "Address for /metrics, /livez and /readyz, HOST:PORT, or none.",
    explanation: """
      Where the geocoder is asked about itself, as ingest is. A second one on the same host needs an address of its \
      own where it is to be scraped.
      """)
}
