import Feed
import Foundation
import Messaging
import Web

/// Check that ingest, its feeds and its gateways show the map to the same people. The links between them do not carry
/// the setting of a feed, so the check compares responses over HTTP.
enum MapAccessCheck {
  private static let id = "map-access"

  /// Returns the result for a feed and the ingest of this host.
  ///
  /// - Parameter ingestURL: HTTP address of ingest. Nil if ingest is on another host.
  static func run(_ feed: FeedConfiguration, ingestURL: String?) async -> Check {
    guard let ingestURL else {
      return .notChecked(id, "ingest is on another host: compare ONTHEMAP_MAP_ACCESS there")
    }
    return judge(
      ingest: isMembersOnly(await HealthChecks.get("\(ingestURL)/v2/feed")), feed: feed.mapAccess.isMembersOnly)
  }

  /// Returns true if a server shows the list to members only. Nil if the response does not tell it.
  ///
  /// - Parameter reply: The response to a request for the list without a credential.
  static func isMembersOnly(_ reply: Result<HTTPProbe.Reply, HTTPProbe.Failure>) -> Bool? {
    guard case .success(let reply) = reply else { return nil }
    switch reply.status {
    case 200: return reply.body.contains("\"entries\"") ? false : nil
    case 401: return ["session_required", "ticket_required"].contains { reply.body.contains($0) } ? true : nil
    // A feed without a list checks the ticket first.
    case 503: return reply.body.contains("feed_unavailable") ? false : nil
    default: return nil
    }
  }

  /// Returns the result for the access at ingest and at a feed. Nil stands for an unknown one.
  static func judge(ingest: Bool?, feed: Bool?) -> Check {
    guard let ingest else { return .notChecked(id, "ingest does not report who may see the map") }
    guard let feed else { return .notChecked(id, "the feed does not report who may see the map") }
    switch (ingest, feed) {
    case (true, true): return .ok(id, "the map is members-only at ingest and at the feed")
    case (false, false): return .ok(id, "the map is public at ingest and at the feed")
    case (true, false):
      return .failure(
        id, "the map is members-only at ingest, and the feed shows it to everybody",
        remedy: "Set ONTHEMAP_MAP_ACCESS=members and ONTHEMAP_MAP_ACCESS_SECRET_FILE at the feed")
    case (false, true):
      return .warning(
        id, "the map is public at ingest, and the feed requires a ticket that ingest does not issue",
        remedy: "Set the same ONTHEMAP_MAP_ACCESS at ingest and at the feed")
    }
  }

  /// Returns the result for a gateway with feeds.
  ///
  /// - Parameter site: The site by ingest's answer. Nil without an answer.
  static func gateway(_ site: GatewaySite?) -> Check {
    guard let site else { return .notChecked(id, "ingest does not report who may see the map") }
    guard !site.isMapPublic else { return .ok(id, "the map is public, so the gateway serves the list of its feeds") }
    return .warning(
      id, "the map is members-only, so the gateway does not use its feeds",
      remedy: "Remove ONTHEMAP_GATEWAY_FEED")
  }
}
