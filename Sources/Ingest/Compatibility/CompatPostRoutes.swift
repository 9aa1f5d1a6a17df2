import Domain
import HTTPTypes
import Hummingbird
import Store
import Web

/// Routes that create, edit and delete posts for clients of the original service. A post has the key and the names of
/// the caller's account, whatever the body says.
struct CompatPostRoutes: Sendable {
  let database: any PostReader
  let queue: PostPipeline
  let sessions: Sessions
  let site: Site

  func add(to router: Router<ConnectionContext>) {
    for list in CompatResponseFormat.lists {
      let post = "\(list)/{id}"
      router.post(RouterPath(list)) { request, context in
        try await create(request, onWaitEnd: context.onWaitEnd)
      }
      router.put(RouterPath(post)) { request, context in
        try await edit(context.parameters.get("id"), request, onWaitEnd: context.onWaitEnd)
      }
      router.delete(RouterPath(post)) { request, context in try await delete(context.parameters.get("id"), request) }
      router.respondMethodNotAllowed(at: RouterPath(list), allow: .get, .post)
      router.respondMethodNotAllowed(at: RouterPath(post), allow: .put, .delete)
    }
  }

  private func create(
    _ request: Request, onWaitEnd: (@escaping @Sendable () -> Void) -> Void
  ) async throws -> Response {
    let caller = try await AuthenticatedCaller.authenticate(request, sessions: sessions, site: site)
    if let refusal = queue.refusal(of: caller.account) { throw refusal }
    let body = try CompatPost(try await RequestBody.decode(JSONValue.self, from: request))
    guard let place = body.place, !place.trimmedLine.isEmpty else {
      throw Problem.parse(142, "the place is empty; say where you are")
    }
    let submission = try body.submission(place: place, link: body.link ?? "", coordinate: nil)
    // Gateways add a key, so that they can repeat the request.
    let idempotency = try request.headers[.idempotencyKey].map { try Idempotency(key: $0, of: submission) }
    let (accepted, waits): (AcceptedPost, Bool)
    do {
      (accepted, waits) = try await queue.accept(
        submission, account: caller.account.id, idempotency: idempotency, waits: true)
    } catch is IdempotencyConflict { throw Problem.idempotencyKeyReused }
    if waits { await queue.outcome(of: accepted.id, withinMs: Limits.compatWaitMs, onWaitEnd: onWaitEnd) }
    if let reason = try await database.post(accepted.id)?.reason { throw Problem.parse(142, reason.detail) }
    return CompatResponseFormat.plain.response(
      .object { json in
        json.add("objectId", accepted.id.description)
        json.add("createdAt", unixMs: accepted.createdMs)
      })
  }

  /// Edits a post. Fields that the body lacks keep their values.
  private func edit(
    _ id: String?, _ request: Request, onWaitEnd: (@escaping @Sendable () -> Void) -> Void
  ) async throws -> Response {
    let caller = try await AuthenticatedCaller.authenticate(request, sessions: sessions, site: site)
    if let refusal = queue.refusal(of: caller.account) { throw refusal }
    let body = try CompatPost(try await RequestBody.decode(JSONValue.self, from: request))
    guard let id = id.flatMap({ PostID($0) }) else { throw Problem.postNotFound }
    // Wait for the geocoding of a new post, because these clients know of no queued posts.
    try await queue.settlement(of: id, withinMs: Limits.compatWaitMs, onWaitEnd: onWaitEnd)
    guard let post = try await database.post(id), post.account == caller.account.id else { throw Problem.postNotFound }
    // A geocoded point belongs to its place, so drop the point if the place changes.
    let isGiven = post.outcome.map { $0.agreement != .notGiven } ?? true
    let keepsCoordinate = isGiven && (body.place ?? post.place) == post.place
    let submission = try body.submission(
      place: body.place ?? post.place, link: body.link ?? post.linkText ?? post.link,
      coordinate: keepsCoordinate ? post.coordinate : nil)
    let edited = try await queue.edit(id, of: caller.account.id, submission, onWaitEnd: onWaitEnd)
    return CompatResponseFormat.plain.response(.object { json in json.add("updatedAt", unixMs: edited.updatedMs) })
  }

  private func delete(_ id: String?, _ request: Request) async throws -> Response {
    let caller = try await AuthenticatedCaller.authenticate(request, sessions: sessions, site: site)
    guard let id = id.flatMap({ PostID($0) }) else { throw Problem.postNotFound }
    try await queue.delete(id, of: caller.account.id)
    return CompatResponseFormat.plain.response(.object { _ in })
  }
}
