import Domain
import Feed
import Ingest
import Messaging
import Worker

/// The configurations that a command has read from its settings.
struct ServicePlan: Sendable {
  /// Nil for a process without ingest.
  var ingest: IngestConfiguration?
  /// Store of ingest. Nil for a process without ingest.
  var store: StoreSelection?
  /// Nil for a process without a feed.
  var feed: FeedConfiguration?
  /// Nil for any other process than a gateway.
  var gateway: GatewayConfiguration?
  /// Configuration of a separate worker. Nil for any other process.
  var worker: WorkerConfiguration?
  /// Number of workers in the process.
  var workers = 0
  /// Address for operators. Port 0 selects a free one. Nil without such an address.
  var operations: (host: String, port: Int)?
  /// True if the operator has chosen the address for operators. Otherwise the process uses a free port if necessary.
  var hasOperationsSet = false
  /// False if libzmq would end this process, because it may open too few file descriptors.
  var canProbeLinks = true
  var keys: LinkKeys
  /// Size of the gazetteer file in bytes. 0 without workers.
  var gazetteerBytes: Int64 = 0

  /// True if a link of the process uses keys.
  var usesKeys: Bool {
    ingest?.usesKeys ?? false || feed?.publishCurve != nil || feed?.ingestCurve != nil || worker?.curve != nil
      || gateway?.curve != nil || gateway?.feedCurve != nil
  }

  /// Path of the folder with ingest's database. Nil without ingest, and if the database is elsewhere.
  var databaseFolder: String? { if case .sqlite(let folder) = store { folder } else { nil } }

  /// True if ingest, feed and workers share the process.
  var isAll: Bool { ingest != nil && feed != nil }

  /// Number of the HTTP servers of the process that serve many clients.
  var httpServers: Int { http.count }

  /// The addresses of ingest to which the process connects. It uses one of them at a time.
  var ingestLinks: [Endpoint] {
    if isAll { return [] }
    return feed?.ingest ?? worker?.ingest ?? gateway?.ingest ?? []
  }

  /// The links at which the process listens, with their addresses.
  var listening: [(link: LinkName, endpoint: Endpoint)] {
    let ofIngest = ingest.map { [(LinkName.submit, $0.submit), (.jobs, $0.jobs), (.changes, $0.changes)] } ?? []
    let ofGateways = ingest?.gateway.map { [(LinkName.gateway, $0)] } ?? []
    let ofFeed = feed.map { [(LinkName.feed, $0.publish), (.query, $0.query)] } ?? []
    return ofIngest + ofGateways + ofFeed
  }

  /// The HTTP addresses at which the process listens, with the identifiers of their checks.
  var http: [(id: String, host: String, port: Int)] {
    let ofIngest = ingest.map { [("address-http", $0.host, $0.port)] } ?? []
    let ofFeed = feed.map { [("address-feed-http", $0.host, $0.port)] } ?? []
    let ofGateway = gateway.map { [("address-gateway-http", $0.host, $0.port)] } ?? []
    return ofIngest + ofFeed + ofGateway
  }
}
