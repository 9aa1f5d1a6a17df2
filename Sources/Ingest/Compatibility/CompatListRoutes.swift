import Domain
import Foundation
import HTTPTypes
import Hummingbird
import Store
import Web

/// Routes that list posts for clients of the original service, as `StudentLocation` under three paths.
struct CompatListRoutes: Sendable {
  let database: any PostReader
  let latest: LatestListCache
  let site: Site
  let viewers: MapAuthorization

  func add(to router: Router<ConnectionContext>) {
    for path in CompatResponseFormat.lists {
      router.get(RouterPath(path)) { request, context in try await list(request, context) }
    }
    // Parse returned an empty list for an unknown class. Some apps escape the question mark before their query, and
    // thereby request an unknown class.
    for path in CompatResponseFormat.otherClasses {
      router.get(RouterPath(path)) { request, _ in
        try await viewers.authorize(request)
        return Response(ListedPost.json([]))
      }
      router.respondMethodNotAllowed(at: RouterPath(path), allow: .get)
    }
  }

  private func list(_ request: Request, _ context: ConnectionContext) async throws -> Response {
    try await viewers.authorize(request)
    let query = try CompatListRoutes.query(Query(request))
    guard query != ListQuery() else { return Response(json: try await latest.compat()) }
    return Response(ListedPost.json(try await database.listed(query, for: ScanClient(request, context, site))))
  }

  /// Parses the query of a list. Ignores an unknown `order`, because one client in use misspells it.
  static func query(_ parameters: Query) throws -> ListQuery {
    var query = ListQuery()
    query.limit = min(try number("limit", of: parameters) ?? query.limit, Limits.pagePostsMax)
    query.skip = try number("skip", of: parameters) ?? query.skip
    guard query.skip <= Limits.skipMax else {
      throw Problem.parse(102, "skip must be at most \(Limits.skipMax); use a condition on updatedAt instead")
    }
    for key in (parameters["order"] ?? "").split(separator: ",") {
      let name = key.drop { $0 == "-" || $0 == "+" || $0 == " " }
      guard let order = ["updatedAt": ListQuery.Order.updatedAt, "createdAt": .createdAt][String(name)] else {
        continue
      }
      (query.order, query.isDescending) = (order, key.hasPrefix("-"))
      // No two posts have an equal time, so further keys change nothing.
      break
    }
    var conditions: [ListCondition] = []
    if let text = parameters["where"], !text.isEmpty { conditions.append(try condition(text)) }
    if let key = parameters["uniqueKey"] { conditions.append(try condition(.object(["uniqueKey": .string(key)]))) }
    if !conditions.isEmpty { query.condition = conditions.count == 1 ? conditions[0] : .all(conditions) }
    return query
  }

  private static func number(_ name: String, of parameters: Query) throws -> Int? {
    guard let text = parameters[name], !text.isEmpty else { return nil }
    guard let number = Int(text), number >= 0 else {
      throw Problem.parse(102, "\(name) must be a whole number, 0 or more")
    }
    return number
  }

  private static func condition(_ text: String) throws -> ListCondition {
    guard let value = try? RequestBody.decoded(JSONValue.self, text.utf8, JSONDecoder()) else {
      throw Problem.parse(107, "where is not valid JSON, or names a field twice")
    }
    return try condition(value)
  }

  private static func condition(_ value: JSONValue) throws -> ListCondition {
    do { return try ListCondition(value) } catch { throw Problem.parse(102, error.reason) }
  }
}

extension ListedPost {
  static func json(_ posts: [ListedPost]) -> JSONWriter {
    .object { json in json.array("results", posts) { $1.write(to: &$0) } }
  }

  fileprivate func write(to json: inout JSONWriter) {
    json.add("objectId", entry.id.description)
    json.add("uniqueKey", "\(entry.account.rawValue)")
    json.add("firstName", entry.firstName)
    json.add("lastName", entry.lastName)
    json.add("mapString", entry.place)
    json.add("mediaURL", linkText ?? entry.link)
    json.add("latitude", entry.coordinate.latitude)
    json.add("longitude", entry.coordinate.longitude)
    json.add("createdAt", unixMs: entry.createdMs)
    json.add("updatedAt", unixMs: entry.updatedMs)
  }
}
