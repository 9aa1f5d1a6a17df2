import Domain
import HTTPTypes
import Hummingbird
import Messaging
import Web

/// `/`: the page, for browsers, and a few lines for other clients; `/admin`: the operator's, which anybody may open,
/// for there is nothing in it before an operator has signed in; `/v2/page`: what both begin with.
struct PageRoutes: Sendable {
  private let configuration: PageConfiguration
  private let sessions: Sessions
  private let providers: ExternalSignIn
  private let site: Site

  init(_ configuration: PageConfiguration, sessions: Sessions, providers: ExternalSignIn, site: Site) {
    self.configuration = configuration
    self.sessions = sessions
    self.providers = providers
    self.site = site
  }

  func add(to router: Router<ConnectionContext>) {
    router.get("/") { request, _ in
      var response = request.wantsPage ? document(PageFiles.index, request) : PageRoutes.welcome
      response.headers.append(HTTPField(name: .vary, value: "Accept"))
      return response
    }
    router.get("/admin") { request, _ in document(PageFiles.admin, request) }
    router.get("/page/**") { request, context in
      let files = PageFiles.all
      // Whoever asks for those of another version has an old page open: it is told that it is one.
      guard request.uri.path.hasPrefix(files.root + "/"),
        let file = files[String(request.uri.path.dropFirst(files.root.count + 1))]
      else { throw HTTPError(.notFound) }
      return file.response(ContentCoding(accepting: request.headers[.acceptEncoding]), PageRoutes.kept)
    }
    router.get("/v2/page") { request, _ in try await start(request) }
    router.respondMethodNotAllowed(at: "/", than: .get)
    router.respondMethodNotAllowed(at: "/admin", than: .get)
    router.respondMethodNotAllowed(at: "/v2/page", than: .get)
  }

  /// Who asks and what is set up here, in one answer: a page that had to ask who it is for would get a 401 most times,
  /// which browsers show as an error.
  private func start(_ request: Request) async throws -> Response {
    let caller = try await AuthenticatedCaller.authenticateIfPresent(request, sessions: sessions, site: site)
    return Response(
      .object { json in
        if let caller { json.object("account") { caller.account.write(to: &$0) } } else { json.addNull("account") }
        json.object("login") { providers.writeLoginMethods(to: &$0) }
        json.add("isOpen", !configuration.viewing.isClosed)
        if let feed = feed(for: request) { json.add("feed", feed) } else { json.addNull("feed") }
        if caller != nil, let tickets = configuration.viewing.tickets {
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

  /// Anew each time, for an old one would name files that are gone.
  private func document(_ file: PageFiles.File, _ request: Request) -> Response {
    file.response(
      ContentCoding(accepting: request.headers[.acceptEncoding]),
      [.cacheControl: "no-store", .contentSecurityPolicy: policy(for: request)])
  }

  /// Scripts and styles are files of this site and nothing else; it talks to this site and to the feed.
  private func policy(for request: Request) -> String {
    let images = ["'self'", configuration.tiles?.origin].compactMap(\.self).joined(separator: " ")
    let peers = ["'self'", feed(for: request)].compactMap(\.self).joined(separator: " ")
    return "default-src 'none'; script-src 'self'; style-src 'self'; img-src \(images); connect-src \(peers); "
      + "base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
  }

  /// The feed's origin, as whoever sends this reaches it; nil where nobody knows, or where it lets nobody in.
  private func feed(for request: Request) -> String? {
    if configuration.viewing.isClosed, configuration.viewing.tickets == nil { return nil }
    switch configuration.feed {
    case .unknown: return nil
    case .origin(let origin): return origin
    case .port(let port):
      // It goes into a header: nothing but a name or an address.
      guard let port = port(), let authority = request.head.authority,
        let host = authority.prefixMatch(of: /[A-Za-z0-9.-]+|\[[0-9A-Fa-f:.]+\]/)?.output
      else { return nil }
      return "http://\(host):\(port)"
    }
  }

  private static let kept: HTTPFields = [.cacheControl: "public, max-age=31536000, immutable"]

  private static let welcome = PublicRoutes.response(
    """
    On The Map: say where you are, add a link, and everybody sees it. In a browser, this is the map.

      POST /v2/accounts      {"email", "password", "firstName", "lastName"}
      POST /v2/session       {"email", "password"}
      POST /v2/posts         {"place", "link"}, with Authorization: Bearer TOKEN
      POST /v2/posts/bulk    many of them, a line each
      GET  /v2/posts?scope=all&q=  everybody's, by a text, country, box, since, until
      GET  /v2/posts/ID      what became of a post; PUT and DELETE for one's own
      GET  /v2/geocode?q=    places for a text
      GET  /v2/reverse?lat=&lon=  towns around a point
      GET  /v2/limits        how long and how many things may be
      GET  /v2/feed          the latest \(Limits.feedEntriesMax)
      GET  /openapi          all of it, as a page; /openapi.json for programs

    Apps of the original service find it under /v1, /api with /parse/classes, and /1/classes.

    """)
}

extension Request {
  /// Whether a browser asks for a page to show; programs say nothing of the kind.
  var wantsPage: Bool { headers[values: .accept].contains { $0.contains("text/html") } }
}
