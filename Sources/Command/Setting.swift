/// Every setting by its flag; the environment's name follows from the table, so that one list serves all.
enum Setting: String, CaseIterable {
  case admin = "ONTHEMAP_ADMIN"
  case allowFeeds = "ONTHEMAP_ALLOW_FEEDS"
  case allowPlaintext = "ONTHEMAP_ALLOW_PLAINTEXT"
  case allowSubscribers = "ONTHEMAP_ALLOW_SUBSCRIBERS"
  case allowWorkers = "ONTHEMAP_ALLOW_WORKERS"
  case changes = "ONTHEMAP_CHANGES"
  case concurrency = "ONTHEMAP_CONCURRENCY"
  case config = "ONTHEMAP_CONFIG"
  case data = "ONTHEMAP_DATA"
  case feed = "ONTHEMAP_FEED"
  case feedHTTP = "ONTHEMAP_FEED_HTTP"
  case feedIngest = "ONTHEMAP_FEED_INGEST"
  case feedKey = "ONTHEMAP_FEED_KEY"
  case gazetteer = "ONTHEMAP_GAZETTEER"
  case geocoderIngest = "ONTHEMAP_GEOCODER_INGEST"
  case http = "ONTHEMAP_HTTP"
  case ingestKey = "ONTHEMAP_INGEST_KEY"
  case jobs = "ONTHEMAP_JOBS"
  case keyFile = "ONTHEMAP_KEY_FILE"
  case logLevel = "ONTHEMAP_LOG_LEVEL"
  case origin = "ONTHEMAP_ORIGIN"
  case password = "ONTHEMAP_PASSWORD"
  case passwordFile = "ONTHEMAP_PASSWORD_FILE"
  case publish = "ONTHEMAP_PUBLISH"
  case remote = "ONTHEMAP_REMOTE"
  case remoteContact = "ONTHEMAP_REMOTE_CONTACT"
  case remoteKey = "ONTHEMAP_REMOTE_KEY"
  case remoteKeyFile = "ONTHEMAP_REMOTE_KEY_FILE"
  case remoteRate = "ONTHEMAP_REMOTE_RATE"
  case remoteURL = "ONTHEMAP_REMOTE_URL"
  case server = "ONTHEMAP_SERVER"
  case submit = "ONTHEMAP_SUBMIT"
  case user = "ONTHEMAP_USER"
  case workerName = "ONTHEMAP_WORKER_NAME"
  case workers = "ONTHEMAP_WORKERS"

  /// Never shown.
  var isSecret: Bool { self == .password || self == .remoteKey }

  /// The flag as people type it, where there is one.
  var flag: String? {
    switch self {
    case .password, .passwordFile, .remoteKey, .remoteKeyFile: nil
    case .geocoderIngest, .feedIngest: "--ingest"
    case .feedHTTP: "--feed-http"
    case .logLevel: "--log-level"
    case .workerName: "--name"
    case .allowFeeds: "--allow-feeds"
    case .allowPlaintext: "--allow-plaintext"
    case .allowSubscribers: "--allow-subscribers"
    case .allowWorkers: "--allow-workers"
    case .feedKey: "--feed-key"
    case .ingestKey: "--ingest-key"
    case .keyFile: "--key-file"
    case .admin: "--admin"
    case .changes: "--changes"
    case .concurrency: "--concurrency"
    case .config: "--config"
    case .data: "--data"
    case .feed: "--feed"
    case .gazetteer: "--gazetteer"
    case .http: "--http"
    case .jobs: "--jobs"
    case .origin: "--origin"
    case .publish: "--publish"
    case .remote: "--remote"
    case .remoteContact: "--remote-contact"
    case .remoteRate: "--remote-rate"
    case .remoteURL: "--remote-url"
    case .server: "--server"
    case .submit: "--submit"
    case .user: "--user"
    case .workers: "--workers"
    }
  }

  /// The flag and the environment's name, for messages.
  var title: String { flag.map { "\($0) (\(rawValue))" } ?? rawValue }
}
