import HTTPTypes
import Hummingbird
import OnTheMap
import Store
import Web

/// What needs no session: `/v2/geocode`, the list as it is on disk at `/v2/feed`, and `/livez`.
struct PublicRoutes: Sendable {
  let database: IngestDatabase
  let lookups: Lookups

  func add(to router: Router<BasicRequestContext>) {
    router.get("/livez") { _, _ in Response(status: .noContent) }
    router.get("/") { _, _ in
      Response(
        status: .ok, headers: [.contentType: "text/plain; charset=utf-8"],
        body: ResponseBody(byteBuffer: ByteBuffer(string: PublicRoutes.welcome)))
    }
    router.get("/v2/feed") { _, _ in Response(try await database.latest().json) }
    router.get("/v2/geocode") { request, _ in try await geocode(request) }
    for path in ["/livez", "/", "/v2/feed", "/v2/geocode"] as [RouterPath] { router.refuseOthers(at: path, than: .get) }
  }

  private func geocode(_ request: Request) async throws -> Response {
    let query = Query(request)
    let text = query["q"]?.trimmedLine ?? ""
    guard (1...Limits.placeBytesMax).contains(text.utf8.count), text.isSafeLine else {
      throw Problem(
        .badRequest, "invalid_q", "q must be a place of 1 to \(Limits.placeBytesMax) bytes, such as q=Seattle,%20WA",
        field: "q")
    }
    guard let limit = Int(query["limit"] ?? "5"), (1...Limits.candidatesMax).contains(limit) else {
      throw Problem(
        .badRequest, "invalid_limit", "limit must be a number from 1 to \(Limits.candidatesMax)", field: "limit")
    }
    let country = (query["country"] ?? "").uppercased()
    guard country.isEmpty || country.utf8.count == 2 && country.utf8.allSatisfy({ (65...90).contains($0) }) else {
      throw Problem(.badRequest, "invalid_country", "country must be two letters, such as US", field: "country")
    }
    let places = try await lookups.places(text, limit: limit, country: country)
    guard !places.isEmpty else {
      throw Problem(.notFound, "place_not_found", "no place is known by \"\(text)\"", field: "q")
    }
    return Response(
      .object { json in
        json.add("query", text)
        json.array("places", places) { $1.write(to: &$0) }
      })
  }

  private static let welcome = """
    On The Map: say where you are, add a link, and everybody sees it.

      POST /v2/accounts      {"email", "password", "firstName", "lastName"}
      POST /v2/session       {"email", "password"}
      POST /v2/posts         {"place", "link"}, with Authorization: Bearer TOKEN
      GET  /v2/posts/ID      what became of a post
      GET  /v2/geocode?q=    places for a text
      GET  /v2/feed          the latest \(Limits.feedEntriesMax)

    """
}
