import Domain
import HTTPTypes
import Hummingbird
import Web

/// Routes that need no session: `/livez`, `/readyz`, `/v2/version`, `/v2/limits`, and `/v2/feed` with the stored list.
/// On a members-only map, `/v2/feed` needs a session.
struct PublicRoutes: Sendable {
  let latest: LatestListCache
  let readiness: IngestReadiness
  let viewers: MapAuthorization

  func add(to router: Router<ConnectionContext>) {
    router.get("/livez") { _, _ in Response(status: .noContent) }
    // A paused queue still accepts posts, so it is ready.
    router.get("/readyz") { _, _ in PublicRoutes.response(try Readiness.text([readiness.check])) }
    router.get("/v2/feed") { request, _ in
      try await viewers.authorize(request)
      var response = try await latest.native().response(to: request)
      // A cache on the way must not keep what only members may see.
      if viewers.mapAccess.isMembersOnly { response.headers[.cacheControl] = "no-store" }
      return response
    }
    router.get("/v2/version") { _, _ in Response(.object { $0.add("version", ProductVersion.text) }) }
    router.get("/v2/limits") { _, _ in Response(PublicRoutes.limits) }
    for path in ["/livez", "/readyz", "/v2/feed", "/v2/version", "/v2/limits"] as [RouterPath] {
      router.respondMethodNotAllowed(at: path, allow: .get)
    }
  }

  /// Returns a response with a plain text for people.
  static func response(_ text: String) -> Response {
    Response(
      status: .ok, headers: [.contentType: "text/plain; charset=utf-8"],
      body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
  }

  /// Limits of requests, for clients that check before they send.
  private static let limits = JSONWriter.object { json in
    json.add("placeBytesMax", Limits.placeBytesMax)
    json.add("linkBytesMax", Limits.linkBytesMax)
    json.add("nameBytesMax", Limits.nameBytesMax)
    json.add("emailBytesMax", Limits.emailBytesMax)
    json.add("passwordBytesMin", Limits.passwordBytesMin)
    json.add("passwordBytesMax", Limits.passwordBytesMax)
    json.add("idempotencyKeyBytesMax", Limits.idempotencyKeyBytesMax)
    json.add("idempotencyDays", Limits.idempotencyDays)
    json.add("bodyBytesMax", Limits.requestBodyBytesMax)
    json.add("bulkPostsMax", Limits.bulkPostsMax)
    json.add("bulkBytesMax", Limits.bulkBytesMax)
    json.add("pagePostsMax", Limits.pagePostsMax)
    json.add("waitSecondsMax", Limits.waitSecondsMax)
    json.add("candidatesMax", Limits.candidatesMax)
    json.add("feedEntriesMax", Limits.feedEntriesMax)
    json.add("sessionDays", Limits.sessionDays)
  }
}
