import Domain
import HTTPTypes
import Hummingbird
import Logging
import Messaging
import Web

/// A gateway's copy of the list, from feeds, and the decision to serve it. Any thread.
struct GatewayList: Sendable {
  private let ingest: IngestStatus
  private let latest = CurrentList()

  init(ingest: IngestStatus) { self.ingest = ingest }

  /// The list to serve. Nil if the gateway forwards requests for the list: ingest's map is members-only or unknown, the
  /// list is of another epoch, or it may be behind while ingest is available.
  ///
  /// While ingest is unavailable, a stale list is served too, marked as stale. It is all that people can read.
  var revision: ListRevision? {
    let ingest = ingest.current
    guard ingest.site?.isMapPublic == true, let revision = latest.revision, revision.state.epoch == ingest.epoch,
      !revision.isStale || !ingest.isAvailable
    else { return nil }
    return revision
  }

  /// Returns the response to a request for the list. Nil for any other request, and if the gateway forwards it.
  ///
  /// - Throws: `invalid_country` or `invalid_bbox`.
  func response(to request: Request, at path: String) throws(Problem) -> Response? {
    guard path == "/v2/feed", request.method == .get || request.method == .head, let revision else { return nil }
    let response = try revision.response(to: request)
    return request.method == .head ? response.createHeadResponse() : response
  }

  /// The gateway's remark in the readiness of its process. Nil if it serves the list, or must not show it.
  func check() throws(Problem) -> String? {
    guard ingest.current.site?.isMapPublic == true, revision == nil else { return nil }
    return "the feeds have no current list; requests for the list go to ingest"
  }

  /// Processes an event of the subscription. Reactor's thread.
  func receive(_ event: FeedSubscriber.Event, logger: Logger) {
    switch event {
    case .list(let state, let isStale):
      latest.replace(state, isStale: isStale)
      logger.notice("list received", metadata: ["seq": "\(state.seq)", "entries": "\(state.entries.count)"])
      if let epoch = ingest.current.epoch, epoch != state.epoch {
        logger.warning(
          "list not served: the feed has another ingest", metadata: ["epoch": "\(state.epoch)", "ingest": "\(epoch)"])
      }
    case .changes(_, let state): latest.replace(state)
    case .stale(let isStale): latest.set(isStale: isStale)
    case .desynced(let reason):
      latest.set(isStale: true)
      logger.notice("list outdated: forwarding requests for it", metadata: ["reason": "\(reason)"])
    }
  }
}
