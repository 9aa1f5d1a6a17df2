import Domain
import HTTPTypes
import Hummingbird
import Logging
import Messaging
import Synchronization
import Web

/// A gateway's copy of the list, from feeds, and the decision to serve it. Any thread.
final class GatewayList: Sendable {
  private let ingest: IngestStatus
  private let latest = CurrentList()
  /// The last list of the time with ingest, marked as stale. Only ingest knows who may see later changes.
  private let kept = CurrentList()
  /// True if a post of `kept` has left the feed's list. It may be deleted, so the gateway no longer serves `kept`.
  private let isKeptWithdrawn = Atomic(false)
  /// Number of successive Welcomes for which the feed has had the list of another ingest.
  private let mismatches = Mutex(0)
  /// True if the map was members-only by the last Welcome with a site.
  private let isMembersOnly = Mutex(false)

  init(ingest: IngestStatus) { self.ingest = ingest }

  /// The list to serve. Nil if the gateway forwards requests for the list: ingest's map is members-only or unknown, the
  /// list is of another epoch, or it may be behind while ingest is available.
  ///
  /// While ingest is unavailable, the list is the last one before, marked as stale, until one of its posts leaves the
  /// feed's list. The map may be members-only since then, at an ingest that this gateway does not reach.
  var revision: ListRevision? {
    let ingest = ingest.current
    guard ingest.isAvailable || !isKeptWithdrawn.load(ordering: .relaxed), ingest.site?.isMapPublic == true,
      let revision = (ingest.isAvailable ? latest : kept).revision, revision.state.epoch == ingest.epoch,
      !revision.isStale || !ingest.isAvailable
    else { return nil }
    return revision
  }

  /// Processes a Welcome: keeps the list, and warns about a members-only map and a feed of another ingest. Reactor's
  /// thread.
  func welcomed(logger: Logger) {
    noteAccess(logger: logger)
    guard let epoch = ingest.current.epoch, let state = latest.state, !latest.isStale else { return }
    let count = mismatches.withLock { count in
      count = state.epoch == epoch ? 0 : count + 1
      return count
    }
    // After a restore, the feed soon has the new epoch.
    if count == Limits.gatewayListMismatches {
      logger.warning(
        "list not served: the feed has another ingest", metadata: ["epoch": "\(state.epoch)", "ingest": "\(epoch)"])
    }
    keep()
  }

  /// Warns about a members-only map, once until the map is public. The gateway forwards requests for its list, so the
  /// feeds have no effect.
  private func noteAccess(logger: Logger) {
    guard let site = ingest.current.site else { return }
    let isNew = isMembersOnly.withLock { isMembersOnly in
      defer { isMembersOnly = !site.isMapPublic }
      return !site.isMapPublic && !isMembersOnly
    }
    guard isNew else { return }
    logger.warning(
      """
      list not served: the map is members-only, so the feeds have no effect; remove ONTHEMAP_GATEWAY_FEED
      """)
  }

  /// Keeps the current list for the time without ingest.
  private func keep() {
    let ingest = ingest.current
    guard ingest.site?.isMapPublic == true, let state = latest.state, state.epoch == ingest.epoch, !latest.isStale,
      kept.state.map({ $0.epoch != state.epoch || $0.seq != state.seq }) ?? true
    else { return }
    kept.replace(state, isStale: true)
    isKeptWithdrawn.store(false, ordering: .relaxed)
  }

  /// Withdraws `kept` if one of its posts is not on the feed's list. A post that fell off may be deleted later, and the
  /// feed does not report this.
  private func checkKept(against state: FeedState) {
    guard let kept = kept.state else { return }
    let ids = Set(state.entries.map(\.id))
    guard kept.epoch != state.epoch || !kept.entries.allSatisfy({ ids.contains($0.id) }) else { return }
    isKeptWithdrawn.store(true, ordering: .relaxed)
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
    let isForeign = mismatches.withLock { $0 >= Limits.gatewayListMismatches }
    return "the feeds have \(isForeign ? "the list of another ingest" : "no current list"); "
      + "requests for the list go to ingest"
  }

  /// Processes an event of the subscription. Reactor's thread.
  func receive(_ event: FeedSubscriber.Event, logger: Logger) {
    switch event {
    case .list(let state, let isStale):
      latest.replace(state, isStale: isStale)
      if !ingest.current.isAvailable { checkKept(against: state) }
      logger.notice("list received", metadata: ["seq": "\(state.seq)", "entries": "\(state.entries.count)"])
    case .changes(_, let state):
      latest.replace(state)
      // A feed reports changes only with ingest, so only this gateway has lost ingest.
      if !ingest.current.isAvailable { checkKept(against: state) }
    case .stale(let isStale): latest.set(isStale: isStale)
    case .desynced(let reason):
      latest.set(isStale: true)
      logger.notice("list outdated: forwarding requests for it", metadata: ["reason": "\(reason)"])
    }
    if ingest.current.isAvailable { keep() }
  }
}
