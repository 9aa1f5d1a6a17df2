import Domain
import StubServers
import Testing

@testable import SignIn

@Suite("Facebook token check")
struct FacebookGraphTests {
  private func identity(_ token: String, at graph: FacebookStub) async -> Result<ProvidedIdentity, IdentityFailure> {
    defer { withExtendedLifetime(graph) {} }
    return await identity(token, at: graph.url)
  }

  private func identity(_ token: String, at url: String) async -> Result<ProvidedIdentity, IdentityFailure> {
    do {
      let graph = FacebookGraph(
        try FacebookConfiguration(appID: FacebookStub.appID, appSecret: FacebookStub.appSecret, graph: url))
      defer { graph.end() }
      return .success(try await graph.identity(accessToken: token))
    } catch let failure as IdentityFailure { return .failure(failure) } catch {
      Issue.record(error)
      return .failure(.malformed)
    }
  }

  @Test("A token for this app yields the user's id, names and email address")
  func known() async throws {
    let graph = try FacebookStub(["token|1": .init()])
    let identity = try await identity("token|1", at: graph).get()
    #expect(identity.issuer == "https://www.facebook.com" && identity.subject == "10223")
    #expect(identity.firstName == "Grace" && identity.lastName == "Hopper" && identity.email == "grace@example.org")
    #expect(graph.server.requests.map(\.path) == ["/v24.0/debug_token", "/v24.0/me"])
    #expect(graph.server.requests.last?.parameter("fields") == "id,first_name,last_name,email")
  }

  @Test("A user without a visible profile gets a placeholder name")
  func hidden() async throws {
    var login = FacebookStub.Login()
    login.profile = ""
    let graph = try FacebookStub(["t": login])
    let identity = try await identity("t", at: graph).get()
    #expect(identity.email == nil && identity.firstName == "Somebody" && identity.lastName.isEmpty)
  }

  @Test("Invalid tokens and tokens of another app or of a page are refused")
  func refused() async throws {
    var (other, expired, page) = (FacebookStub.Login(), FacebookStub.Login(), FacebookStub.Login())
    other.app = "999"
    expired.isValid = false
    page.profileID = "55"
    let graph = try FacebookStub(["other": other, "expired": expired, "page": page])
    for (token, code) in [
      ("other", "facebook_app"), ("expired", "facebook_token"), ("page", "facebook_user"),
      ("unknown", "facebook_token"), ("", "facebook_token"), ("a b", "facebook_token"), ("é", "facebook_token"),
      (String(repeating: "a", count: IdentityLimits.tokenBytesMax + 1), "facebook_token"),
    ] {
      #expect(await identity(token, at: graph) == .failure(.refused(code: code)), "\(token.prefix(20))")
    }
    // The client requests no profile for another app's token. The only profile request is for the page's token.
    #expect(graph.server.requests.count { $0.path == "/v24.0/me" } == 1)
    let long = String(repeating: "a", count: IdentityLimits.tokenBytesMax)
    graph.set(long, .init())
    let owner = try await identity(long, at: graph).get()
    #expect(owner.subject == "10223", "A token at the length limit must be accepted.")
  }

  @Test("Errors, redirects and malformed responses from Facebook are temporary failures")
  func unavailable() async throws {
    let server = try StubServer { _ in .reset }
    let full = #"{"data":{"is_valid":true,"padding":""# + String(repeating: "a", count: IdentityLimits.bodyBytesMax)
    let replies: [(StubServer.Reply, String)] = [
      (.response(status: 500, body: "{}"), "facebook_debug_token_status_500"),
      (.response(status: 400, body: "{}"), "facebook_debug_token_status_400"),
      (.response(status: 302, headers: ["Location": "/elsewhere"], body: ""), "provider_redirected"),
      (.response(body: "hello"), "provider_response_malformed"), (.response(body: "{}"), "provider_response_malformed"),
      (.response(body: full + #""}}"#), "provider_response_too_long"),
    ]
    for (reply, code) in replies {
      server.setResponse { _ in reply }
      #expect(await identity("token", at: server.url) == .failure(.unavailable(code: code)))
    }
    server.end()
    guard case .failure(.unavailable(let code)) = await identity("token", at: server.url) else {
      Issue.record("A stopped server must be unavailable.")
      return
    }
    #expect(code.hasPrefix("provider_unreachable"))
  }

  @Test("Invalid Facebook settings are refused at start")
  func configuration() {
    let (id, secret) = (FacebookStub.appID, FacebookStub.appSecret)
    for (appID, appSecret, graph, mistake) in [
      ("", secret, "https://a.example", FacebookConfiguration.ConfigurationError.appID),
      ("12a", secret, "https://a.example", .appID),
      (id, "", "https://a.example", .appSecret), (id, "a b", "https://a.example", .appSecret),
      (id, secret, "http://graph.example.org", .graph), (id, secret, "https://u@a.example", .graph),
      (id, secret, "https://a.example?x", .graph), (id, secret, "ftp://a.example", .graph), (id, secret, "", .graph),
    ] {
      #expect(throws: mistake) { try FacebookConfiguration(appID: appID, appSecret: appSecret, graph: graph) }
    }
    for graph in ["https://graph.facebook.com/v24.0", "https://graph.facebook.com/v24.0/", "http://127.0.0.1:99"] {
      #expect(throws: Never.self) { try FacebookConfiguration(appID: id, appSecret: secret, graph: graph) }
    }
  }
}
