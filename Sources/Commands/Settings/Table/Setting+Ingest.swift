import Domain
import SignIn

/// Settings of ingest.
extension Setting {
  static let data = Setting(
    "ONTHEMAP_DATA", flag: "--data", default: .value("./data"),
    summary: "Folder of the database.",
    explanation: "The folder of the database; made when it is missing.")
  static let http = Setting(
    "ONTHEMAP_HTTP", flag: "--http", default: .value("127.0.0.1:8080"),
    summary: "Ingest's address for HTTP, HOST:PORT.",
    explanation: "HTTP, for people and programs: host and port. Plain; TLS ends in a reverse proxy in front of it.")
  static let jobs = Setting(
    "ONTHEMAP_JOBS", flag: "--jobs", default: .value("tcp://127.0.0.1:7701"),
    summary: "Address for workers.",
    explanation: "Where geocoders connect to.")
  static let changes = Setting(
    "ONTHEMAP_CHANGES", flag: "--changes", default: .value("tcp://127.0.0.1:7702"),
    summary: "Address for feeds.",
    explanation: "Where feeds connect to.")
  static let submit = Setting(
    "ONTHEMAP_SUBMIT", flag: "--submit", default: .value("tcp://127.0.0.1:7700"),
    summary: "Address for producers.",
    explanation: """
      Where producers connect to, that post many at once. Private network only: their tokens go in plain text.
      """)
  static let origin = Setting(
    "ONTHEMAP_ORIGIN", flag: "--origin", example: "https://map.example.org",
    summary: "What people open; https:// makes cookies secure.",
    explanation: """
      The address by which browsers know the service; https:// makes its cookies Secure. Empty by default.
      """)
  static let trustedProxies = Setting(
    "ONTHEMAP_TRUSTED_PROXIES", flag: "--trusted-proxies", example: "127.0.0.1,::1",
    summary: """
      Addresses or networks of proxies in front, whose X-Forwarded-For counts, with commas: 127.0.0.1,10.0.0.0/8.
      """,
    explanation: """
      Proxies in front of ingest or feed, addresses or networks with commas: their X-Forwarded-For says who asks, and \
      they may have more connections than one address may. Empty by default: then whoever connects is the one who \
      asks.
      """)
  static let corsOrigins = Setting(
    "ONTHEMAP_CORS_ORIGINS", flag: "--cors-origins", example: "https://app.example.org",
    summary: "Origins of other sites whose pages may use the API with a token, with commas: https://app.example.org.",
    explanation: """
      Origins of other sites whose pages may use the API from a browser, with commas: with a token, cookies are not \
      sent. Empty by default: then none.
      """)
  static let feedURL = Setting(
    "ONTHEMAP_FEED_URL", flag: "--feed-url", example: "https://feed.example.org",
    summary: """
      Where browsers reach the feed's HTTP, such as https://feed.example.org; without it the page asks ingest every \
      few seconds, unless up runs the feed too.
      """,
    explanation: """
      Where browsers reach the feed's HTTP: a page hears there what is new. Default: with up, its feed's port at the \
      host of the page, unless the origin is https; otherwise none, and pages ask ingest every few seconds.
      """)
  static let viewing = Setting(
    "ONTHEMAP_VIEWING", flag: "--viewing", default: .value("open"),
    summary: """
      Who sees the map: open for everybody, closed for accounts alone (over ZeroMQ: for subscribers and feeds with a \
      key on a list; workers see the places of posts). For events in a browser ingest and feeds share a text of \
      \(Limits.viewKeyBytesMin) bytes or more then, in a file that ONTHEMAP_VIEW_KEY_FILE names; up needs none.
      """,
    explanation: """
      Who sees the map: open for everybody, closed for accounts alone. At ingest and at feeds, which then serve over \
      HTTP only whom ingest has let in. ZeroMQ knows no accounts: with closed, ONTHEMAP_ALLOW_SUBSCRIBERS and \
      ONTHEMAP_ALLOW_FEEDS must name a file, not anyone. A feed and ingest warn at their start of each port that \
      shows the map, or the places of posts, to other hosts in plain text; ingest also where ONTHEMAP_ALLOW_WORKERS \
      is anyone.
      """)
  static let viewKey = Setting(
    "ONTHEMAP_VIEW_KEY", isSecret: true,
    explanation: """
      A text of \(Limits.viewKeyBytesMin) bytes or more (openssl rand -hex 32) that ingest and feeds share where \
      viewing is closed, or better a file that holds it, readable by its owner only. Feeds need it then; without it at \
      ingest pages ask every few seconds; up makes its own. No default.
      """)
  static let viewKeyFile = Setting(
    "ONTHEMAP_VIEW_KEY_FILE", example: "/etc/onthemap/view-key")
  static let tiles = Setting(
    "ONTHEMAP_TILES", flag: "--tiles", default: .described("an outline of the world"),
    example: "https://tile.example.org/{z}/{x}/{y}.png",
    summary: "Raster tiles under the map, https://tile.example.org/{z}/{x}/{y}.png, with --tiles-attribution.",
    explanation: """
      Raster tiles under the map of the page, an address with {z}, {x} and {y}; by default the page draws an outline \
      of the world that it brings. Browsers ask that server, and so tell it what they look at.
      """)
  static let tilesAttribution = Setting(
    "ONTHEMAP_TILES_ATTRIBUTION", flag: "--tiles-attribution",
    example: "© Example contributors https://tile.example.org/about",
    summary: "Whose tiles they are, shown on the map; an address at the end becomes a link.",
    explanation: "Whose tiles they are, shown on the map; an address at its end becomes a link. Needed with tiles.")
  static let signUp = Setting(
    "ONTHEMAP_SIGN_UP", flag: "--sign-up", default: .value("open"),
    summary: "Who makes accounts: open for anybody, closed for onthemap user.",
    explanation: """
      Who makes accounts: open for anybody who signs up, closed for the operator alone, with onthemap user.
      """)
  static let oidcIssuer = Setting(
    "ONTHEMAP_OIDC_ISSUER", flag: "--oidc-issuer", default: .described("none"),
    example: "https://login.example.org/realm",
    summary: "The provider of OpenID Connect, exactly as it names itself; https, or http to this host; takes --origin.",
    explanation: """
      A provider of OpenID Connect at which people may log in, exactly as it names itself; https, or http to this \
      host. It sends them back to ONTHEMAP_ORIGIN, which must be set then. None by default.
      """)
  static let oidcClientID = Setting(
    "ONTHEMAP_OIDC_CLIENT_ID", flag: "--oidc-client-id", example: "onthemap",
    summary: """
      The client's id there; its secret: ONTHEMAP_OIDC_CLIENT_SECRET, or in a file that \
      ONTHEMAP_OIDC_CLIENT_SECRET_FILE names; none for a public client.
      """,
    explanation: "The id of the client that you made there. No default.")
  static let oidcClientSecret = Setting(
    "ONTHEMAP_OIDC_CLIENT_SECRET", isSecret: true,
    explanation: """
      The client's secret, or better a file that holds it, readable by its owner only; neither for a public client.
      """)
  static let oidcClientSecretFile = Setting(
    "ONTHEMAP_OIDC_CLIENT_SECRET_FILE", example: "/etc/onthemap/oidc-secret")
  static let oidcName = Setting(
    "ONTHEMAP_OIDC_NAME", flag: "--oidc-name", default: .described("its host"), example: "Example",
    summary: "What people see of the provider.",
    explanation: "What people see of the provider. Default: its host.")
  static let facebookAppID = Setting(
    "ONTHEMAP_FACEBOOK_APP_ID", flag: "--facebook-app-id", default: .described("nobody may"), example: "1234567890",
    summary: """
      The app's id at Facebook, where people may log in with it; its secret: ONTHEMAP_FACEBOOK_APP_SECRET, or in a \
      file that ONTHEMAP_FACEBOOK_APP_SECRET_FILE names.
      """,
    explanation: """
      Login with Facebook, for apps that have an access token from it: the id of your app there. Nobody may by \
      default.
      """)
  static let facebookAppSecret = Setting(
    "ONTHEMAP_FACEBOOK_APP_SECRET", isSecret: true,
    explanation: "The app's secret, or better a file that holds it, readable by its owner only. No default.")
  static let facebookAppSecretFile = Setting(
    "ONTHEMAP_FACEBOOK_APP_SECRET_FILE", example: "/etc/onthemap/facebook-secret")
  static let facebookGraph = Setting(
    "ONTHEMAP_FACEBOOK_GRAPH", flag: "--facebook-graph", default: .value(FacebookConfiguration.defaultGraph),
    summary: "The Graph API with its version; https, or http to this host.",
    explanation: "Where Facebook is asked whose token it is: the Graph API, with its version.")
  static let queueWaitMax = Setting(
    "ONTHEMAP_QUEUE_WAIT_MAX", flag: "--queue-wait-max", default: .value("\(Limits.queueWaitMaxMs / 1_000)"),
    summary: """
      Seconds, \(Limits.queueWaitMaxSecondsRange.words); while a post waits so long for a geocoder, no more are taken.
      """,
    explanation: """
      Seconds, \(Limits.queueWaitMaxSecondsRange.words). While a post has waited so long for a geocoder, posts are \
      refused with 503, for nobody should be promised what is not to be seen within that time; with geocoders back \
      they are taken again by themselves.
      """)
  static let postsPerMinute = Setting(
    "ONTHEMAP_POSTS_PER_MINUTE", flag: "--posts-per-minute", default: .described("as many as it can"), example: "60",
    summary: "Posts and edits of one account a minute, \(Limits.postsPerMinuteRange.words).",
    explanation: """
      Posts and edits that one account may make in a minute, \(Limits.postsPerMinuteRange.words): as many at once, and \
      from then on at that rate; above it 429, or BUSY over ZeroMQ. Where anybody may sign up, 60 leaves room for all \
      who type. By default an account makes as many as it can.
      """)
  static let remoteRate = Setting(
    "ONTHEMAP_REMOTE_RATE", flag: "--remote-rate", default: .value(decimal(Limits.remotePerSecond)),
    summary: "Requests a second to remote providers, of all workers, \(Limits.remotePerSecondRange.words).",
    explanation: """
      Requests a second to remote providers, of all geocoders together: \(Limits.remotePerSecondRange.words). Public \
      servers of Nominatim and Photon get one at most, whatever is set.
      """)
  static let allowWorkers = Setting(
    "ONTHEMAP_ALLOW_WORKERS", flag: "--allow-workers", example: "/etc/onthemap/workers.keys",
    summary: "Workers' public keys, a file, or the word anyone; --jobs uses keys then.",
    explanation: """
      Who may connect as a geocoder: a file of public keys, one a line with a name behind it; or the word anyone. The \
      job link uses keys then. No default.
      """)
  static let allowProducers = Setting(
    "ONTHEMAP_ALLOW_PRODUCERS", flag: "--allow-producers", example: "anyone",
    summary: "Producers' public keys, a file, or the word anyone; --submit uses keys then.",
    explanation: "The same of producers, at submission; they have a token besides.")
  static let allowFeeds = Setting(
    "ONTHEMAP_ALLOW_FEEDS", flag: "--allow-feeds", example: "/etc/onthemap/feeds.keys",
    summary: "Feeds' public keys, a file, or the word anyone; --changes uses keys then.",
    explanation: "The same of feeds, at the change log; not the word anyone where viewing is closed.")
  static let admin = Setting(
    "ONTHEMAP_ADMIN", flag: "--admin", default: .described("ipc://DATA/admin.sock"),
    example: "ipc://./data/admin.sock",
    summary: "Address for queue and top, ipc or loopback.",
    explanation: """
      Where queue and top ask and steer it: a socket that only ingest's user may open, in the folder of the database \
      by default, or an address on loopback, which everybody on this host may reach.
      """)
  static let operations = Setting(
    "ONTHEMAP_OPERATIONS", flag: "--operations", default: .value("127.0.0.1:9464"),
    summary: "Address for /metrics, /livez and /readyz, HOST:PORT, or none.",
    explanation: """
      Where ingest, or up, is asked about itself over HTTP: /metrics for Prometheus, /livez, /readyz; or the word \
      none. Nobody is asked who he is there. A default that is taken is replaced by a free port.
      """)
}
