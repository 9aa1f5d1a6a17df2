import Domain
import HTTPTypes
import Hummingbird
import Web

/// Routes of lookups: `/v2/geocode` finds places by text, and `/v2/reverse` finds places near a point. Lookups need no
/// session.
struct GeocodeRoutes: Sendable {
  let lookups: Lookups

  func add(to router: Router<ConnectionContext>) {
    router.get("/v2/geocode") { try await respond(try Self.forward(Query($0)), $1) }
    router.get("/v2/reverse") { try await respond(try Self.reverse(Query($0)), $1) }
    for path in ["/v2/geocode", "/v2/reverse"] as [RouterPath] { router.respondMethodNotAllowed(at: path, allow: .get) }
  }

  private func respond(_ query: PlaceQuery, _ context: ConnectionContext) async throws -> Response {
    let places = try await lookups.places(query, onWaitEnd: context.onWaitEnd)
    guard !places.isEmpty else {
      throw query.kind == .reverse
        ? Problem(.notFound, "place_not_found", "no place found near \(query.text)")
        : Problem(.notFound, "place_not_found", "no place found for \"\(query.text)\"", field: "q")
    }
    return Response(
      .object { json in
        json.add("query", query.text)
        json.array("places", places) { $1.write(to: &$0) }
        json.add("attribution", Place.attribution(of: places))
      })
  }

  private static func forward(_ parameters: Query) throws -> PlaceQuery {
    var query = PlaceQuery("", limit: Limits.candidatesDefault, isDetailed: true)
    try read([.text, .limit, .country, .focus, .language, .level, .autocomplete], of: parameters, into: &query)
    if let reason = VisibleText(query.text).refusalReason {
      throw Problem(.badRequest, "invalid_q", "q \(reason)", field: "q")
    }
    return query
  }

  private static func reverse(_ parameters: Query) throws -> PlaceQuery {
    let (latitude, longitude) = (parameters["lat"] ?? "", parameters["lon"] ?? "")
    // Check latitude and longitude separately, to report which of the two is wrong.
    guard Coordinate(latitude: latitude, longitude: "0") != nil else {
      throw invalid("lat", "degrees from -90 to 90, such as 47.6", latitude)
    }
    guard let point = Coordinate(latitude: latitude, longitude: longitude) else {
      throw invalid("lon", "degrees from -180 to 180, such as -122.3", longitude)
    }
    var query = PlaceQuery(point.text, kind: .reverse, limit: Limits.candidatesDefault, isDetailed: true)
    try read([.limit, .country, .language, .level], of: parameters, into: &query)
    return query
  }

  private static func read(
    _ options: [PlaceQuery.Option], of parameters: Query, into query: inout PlaceQuery
  ) throws {
    for option in options {
      let name = name(of: option)
      do { try query.set(option, to: parameters[name] ?? "") } catch {
        throw invalid(name, error.expected, error.actual)
      }
    }
  }

  /// Returns the parameter name of an option. The names follow other geocoders where those agree.
  private static func name(of option: PlaceQuery.Option) -> String {
    switch option {
    case .text: "q"
    case .limit, .country, .focus, .language, .level, .autocomplete: option.rawValue
    }
  }

  private static func invalid(_ name: String, _ expected: String, _ actual: String) -> Problem {
    let actual = actual.safeLine(bytesMax: Limits.quotedTextBytesMax)
    return Problem(.badRequest, "invalid_\(name)", "\(name) must be \(expected), not \"\(actual)\"", field: name)
  }
}
