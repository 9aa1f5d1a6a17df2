import Domain
import HTTPTypes
import Hummingbird
import Store
import Web

/// Routes of `/v2/posts`: create, list, read, edit and delete posts.
struct PostRoutes: Sendable {
  static let path = "/v2/posts"

  let database: any PostReader & AccountStore
  let queue: PostPipeline
  let sessions: Sessions
  let site: Site
  let viewers: MapAuthorization

  func add(to router: Router<ConnectionContext>) {
    router.post("/v2/posts") { request, context in
      try await create(request, onWaitEnd: context.onWaitEnd)
    }
    router.get("/v2/posts") { request, context in try await list(request, ScanClient(request, context, site)) }
    router.get("/v2/posts/{id}") { request, context in try await show(context.parameters.get("id"), request) }
    router.put("/v2/posts/{id}") { request, context in
      try await edit(context.parameters.get("id"), request, onWaitEnd: context.onWaitEnd)
    }
    router.delete("/v2/posts/{id}") { request, context in try await delete(context.parameters.get("id"), request) }
    router.respondMethodNotAllowed(at: "/v2/posts", allow: .get, .post)
    router.respondMethodNotAllowed(at: "/v2/posts/{id}", allow: .get, .put, .delete)
  }

  /// Returns a post. A published post is visible to everyone, with its owner's name. Any other state is visible to its
  /// owner only. `own` marks the caller's own post.
  private func show(_ id: String?, _ request: Request) async throws -> Response {
    try await viewers.authorize(request)
    guard let id = id.flatMap({ PostID($0) }), let post = try await database.post(id) else {
      throw Problem.postNotFound
    }
    let caller = try await AuthenticatedCaller.authenticateIfPresent(request, sessions: sessions, site: site)
    let isOwn = caller?.account.id == post.account
    guard post.state == .published || isOwn, let owner = try await database.account(post.account) else {
      throw Problem.postNotFound
    }
    return Response(
      .object { json in
        post.write(to: &json)
        if post.state == .published {
          json.add("firstName", owner.firstName)
          json.add("lastName", owner.lastName)
        }
        if isOwn { json.add("own", true) }
      })
  }

  /// Edits the caller's post. The edit is durable and listed before the response.
  private func edit(
    _ id: String?, _ request: Request, onWaitEnd: (@escaping @Sendable () -> Void) -> Void
  ) async throws -> Response {
    let caller = try await AuthenticatedCaller.authenticate(request, sessions: sessions, site: site)
    if let refusal = queue.refusal(of: caller.account) { throw refusal }
    let submission = try await PostBody.submission(of: request)
    guard let id = id.flatMap({ PostID($0) }) else { throw Problem.postNotFound }
    let post = try await queue.edit(id, of: caller.account.id, submission, onWaitEnd: onWaitEnd)
    return Response(.object { post.write(to: &$0) })
  }

  private func delete(_ id: String?, _ request: Request) async throws -> Response {
    let caller = try await AuthenticatedCaller.authenticate(request, sessions: sessions, site: site)
    guard let id = id.flatMap({ PostID($0) }) else { throw Problem.postNotFound }
    try await queue.delete(id, of: caller.account.id)
    return Response(status: .noContent)
  }

  private func list(_ request: Request, _ client: ScanClient) async throws -> Response {
    let query = Query(request)
    guard let limit = Int(query["limit"] ?? "100"), (1...Limits.pagePostsMax).contains(limit) else {
      throw Problem(
        .badRequest, "invalid_limit", "limit must be a number from 1 to \(Limits.pagePostsMax)", field: "limit")
    }
    let filter = try PostFilter(query)
    switch query["scope"] ?? "own" {
    case "own": return try await own(query, filter, limit, request, client)
    case "all":
      try await viewers.authorize(request)
      return try await all(query, filter, limit, client)
    default: throw Problem(.badRequest, "invalid_scope", "scope must be own or all", field: "scope")
    }
  }

  /// Lists all published posts, newest first. `next` is present if there may be more posts, even on an empty page.
  private func all(
    _ query: Query, _ filter: PostFilter, _ limit: Int, _ client: ScanClient
  ) async throws -> Response {
    let below = try query["after"].map { text in
      guard let below = UInt64(text) else {
        throw Problem(.badRequest, "invalid_after", "after must be the next of the previous page", field: "after")
      }
      return below
    }
    let (entries, next) = try await database.published(filter, below: below, limit: limit, for: client)
    return Response(
      .object { json in
        json.array("posts", entries) { $1.write(to: &$0) }
        if let next { json.add("next", "\(next)") }
      })
  }

  /// Lists the caller's posts in every state, oldest or newest first. `next` is as in `all`.
  private func own(
    _ query: Query, _ filter: PostFilter, _ limit: Int, _ request: Request, _ client: ScanClient
  ) async throws -> Response {
    let caller = try await AuthenticatedCaller.authenticate(request, sessions: sessions, site: site)
    let after = try query["after"].map { text in
      guard let id = PostID(text) else {
        throw Problem(.badRequest, "invalid_after", "after must be the id of a post", field: "after")
      }
      return id
    }
    let order = query["order"] ?? "oldest"
    guard ["oldest", "newest"].contains(order) else {
      throw Problem(.badRequest, "invalid_order", "order must be oldest or newest", field: "order")
    }
    let (posts, next) = try await database.posts(
      of: caller.account.id, filter, isNewestFirst: order == "newest", after: after, limit: limit,
      for: client)
    return Response(
      .object { json in
        json.array("posts", posts) { $1.write(to: &$0) }
        if let next { json.add("next", next.description) }
      })
  }

  private func create(
    _ request: Request, onWaitEnd: (@escaping @Sendable () -> Void) -> Void
  ) async throws -> Response {
    let caller = try await AuthenticatedCaller.authenticate(request, sessions: sessions, site: site)
    if let refusal = queue.refusal(of: caller.account) { throw refusal }
    let waitSeconds = request.headers[.prefer].map(PostRoutes.waitSeconds) ?? 0
    let submission = try await PostBody.submission(of: request)
    let idempotency = try request.headers[.idempotencyKey].map { key in
      try Idempotency(key: key, of: submission)
    }
    do {
      let (accepted, waits) = try await queue.accept(
        submission, account: caller.account.id, idempotency: idempotency, waits: waitSeconds > 0)
      return try await respond(
        to: accepted, submission, waitSeconds: waits ? waitSeconds : 0, onWaitEnd: onWaitEnd)
    } catch is IdempotencyConflict {
      throw Problem.idempotencyKeyReused
    }
  }

  private func respond(
    to accepted: AcceptedPost, _ submission: Submission, waitSeconds: Int,
    onWaitEnd: (@escaping @Sendable () -> Void) -> Void
  ) async throws -> Response {
    var response: Response
    if waitSeconds > 0 || accepted.job == nil {
      var post: Post?
      do { post = accepted.job == nil ? try await database.post(accepted.id) : nil } catch {
        queue.cancelWait(accepted.id)
        throw error
      }
      if let post, post.state != .queued {
        queue.cancelWait(accepted.id)
      } else if waitSeconds > 0, post != nil || accepted.job != nil {
        await queue.outcome(of: accepted.id, withinMs: Int64(waitSeconds) * 1_000, onWaitEnd: onWaitEnd)
        post = try await database.post(accepted.id)
      }
      guard let post else {
        queue.cancelWait(accepted.id)
        throw Problem.postDeleted
      }
      response = Response(.object { post.write(to: &$0) }, status: post.state == .queued ? .accepted : .ok)
      if waitSeconds > 0 { response.headers[.preferenceApplied] = "wait=\(waitSeconds)" }
      if accepted.job == nil { response.headers[.idempotencyReplayed] = "true" }
      response.headers[.location] = "\(PostRoutes.path)/\(accepted.id)"
    } else {
      response = .accepted(accepted.id, submission, createdMs: accepted.createdMs)
    }
    return response
  }

  /// Returns the seconds of "wait=5" among the preferences (RFC 7240), up to the limit. Ignores unknown preferences, as
  /// the RFC requires.
  private static func waitSeconds(_ header: String) -> Int {
    for preference in header.split(separator: ",") {
      let parts = preference.prefix { $0 != ";" }.split(separator: "=", maxSplits: 1).map { String($0).trimmedLine }
      guard parts.count == 2, parts[0].lowercased() == "wait" else { continue }
      let digits = parts[1].filter { $0 != "\"" }
      guard !digits.isEmpty, digits.utf8.allSatisfy({ (48...57).contains($0) }) else { continue }
      return min(Int(digits) ?? .max, Limits.waitSecondsMax)
    }
    return 0
  }
}

extension Response {
  /// The response to a post that was just stored.
  static func accepted(_ id: PostID, _ submission: Submission, createdMs: Int64) -> Response {
    var response = Response(
      .object {
        $0.addPost(
          id, .queued, place: submission.place, link: submission.link, createdMs: createdMs, updatedMs: createdMs)
      }, status: .accepted)
    response.headers[.location] = "\(PostRoutes.path)/\(id)"
    return response
  }
}

extension JSONWriter {
  /// Adds the members that every post has.
  fileprivate mutating func addPost(
    _ id: PostID, _ state: Post.State, place: String, link: String, createdMs: Int64, updatedMs: Int64
  ) {
    add("id", id.description)
    add("state", state.name)
    add("place", place)
    add("link", link)
    let created = timestamp(unixMs: createdMs)
    add("createdAt", created)
    add("updatedAt", updatedMs == createdMs ? created : timestamp(unixMs: updatedMs))
  }
}

extension Post {
  /// Adds the post's members to an open object.
  func write(to json: inout JSONWriter) {
    json.addPost(id, state, place: place, link: link, createdMs: createdMs, updatedMs: updatedMs)
    if let outcome {
      json.add("label", outcome.label)
      json.add("countryCode", outcome.countryCode)
      json.add("latitude", outcome.coordinate.latitude)
      json.add("longitude", outcome.coordinate.longitude)
      json.add("agreement", outcome.agreement.name)
      if let match = outcome.match { json.add("match", match.name) }
    }
    if let seq { json.add("seq", seq) }
    if let reason {
      json.object("reason") { json in
        json.add("code", reason.code)
        json.add("detail", reason.detail)
      }
    }
  }
}
