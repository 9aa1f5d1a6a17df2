import Domain
import SignIn

/// Settings of ingest.
extension Setting {
  static let data = Setting(
    "ONTHEMAP_DATA", flag: "--data", default: .value("./data"),
    summary: "Folder of the database.",
    explanation: "Folder of the database. Ingest creates it if it is missing.")
  static let store = Setting(
    "ONTHEMAP_STORE", flag: "--store", default: .value("sqlite"),
    summary: "Store: sqlite in the data folder, or PostgreSQL at postgresql://USER@HOST:PORT/DATABASE.",
    explanation: """
      Store: sqlite in the data folder, or the URL of a PostgreSQL database, for example \
      postgresql://onthemap@db1.example.org,db2.example.org/onthemap?sslrootcert=/etc/ssl/ca.pem. Hosts are tried in \
      their order. A host other than this one requires TLS with its certificate, unless sslmode has another value. A \
      URL with a password is refused.
      """)
  static let storePasswordFile = Setting(
    "ONTHEMAP_STORE_PASSWORD_FILE", flag: "--store-password-file", example: "/etc/onthemap/store-password",
    summary: "File with the password for PostgreSQL, readable by its owner only (0600).",
    explanation: """
      File with the password for PostgreSQL, readable by its owner only (0600). Each connection reads it again, so the \
      password can change without a restart. No default.
      """)
  static let http = Setting(
    "ONTHEMAP_HTTP", flag: "--http", default: .value("127.0.0.1:8080"),
    summary: "HTTP address of ingest, HOST:PORT.",
    explanation: "HTTP address for browsers and programs, HOST:PORT. No TLS: use a reverse proxy.")
  static let jobs = Setting(
    "ONTHEMAP_JOBS", flag: "--jobs", default: .value("tcp://127.0.0.1:7701"),
    summary: "Address to bind for workers (job link).",
    explanation: "Address to bind for workers (job link).")
  static let changes = Setting(
    "ONTHEMAP_CHANGES", flag: "--changes", default: .value("tcp://127.0.0.1:7702"),
    summary: "Address to bind for feeds (change log).",
    explanation: "Address to bind for feeds (change log).")
  static let submit = Setting(
    "ONTHEMAP_SUBMIT", flag: "--submit", default: .value("tcp://127.0.0.1:7700"),
    summary: "Address to bind for producers (submission link).",
    explanation: """
      Address to bind for producers, which send posts in batches. Without keys, the producers' tokens travel \
      unencrypted. Then use a private network only.
      """)
  static let gateways = Setting(
    "ONTHEMAP_GATEWAYS", flag: "--gateways", default: .described("none"), example: "tcp://127.0.0.1:7703",
    summary: "Address to bind for gateways, tcp://HOST:PORT.",
    explanation: """
      Address to bind for gateways, which serve HTTP on other hosts or in other processes. Without keys, the requests \
      of their clients travel unencrypted. Default: none.
      """)
  static let publicURL = Setting(
    "ONTHEMAP_PUBLIC_URL", flag: "--public-url", example: "https://map.example.org",
    summary: "Public URL of the site. https:// sets the Secure flag on cookies.",
    explanation: "Public URL of the site, without a path. https:// sets the Secure flag on cookies. No default.")
  static let trustedProxies = Setting(
    "ONTHEMAP_TRUSTED_PROXIES", flag: "--trusted-proxies", example: "127.0.0.1,::1",
    summary: """
      Trusted reverse proxies, comma-separated addresses or networks, e.g. 127.0.0.1,10.0.0.0/8. Their X-Forwarded-For \
      gives the client's address.
      """,
    explanation: """
      Trusted reverse proxies of ingest or feed, comma-separated addresses or networks. Their X-Forwarded-For gives \
      the client's address. The connection limit per address does not apply to them. Default: none. The peer then \
      counts as the client.
      """)
  static let corsOrigins = Setting(
    "ONTHEMAP_CORS_ORIGINS", flag: "--cors-origins", example: "https://app.example.org",
    summary: """
      Origins of other sites whose pages may use the API with a token, comma-separated, e.g. https://app.example.org.
      """,
    explanation: """
      Origins of other sites whose pages may use the API with a token, comma-separated. Browsers send no cookies from \
      those pages. Default: none.
      """)
  static let publicFeedURL = Setting(
    "ONTHEMAP_PUBLIC_FEED_URL", flag: "--public-feed-url", example: "https://feed.example.org",
    summary: """
      Public URL of the feed's HTTP server, e.g. https://feed.example.org. Without it pages poll ingest, except with \
      up.
      """,
    explanation: """
      Public URL of the feed's HTTP server, for live updates in browsers. With up, the default is the feed's port on \
      the page's host, unless ONTHEMAP_PUBLIC_URL is https. Without this URL, pages poll ingest every 3 seconds.
      """)
  static let mapAccess = Setting(
    "ONTHEMAP_MAP_ACCESS", flag: "--map-access", default: .value("public"),
    summary: """
      Access control for viewing the map: public, or members (accounts only). With members, ingest and feeds share a \
      secret of at least \(Limits.mapAccessSecretBytesMin) bytes (ONTHEMAP_MAP_ACCESS_SECRET_FILE); up needs none. \
      ZeroMQ clients need a key on an allowlist. Workers see the places of posts.
      """,
    explanation: """
      Access control for viewing the map: public, or members (accounts only). Set it at ingest and at feeds. ZeroMQ \
      clients have no accounts. With members, ONTHEMAP_ALLOW_SUBSCRIBERS and ONTHEMAP_ALLOW_FEEDS therefore cannot be \
      anyone. Workers see the places of posts. At startup, ingest and feeds log a warning for each link that exposes \
      the map or places to clients without an account.
      """)
  static let mapAccessSecret = Setting(
    "ONTHEMAP_MAP_ACCESS_SECRET", isSecret: true,
    explanation: """
      Secret shared by ingest and feeds when ONTHEMAP_MAP_ACCESS is members, at least \
      \(Limits.mapAccessSecretBytesMin) bytes (openssl rand -hex 32). Prefer a file, readable by its owner only \
      (0600). Required at feeds. Without this secret at ingest, pages poll every 3 seconds. up creates its own. No \
      default.
      """)
  static let mapAccessSecretFile = Setting(
    "ONTHEMAP_MAP_ACCESS_SECRET_FILE", example: "/etc/onthemap/map-access-secret")
  static let tiles = Setting(
    "ONTHEMAP_TILES", flag: "--tiles", default: .described("built-in outline of the world"),
    example: "https://tile.example.org/{z}/{x}/{y}.png",
    summary: """
      URL template of raster tiles, e.g. https://tile.example.org/{z}/{x}/{y}.png. Requires --tiles-attribution.
      """,
    explanation: """
      URL template of raster tiles with {z}, {x} and {y}. Default: a built-in outline of the world. Browsers load \
      tiles from that server, which learns what they view.
      """)
  static let tilesAttribution = Setting(
    "ONTHEMAP_TILES_ATTRIBUTION", flag: "--tiles-attribution",
    example: "© Example contributors https://tile.example.org/about",
    summary: "Attribution shown on the map. A URL at the end becomes a link.",
    explanation: """
      Attribution of the tiles, shown on the map. A URL at the end becomes a link. Required with ONTHEMAP_TILES.
      """)
  static let signUp = Setting(
    "ONTHEMAP_SIGN_UP", flag: "--sign-up", default: .value("open"),
    summary: "Sign-up: open (anyone) or closed (only `onthemap user create`).",
    explanation: "Sign-up: open (anyone) or closed (only the operator, with onthemap user create).")
  static let oidcIssuer = Setting(
    "ONTHEMAP_OIDC_ISSUER", flag: "--oidc-issuer", default: .described("none"),
    example: "https://login.example.org/realm",
    summary: "Issuer URL of the OpenID Connect provider, https (http to this host only). Requires --public-url.",
    explanation: """
      Issuer URL of the OpenID Connect provider, exactly as its metadata has it, https (http to this host only). \
      Requires ONTHEMAP_PUBLIC_URL, for the redirect. Default: none.
      """)
  static let oidcClientID = Setting(
    "ONTHEMAP_OIDC_CLIENT_ID", flag: "--oidc-client-id", example: "onthemap",
    summary: """
      Client id at the OpenID Connect provider. Secret: ONTHEMAP_OIDC_CLIENT_SECRET or \
      ONTHEMAP_OIDC_CLIENT_SECRET_FILE; none for a public client.
      """,
    explanation: "Client id at the OpenID Connect provider. No default.")
  static let oidcClientSecret = Setting(
    "ONTHEMAP_OIDC_CLIENT_SECRET", isSecret: true,
    explanation: """
      Client secret at the OpenID Connect provider. Prefer a file, readable by its owner only (0600). A public client \
      has none.
      """)
  static let oidcClientSecretFile = Setting(
    "ONTHEMAP_OIDC_CLIENT_SECRET_FILE", example: "/etc/onthemap/oidc-secret")
  static let oidcName = Setting(
    "ONTHEMAP_OIDC_NAME", flag: "--oidc-name", default: .described("the issuer's host"), example: "Example",
    summary: "Provider name on the sign-in button.",
    explanation: "Provider name on the sign-in button. Default: the issuer's host.")
  static let facebookAppID = Setting(
    "ONTHEMAP_FACEBOOK_APP_ID", flag: "--facebook-app-id", default: .described("off"), example: "1234567890",
    summary: """
      App id at Facebook. Enables login with Facebook. Secret: ONTHEMAP_FACEBOOK_APP_SECRET or \
      ONTHEMAP_FACEBOOK_APP_SECRET_FILE.
      """,
    explanation: "App id at Facebook. Enables login for apps that hold a Facebook access token. Default: off.")
  static let facebookAppSecret = Setting(
    "ONTHEMAP_FACEBOOK_APP_SECRET", isSecret: true,
    explanation: """
      App secret at Facebook, required with ONTHEMAP_FACEBOOK_APP_ID. Prefer a file, readable by its owner only \
      (0600). No default.
      """)
  static let facebookAppSecretFile = Setting(
    "ONTHEMAP_FACEBOOK_APP_SECRET_FILE", example: "/etc/onthemap/facebook-secret")
  static let facebookGraphURL = Setting(
    "ONTHEMAP_FACEBOOK_GRAPH_URL", flag: "--facebook-graph-url",
    default: .value(FacebookConfiguration.defaultGraph),
    summary: "Base URL of the Graph API with its version, https (http to this host only).",
    explanation: "Base URL of Facebook's Graph API with its version. Ingest verifies access tokens there.")
  static let maxQueueWait = Setting(
    "ONTHEMAP_MAX_QUEUE_WAIT", flag: "--max-queue-wait", default: .value("\(Limits.queueWaitMaxMs / 1_000)"),
    summary: """
      Maximum wait of a queued post, in seconds (\(Limits.queueWaitMaxSecondsRange.words)). While a post waits \
      longer, ingest refuses new posts (503).
      """,
    explanation: """
      Maximum wait of a queued post for a worker, in seconds (\(Limits.queueWaitMaxSecondsRange.words)). While a post \
      waits longer, ingest refuses new posts with 503.
      """)
  static let postsPerMinute = Setting(
    "ONTHEMAP_POSTS_PER_MINUTE", flag: "--posts-per-minute", default: .described("unlimited"), example: "60",
    summary: "Posts and edits per minute per account (\(Limits.postsPerMinuteRange.words)).",
    explanation: """
      Posts and edits per minute per account (\(Limits.postsPerMinuteRange.words)), and the largest burst. Ingest \
      refuses more with 429, or with BUSY over ZeroMQ. 60 suits people who type. Default: unlimited.
      """)
  static let remoteRate = Setting(
    "ONTHEMAP_REMOTE_RATE", flag: "--remote-rate", default: .value(decimal(Limits.remotePerSecond)),
    summary: "Requests per second to remote providers, of all workers together (\(Limits.remotePerSecondRange.words)).",
    explanation: """
      Requests per second to remote providers, of all workers together (\(Limits.remotePerSecondRange.words)). Public \
      Nominatim and Photon servers get at most one per second.
      """)
  static let allowWorkers = Setting(
    "ONTHEMAP_ALLOW_WORKERS", flag: "--allow-workers", example: "/etc/onthemap/workers.keys",
    summary: "File of the workers' public keys (allowlist), or anyone. Enables CURVE on --jobs.",
    explanation: """
      Allowlist of workers: a file with one public key and name per line, or anyone. The word anyone admits every \
      client that knows ingest's public key. Encrypts the job link (CURVE), and requires ONTHEMAP_KEY_FILE. SIGHUP \
      reloads the file. Without an allowlist, the link is unencrypted.
      """)
  static let allowProducers = Setting(
    "ONTHEMAP_ALLOW_PRODUCERS", flag: "--allow-producers", example: "anyone",
    summary: "File of the producers' public keys (allowlist), or anyone. Enables CURVE on --submit.",
    explanation: """
      Allowlist of producers: a file with one public key and name per line, or anyone. The word anyone admits every \
      client that knows ingest's public key. Encrypts the submission link (CURVE), and requires ONTHEMAP_KEY_FILE. \
      Producers also need a token. SIGHUP reloads the file. Without an allowlist, the link is unencrypted.
      """)
  static let allowGateways = Setting(
    "ONTHEMAP_ALLOW_GATEWAYS", flag: "--allow-gateways", example: "/etc/onthemap/gateways.keys",
    summary: "File of the gateways' public keys (allowlist). Enables CURVE on --gateways.",
    explanation: """
      Allowlist of gateways: a file with one public key and name per line. Ingest believes a gateway about the \
      addresses of its clients, so anyone is refused. Encrypts the gateway link (CURVE), and requires \
      ONTHEMAP_KEY_FILE. SIGHUP reloads the file. Without an allowlist, the link is unencrypted.
      """)
  static let allowFeeds = Setting(
    "ONTHEMAP_ALLOW_FEEDS", flag: "--allow-feeds", example: "/etc/onthemap/feeds.keys",
    summary: "File of the feeds' public keys (allowlist), or anyone. Enables CURVE on --changes.",
    explanation: """
      Allowlist of feeds: a file with one public key and name per line, or anyone. The word anyone admits every client \
      that knows ingest's public key. With ONTHEMAP_MAP_ACCESS=members, anyone is refused. Encrypts the change log \
      (CURVE), and requires ONTHEMAP_KEY_FILE. SIGHUP reloads the file. Without an allowlist, the link is unencrypted.
      """)
  static let admin = Setting(
    "ONTHEMAP_ADMIN", flag: "--admin", default: .described("ipc://DATA/admin.sock"),
    example: "ipc://./data/admin.sock",
    summary: "Address to bind for the admin tools (queue, user, top), ipc or loopback.",
    explanation: """
      Address to bind for the admin tools (queue, user, top), ipc or loopback. Default: a socket in the data folder \
      that only ingest's user can open. Every user of this host can reach a loopback address.
      """)
  static let operations = Setting(
    "ONTHEMAP_OPERATIONS", flag: "--operations", default: .value("127.0.0.1:9464"),
    summary: "Address for /metrics, /livez and /readyz, HOST:PORT, or none.",
    explanation: """
      Address for /metrics, /livez and /readyz of ingest or up, HOST:PORT, or none. It has no authentication. If the \
      default port is in use, the process takes a free port.
      """)
}
