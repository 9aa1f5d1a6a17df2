import Domain
import HTTPTypes
import Hummingbird
import Messaging
import NIOCore
import Store
import Web

/// Routes of the page. `/` is the page for browsers and a short text for other clients. `/pin/ID` is the page that
/// shows a post. `/admin` is the operators' page, which is public because it shows nothing before login. `/v2/page` is
/// the initial state of both pages.
struct PageRoutes: Sendable {
  private let configuration: PageConfiguration
  private let database: any PostReader & AccountStore
  private let sessions: Sessions
  private let providers: ExternalSignIn
  private let recovery: RecoveryMethod
  private let site: Site
  private let pause: QueuePause

  init(
    _ configuration: PageConfiguration, database: any PostReader & AccountStore, sessions: Sessions,
    providers: ExternalSignIn, recovery: RecoveryMethod, site: Site, pause: QueuePause
  ) {
    self.configuration = configuration
    self.database = database
    self.sessions = sessions
    self.providers = providers
    self.recovery = recovery
    self.site = site
    self.pause = pause
  }

  func add(to router: Router<ConnectionContext>) {
    router.get("/") { request, _ in
      var response = request.wantsPage ? document("index.html", request) : PageRoutes.welcome
      response.headers.append(HTTPField(name: .vary, value: "Accept"))
      return response
    }
    for path in PageRoutes.views {
      router.get(RouterPath(path)) { request, _ in document("index.html", request) }
      router.respondMethodNotAllowed(at: RouterPath(path), allow: .get)
    }
    router.get("/pin/{id}") { request, context in try await pin(context.parameters.get("id"), request) }
    router.get("/admin") { request, _ in document("admin.html", request) }
    router.get("/page/**") { request, context in
      // A request for another version's file comes from an old page, which learns from the 404 that it is old.
      guard let response = PageRoutes.file(for: request) else { throw HTTPError(.notFound) }
      return response
    }
    router.get("/v2/page") { request, _ in try await initialState(request) }
    router.respondMethodNotAllowed(at: "/", allow: .get)
    router.respondMethodNotAllowed(at: "/pin/{id}", allow: .get)
    router.respondMethodNotAllowed(at: "/admin", allow: .get)
    router.respondMethodNotAllowed(at: "/v2/page", allow: .get)
  }

  /// Returns the requested file of the page. Nil if this version has no such file.
  static func file(for request: Request) -> Response? {
    let (files, path) = (PageFiles.all, request.uri.path)
    guard path.hasPrefix(files.root + "/"), let file = files[String(path.dropFirst(files.root.count + 1))] else {
      return nil
    }
    return file.response(ContentCoding(accepting: request.headers[.acceptEncoding]), immutableHeaders)
  }

  /// Returns the caller's account and the page's configuration. A separate request for the account would often get a
  /// 401, which browsers show as an error.
  private func initialState(_ request: Request) async throws -> Response {
    let caller = try await AuthenticatedCaller.authenticateIfPresent(request, sessions: sessions, site: site)
    return Response(
      .object { json in
        if let caller { json.object("account") { caller.account.write(to: &$0) } } else { json.addNull("account") }
        json.object("login") { json in
          providers.writeLoginMethods(to: &json)
          recovery.write(to: &json)
        }
        json.add("mapAccess", configuration.mapAccess.isMembersOnly ? "members" : "public")
        if let feed = feed(for: request) { json.add("feed", feed) } else { json.addNull("feed") }
        if let sinceMs = pause.sinceMs { json.add("pausedAt", unixMs: sinceMs) } else { json.addNull("pausedAt") }
        if caller != nil, let tickets = configuration.mapAccess.tickets {
          json.add("ticket", tickets.ticket(endMs: WallClock.unixMs + Limits.viewTicketMs))
        } else {
          json.addNull("ticket")
        }
        if let tiles = configuration.tiles {
          json.object("tiles") { json in
            json.add("url", tiles.url)
            json.add("attribution", tiles.attribution)
          }
        } else {
          json.addNull("tiles")
        }
      })
  }

  /// Returns the page with the title of a published post, whatever the client accepts: a program that previews links
  /// seldom asks for HTML. A missing or hidden post has status 404, and the page's script says so. Without a session, a
  /// members-only map shows no titles, and does not tell which posts exist.
  private func pin(_ id: String?, _ request: Request) async throws -> Response {
    if configuration.mapAccess.isMembersOnly {
      let caller = try await AuthenticatedCaller.authenticateIfPresent(request, sessions: sessions, site: site)
      if caller == nil { return document("index.html", request) }
    }
    guard let id = id.flatMap({ PostID($0) }), let post = try await database.post(id), post.state == .published,
      let owner = try await database.account(post.account)
    else {
      var response = document("index.html", request)
      response.status = .notFound
      return response
    }
    let page = prepared("index.html", request)
    let url = site.origin(for: request).map { $0 + request.uri.path }
    return response(page, page.file(about: LinkPreview(of: post, by: owner, in: page.texts), url: url), request)
  }

  /// Returns the response with a document that is not about a post.
  private func document(_ name: String, _ request: Request) -> Response {
    let page = prepared(name, request)
    return response(page, page.file, request)
  }

  /// Returns a document in the caller's language.
  private func prepared(_ name: String, _ request: Request) -> PageDocument {
    let files = PageFiles.all
    return files.document(
      name, language: request.language(among: files.languages), isMembersOnly: configuration.mapAccess.isMembersOnly)
  }

  /// Returns the response with a document. Browsers must not use a cached document without a request, because an old
  /// document names files that no longer exist.
  private func response(_ document: PageDocument, _ file: PageFiles.File, _ request: Request) -> Response {
    var headers: HTTPFields = [
      .cacheControl: "no-cache", .contentLanguage: document.texts.language,
      .contentSecurityPolicy: policy(for: request),
    ]
    headers.append(HTTPField(name: .vary, value: "Accept-Language, Cookie"))
    return file.response(ContentCoding(accepting: request.headers[.acceptEncoding]), headers)
  }

  /// Returns the content security policy. Scripts and styles must be files of this site. Connections go to this site
  /// and the feed only.
  private func policy(for request: Request) -> String {
    let images = ["'self'", configuration.tiles?.origin].compactMap(\.self).joined(separator: " ")
    let peers = ["'self'", feed(for: request)].compactMap(\.self).joined(separator: " ")
    return "default-src 'none'; script-src 'self'; style-src 'self'; img-src \(images); connect-src \(peers); "
      + "manifest-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
  }

  /// Returns the feed's origin as this client reaches it. Nil if it is unknown or the feed admits no client.
  private func feed(for request: Request) -> String? {
    if configuration.mapAccess.isMembersOnly, configuration.mapAccess.tickets == nil { return nil }
    switch configuration.feed {
    case .unknown: return nil
    case .origin(let origin): return origin
    case .port(let port):
      // The value goes into a header, so it must be a plain name or address.
      guard let port = port(), let authority = request.head.authority,
        let host = authority.prefixMatch(of: /[A-Za-z0-9.-]+|\[[0-9A-Fa-f:.]+\]/)?.output
      else { return nil }
      return "http://\(host):\(port)"
    }
  }

  /// Paths of the page's views. All of them have the same document, whose script shows the view.
  private static let views = ["/table", "/posts", "/account", "/reset", "/confirm"]

  private static let immutableHeaders: HTTPFields = [.cacheControl: "public, max-age=31536000, immutable"]

  private static let welcome = PublicRoutes.response(
    """
    On The Map: say where you are, add a link, and everybody sees it. Open this address in a browser to see the map.

      POST /v2/accounts           create an account: {"email", "password", "firstName", "lastName"}
      POST /v2/session            log in: {"email", "password"}
      POST /v2/posts              add a post: {"place", "link"}, with Authorization: Bearer TOKEN
      POST /v2/posts/bulk         add many posts, one per line
      GET  /v2/posts?scope=all    search everybody's posts: q, country, bbox, since, until
      GET  /v2/posts/ID           show a post; PUT edits and DELETE deletes your own
      GET  /v2/geocode?q=         find places by text
      GET  /v2/reverse?lat=&lon=  find cities near a point
      GET  /v2/limits             show the limits of requests
      GET  /v2/feed               list the latest \(Limits.feedEntriesMax) posts
      GET  /openapi               read about the whole API; /openapi.json is for programs

    Apps of the original service use /v1, /api with /parse/classes, and /1/classes.

    """)
}

extension Request {
  /// True if a browser asks for a page to show. Other clients do not accept HTML explicitly.
  var wantsPage: Bool { headers[values: .accept].contains { $0.contains("text/html") } }

  /// Returns the language of the page for this client. A cookie has the user's choice. Otherwise it is the first of the
  /// browser's languages that the page has, or else the first of `languages`.
  func language(among languages: [String]) -> String {
    let browser = QualityValues(headers[.acceptLanguage]).preferred.map { String($0.prefix { $0 != "-" }) }
    let wanted = [cookies["language"]?.value].compactMap(\.self) + browser
    return wanted.first(where: languages.contains) ?? languages[0]
  }
}
