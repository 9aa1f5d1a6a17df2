import Domain
import HTTPTypes
import Hummingbird
import Web

/// Routes of `/v2/admin`, with which operators inspect and control the queue, as with the admin socket.
struct AdminRoutes: Sendable {
  let admin: AdminResponder
  let history: QueueHistory
  let sessions: Sessions
  let site: Site

  struct Selection: Decodable {
    let ids: [String]?
    let all: Bool?
    let reason: String?
    let after: String?
  }

  func add(to router: Router<ConnectionContext>) {
    router.get("/v2/admin/status") { request, _ in try await response(to: .status, for: request) }
    router.get("/v2/admin/history") { request, _ in try await historyResponse(request) }
    router.get("/v2/admin/posts") { request, _ in
      _ = try await caller(of: request)
      return try await response(to: try Self.list(Query(request)), for: request)
    }
    router.get("/v2/admin/posts/{id}") { request, context in
      _ = try await caller(of: request)
      guard let id = context.parameters.get("id").flatMap({ PostID($0) }) else { throw Problem.postNotFound }
      return try await response(to: .show(id), for: request)
    }
    router.post("/v2/admin/posts/retry") { request, _ in
      let selection = try await selection(of: request)
      guard selection.all == true else {
        return try await response(to: .retry(.posts(try selection.posts())), for: request)
      }
      guard selection.ids == nil else { throw Problem.invalidSelection }
      let after = try selection.after.map { try Self.id($0, "after") }
      return try await response(to: .retry(.all(reason: selection.reason, after: after)), for: request)
    }
    router.post("/v2/admin/posts/discard") { request, _ in
      try await response(to: .discard(try await selection(of: request).posts()), for: request)
    }
    router.post("/v2/admin/pause") { request, _ in try await response(to: .pause, for: request) }
    router.post("/v2/admin/resume") { request, _ in try await response(to: .resume, for: request) }
    for path in ["/v2/admin/status", "/v2/admin/history", "/v2/admin/posts", "/v2/admin/posts/{id}"] as [RouterPath] {
      router.respondMethodNotAllowed(at: path, allow: .get)
    }
    for path in ["posts/retry", "posts/discard", "pause", "resume"] {
      router.respondMethodNotAllowed(at: "/v2/admin/\(path)", allow: .post)
    }
  }

  /// Authenticates an operator.
  ///
  /// - Throws: `Problem.unauthorized` or `Problem.operatorRequired`.
  private func caller(of request: Request) async throws -> AuthenticatedCaller {
    let caller = try await AuthenticatedCaller.authenticate(request, sessions: sessions, site: site)
    guard caller.account.isOperator else { throw Problem.operatorRequired }
    return caller
  }

  private func response(to request: AdminRequest, for httpRequest: Request) async throws -> Response {
    let account = try await caller(of: httpRequest).account
    let reply: AdminReply
    do {
      reply = try await admin.reply(to: request, from: account.id, name: account.firstName)
    } catch let refusal as AdminRefusal {
      throw Problem(refusal)
    }
    return Response(
      .object { json in
        switch reply {
        case .status(let status):
          status.write(to: &json)
          if status.pausedMs != nil, let actor = admin.pauseActor { json.add("pausedBy", actor) }
        case .list(let entries, let next):
          json.array("posts", entries) { $1.write(to: &$0) }
          if let next { json.add("next", next.description) }
        case .report(let entry, let history): entry.write(to: &json, history)
        case .changed(let change): change.write(to: &json)
        case .paused(let sinceMs):
          json.add("paused", sinceMs != nil)
          if let sinceMs { json.add("pausedAt", unixMs: sinceMs) }
        case .users, .user, .backup, .refused: break  // The routes send no such request.
        }
      })
  }

  /// Authenticates the operator, then reads a selection of posts from the body.
  private func selection(of request: Request) async throws -> Selection {
    _ = try await caller(of: request)
    return try await RequestBody.decode(Selection.self, from: request)
  }

  /// The greatest integer that every JSON parser reads exactly. (RFC 8259, 6.)
  private static let jsonIntegerMax: Int64 = 9_007_199_254_740_991

  private func historyResponse(_ request: Request) async throws -> Response {
    _ = try await caller(of: request)
    let text = Query(request)["since"] ?? ""
    guard let sinceMs = Int64(text.isEmpty ? "0" : text), (0...Self.jsonIntegerMax).contains(sinceMs) else {
      throw Problem(
        .badRequest, "invalid_since", "since must be milliseconds since 1970, 0 to \(Self.jsonIntegerMax)",
        field: "since")
    }
    return Response(
      .object { json in
        json.add("stepMs", Limits.queueHistoryStepMs)
        json.array("samples", history.samples(sinceMs: sinceMs)) { $1.write(to: &$0) }
      })
  }

  private static func list(_ query: Query) throws -> AdminRequest {
    let name = query["state"] ?? QueueState.dead.name
    guard let state = QueueState.listed.first(where: { $0.name == name }) else {
      let names = QueueState.listed.map(\.name).joined(separator: ", ")
      throw Problem(.badRequest, "invalid_state", "state must be one of \(names)", field: "state")
    }
    guard query["reason"] == nil || state == .dead else {
      throw Problem(.badRequest, "invalid_reason", "reason is allowed only with state=dead", field: "reason")
    }
    guard let limit = Int(query["limit"] ?? "100"), (1...Limits.pagePostsMax).contains(limit) else {
      throw Problem(
        .badRequest, "invalid_limit", "limit must be a number from 1 to \(Limits.pagePostsMax)", field: "limit")
    }
    return .list(
      state: state, reason: query["reason"], after: try query["after"].map { try id($0, "after") }, limit: limit)
  }

  fileprivate static func id(_ text: String, _ field: String, _ form: String = "a post id") throws(Problem) -> PostID {
    guard let id = PostID(text) else {
      throw Problem(.unprocessableContent, "invalid_\(field)", "\(field) must be \(form)", field: field)
    }
    return id
  }
}

extension AdminRoutes.Selection {
  fileprivate func posts() throws(Problem) -> [PostID] {
    guard let ids, (1...Limits.adminPostsMax).contains(ids.count), all != true, reason == nil, after == nil else {
      throw Problem.invalidSelection
    }
    var posts: [PostID] = []
    for id in ids { posts.append(try AdminRoutes.id(id, "ids", "a list of post ids")) }
    return posts
  }
}

extension QueueHistory.Sample {
  fileprivate func write(to json: inout JSONWriter) {
    json.add("unixMs", atMs)
    json.add("depth", depth)
    json.add("dead", dead)
    json.add("oldestMs", oldestMs)
    json.add("accepted", accepted)
    json.add("completed", settled)
    json.add("failed", failed)
    json.add("workers", workers)
    json.add("subscribers", subscribers)
  }
}

extension Problem {
  fileprivate static let operatorRequired = Problem(
    .forbidden, "operator_required", "this request needs an operator account; onthemap user promote makes one")
  fileprivate static let invalidSelection = Problem(
    .unprocessableContent, "invalid_ids",
    "ids must name 1 to \(Limits.adminPostsMax) posts; a retry may have all: true instead", field: "ids")

  fileprivate init(_ refusal: AdminRefusal) {
    switch refusal.code {
    case .notFound: self = .postNotFound
    case .busy: self = .busy
    case .malformed, .unsupportedVersion, .failed, .invalid:
      self.init(.internalServerError, "internal_error", refusal.detail)
    }
  }
}
