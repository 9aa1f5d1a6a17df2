import Domain
import StubServers
import Testing

@testable import SignIn

@Suite("Whose token of Facebook's it is")
struct FacebookGraphTests {
  private func ask(_ token: String, at graph: FacebookStub) async -> Result<ProvidedIdentity, IdentityFailure> {
    defer { withExtendedLifetime(graph) {} }
    return await ask(token, at: graph.url)
  }

  private func ask(_ token: String, at url: String) async -> Result<ProvidedIdentity, IdentityFailure> {
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

  @Test("A token for our app is its user's, with the names and the address that Facebook has")
  func known() async throws {
    let graph = try FacebookStub(["token|1": .init()])
    let identity = try await ask("token|1", at: graph).get()
    #expect(identity.issuer == "https://www.facebook.com" && identity.subject == "10223")
    #expect(identity.firstName == "Grace" && identity.lastName == "Hopper" && identity.email == "grace@example.org")
    #expect(graph.server.requests.map(\.path) == ["/v24.0/debug_token", "/v24.0/me"])
    #expect(graph.server.requests.last?.parameter("fields") == "id,first_name,last_name,email")
  }

  @Test("A user who hides all but his id is somebody")
  func hidden() async throws {
    var login = FacebookStub.Login()
    login.profile = ""
    let graph = try FacebookStub(["t": login])
    let identity = try await ask("t", at: graph).get()
    #expect(identity.email == nil && identity.firstName == "Somebody" && identity.lastName.isEmpty)
  }

  @Test("What is no token, or another app's, or a page's, is refused")
  func refused() async throws {
    var (other, over, page) = (FacebookStub.Login(), FacebookStub.Login(), FacebookStub.Login())
    other.app = "999"
    over.isValid = false
    page.profileID = "55"
    let graph = try FacebookStub(["other": other, "over": over, "page": page])
    for (token, code) in [
      ("other", "facebook_app"), ("over", "facebook_token"), ("page", "facebook_user"), ("unknown", "facebook_token"),
      ("", "facebook_token"), ("a b", "facebook_token"), ("é", "facebook_token"),
      (String(repeating: "a", count: IdentityLimits.tokenBytesMax + 1), "facebook_token"),
    ] {
      #expect(await ask(token, at: graph) == .failure(.refused(code: code)), "\(token.prefix(20))")
    }
    // Of another app nothing more is asked.
    #expect(graph.server.requests.count { $0.path == "/v24.0/me" } == 1)
    let long = String(repeating: "a", count: IdentityLimits.tokenBytesMax)
    graph.set(long, .init())
    #expect(try await ask(long, at: graph).get().subject == "10223", "At the limit.")
  }

  @Test("A server that fails, redirects, or says what nobody understands, says nothing")
  func unavailable() async throws {
    let server = try StubServer { _ in .reset }
    let full = #"{"data":{"is_valid":true,"padding":""# + String(repeating: "a", count: IdentityLimits.bodyBytesMax)
    let replies: [(StubServer.Reply, String)] = [
      (.answer(status: 500, body: "{}"), "facebook_debug_token_status_500"),
      (.answer(status: 400, body: "{}"), "facebook_debug_token_status_400"),
      (.answer(status: 302, headers: ["Location": "/elsewhere"], body: ""), "provider_redirected"),
      (.answer(body: "hello"), "provider_answer_malformed"), (.answer(body: "{}"), "provider_answer_malformed"),
      (.answer(body: full + #""}}"#), "provider_answer_too_long"),
    ]
    for (reply, code) in replies {
      server.setResponse { _ in reply }
      #expect(await ask("token", at: server.url) == .failure(.unavailable(code: code)))
    }
    server.end()
    guard case .failure(.unavailable(let code)) = await ask("token", at: server.url) else {
      Issue.record("It cannot say anything.")
      return
    }
    #expect(code.hasPrefix("provider_unreachable"))
  }

  @Test("What is wrong with the app's settings is said at the start")
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
