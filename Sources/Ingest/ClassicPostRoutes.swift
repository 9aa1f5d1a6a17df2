import HTTPTypes
import Hummingbird
import OnTheMap
import Store
import Web

/// Posting, editing and deleting as clients of the original service do. A post is its caller's, whoever the body says
/// that it is: its key and the names are the account's.
struct ClassicPostRoutes: Sendable {
  let database: IngestDatabase
  let queue: PostQueue
  let sessions: Sessions
  let site: Site

  func add(to router: Router<ConnectionContext>) {
    for list in ClassicForm.lists {
      let post = "\(list)/{id}"
      router.post(RouterPath(list)) { request, _ in try await create(request) }
      router.put(RouterPath(post)) { request, context in
        try await edit(context.parameters.get("id"), request, whenGone: context.whenClientGone)
      }
      router.delete(RouterPath(post)) { request, context in try await delete(context.parameters.get("id"), request) }
      router.refuseOthers(at: RouterPath(list), than: .get, .post)
      router.refuseOthers(at: RouterPath(post), than: .put, .delete)
    }
  }

  private func create(_ request: Request) async throws -> Response {
    let caller = try await Caller.identify(request, sessions: sessions, site: site)
    let body = try await ClassicPost(request)
    guard let place = body.place, !place.trimmedLine.isEmpty else {
      throw Problem.parse(142, "mapString is required for a Student Location")
    }
    let submission = try body.submission(place: place, link: body.link ?? "", coordinate: nil)
    let (accepted, waits) = try await queue.accept(
      submission, account: caller.account.id, idempotency: nil, waits: true)
    if waits { await queue.outcome(of: accepted.id, withinMs: Limits.classicWaitMs) }
    if let reason = try await database.post(accepted.id)?.reason { throw Problem.parse(142, reason.detail) }
    return ClassicForm.plain.response(
      .object { json in
        json.add("objectId", accepted.id.description)
        json.add("createdAt", unixMs: accepted.createdMs)
      })
  }

  /// What the body does not have stays as it is.
  private func edit(
    _ id: String?, _ request: Request, whenGone: (@escaping @Sendable () -> Void) -> Void
  ) async throws -> Response {
    let caller = try await Caller.identify(request, sessions: sessions, site: site)
    let body = try await ClassicPost(request)
    guard let id = id.flatMap({ PostID($0) }) else { throw Problem.postNotFound }
    // Whoever edits what has just been posted need not know that it is looked up still.
    try await queue.settlement(of: id, withinMs: Limits.classicWaitMs)
    guard let post = try await database.post(id), post.account == caller.account.id else { throw Problem.postNotFound }
    // A point that nobody gave goes with the place that it was found for.
    let isGiven = post.outcome.map { $0.agreement != .found } ?? true
    let keeps = isGiven && (body.place ?? post.place) == post.place
    let submission = try body.submission(
      place: body.place ?? post.place, link: body.link ?? post.linkText ?? post.link,
      coordinate: keeps ? post.coordinate : nil)
    let edited = try await queue.edit(id, of: caller.account.id, submission, whenGone: whenGone)
    return ClassicForm.plain.response(.object { json in json.add("updatedAt", unixMs: edited.updatedMs) })
  }

  private func delete(_ id: String?, _ request: Request) async throws -> Response {
    let caller = try await Caller.identify(request, sessions: sessions, site: site)
    guard let id = id.flatMap({ PostID($0) }) else { throw Problem.postNotFound }
    try await queue.delete(id, of: caller.account.id)
    return ClassicForm.plain.response(.object { _ in })
  }
}

/// The members of a student location that count; the others may be anything.
private struct ClassicPost {
  let place: String?
  let link: String?
  private let latitude: Double?
  private let longitude: Double?

  init(_ request: Request) async throws {
    let body = try await RequestBody.decode(JSONValue.self, from: request)
    guard case .object = body else { throw Problem.parse(107, "invalid JSON") }
    func text(_ name: String) throws -> String? {
      guard let value = body[name] else { return nil }
      guard let text = value.string else { throw Problem.mismatch(name, "String", value) }
      return text
    }
    func number(_ name: String) throws -> Double? {
      guard let value = body[name] else { return nil }
      guard let number = value.number else { throw Problem.mismatch(name, "Number", value) }
      return number
    }
    for name in ["firstName", "lastName"] { _ = try text(name) }
    (place, link) = (try text("mapString"), try text("mediaURL"))
    (latitude, longitude) = (try number("latitude"), try number("longitude"))
  }

  /// - Parameter coordinate: where the body has none.
  func submission(place: String, link: String, coordinate: Coordinate?) throws -> Submission {
    let isGiven = latitude != nil || longitude != nil
    do {
      return try Submission(
        place: place, link: link, latitude: isGiven ? latitude : coordinate?.latitude,
        longitude: isGiven ? longitude : coordinate?.longitude, takesAnyLink: true)
    } catch {
      let names = ["place": "mapString", "link": "mediaURL"]
      throw Problem.parse(142, "\(names[error.field] ?? error.field) \(error.reason)")
    }
  }
}

extension Problem {
  fileprivate static func mismatch(_ name: String, _ expected: String, _ value: JSONValue) -> Problem {
    parse(
      111, "schema mismatch for StudentLocation.\(name); expected \(expected) but got \(value.typeName)")
  }
}
