import Domain
import HTTPTypes
import SignIn
import Store
import StubServers
import Testing
import Web

@testable import Ingest
@testable import Messaging

@Suite("External sign-in")
struct ExternalSignInTests {
  private static let source = LoginSource(address: IPAddress("203.0.113.5"), agent: "")
  private let map: IngestFixture
  private var providers: ExternalSignIn { map.components.providers }

  init() throws { map = try IngestFixture(workers: 0) }

  private func identity(_ subject: String, email: String? = nil) throws -> ProvidedIdentity {
    try #require(
      ProvidedIdentity(
        issuer: "https://login.example", subject: subject, email: email, givenName: "Grace", familyName: "Hopper",
        name: nil))
  }

  private func expect(
    _ code: String, sourceLocation: SourceLocation = #_sourceLocation, _ body: () async throws -> Void
  ) async {
    await #expect(sourceLocation: sourceLocation) { try await body() } throws: { ($0 as? Problem)?.code == code }
  }

  @Test("No provider is configured by default")
  func off() async throws {
    #expect(providers.issuers.isEmpty)
    await expect("facebook_disabled") { _ = try await providers.logIn(facebookToken: "a", from: Self.source) }
    await expect("oidc_disabled") { _ = try await providers.begin(returnPath: nil, link: nil, from: Self.source) }
    #expect(providers.consumeAuthorization(key: "a", state: "b") == nil)
  }

  @Test("A return path stays within the site, in any browser")
  func returnPath() {
    for good in ["/", "/map?a=1", "/" + String(repeating: "a", count: Limits.returnPathBytesMax - 1)] {
      #expect(ExternalSignIn.isReturnPath(good), "\(good)")
    }
    for bad in [
      "", "a", "//evil.example", "/\\evil.example", "https://evil.example", "/a b", "/\n", "/é",
      "/" + String(repeating: "a", count: Limits.returnPathBytesMax),
    ] { #expect(!ExternalSignIn.isReturnPath(bad), "\(bad)") }
  }

  @Test("The first login creates an account, and later logins find it")
  func first() async throws {
    let first = try await providers.logIn(identity("1", email: "grace@example.org"), from: Self.source)
    let again = try await providers.logIn(identity("1"), from: Self.source)
    #expect(first.session.account.id == again.session.account.id && first.token != again.token)
    #expect(first.session.account.email == "grace@example.org" && !first.session.account.hasPassword)
    let other = try await providers.logIn(identity("2"), from: Self.source)
    #expect(other.session.account.id != first.session.account.id)
    #expect(other.session.account.email.hasSuffix("@login.invalid"))
    let logged = map.logged
    #expect(logged.contains("event=account_created") && logged.contains("event=logged_in"))
  }

  @Test("A taken address, a closed sign-up and a disabled account get no session")
  func refused() async throws {
    _ = try await map.account("ada@example.org")
    await expect("email_taken") {
      _ = try await providers.logIn(identity("1", email: "ada@example.org"), from: Self.source)
    }
    let known = try await providers.logIn(identity("2"), from: Self.source).session.account
    try await map.components.database.set(known.id, .disabled(sinceMs: 1))
    await expect("account_disabled") { _ = try await providers.logIn(identity("2"), from: Self.source) }
    #expect(map.logged.contains("event=login_failed"))
    let closed = try map.restarted(workers: 0) { $0.isSignUpOpen = false }
    await expect("sign_up_closed") {
      _ = try await closed.components.providers.logIn(identity("3"), from: Self.source)
    }
  }

  @Test("An identity links to one account with a live session, up to a limit")
  func link() async throws {
    func caller(_ email: String) async throws -> AuthenticatedCaller {
      let account = try await map.account(email)
      let newSession = try await providers.logins.sessions.begin(
        account, from: Self.source, unixMs: WallClock.unixMs)
      let (token, session) = try #require(newSession)
      return AuthenticatedCaller(session: session, token: token)
    }
    let (ada, bob) = (try await caller("ada@example.org"), try await caller("bob@example.org"))
    #expect(try await providers.link(identity("1"), to: ada, from: Self.source).subject == "1")
    await expect("identity_taken") { _ = try await providers.link(identity("1"), to: bob, from: Self.source) }
    for subject in 2...Limits.identitiesOfAccountMax {
      _ = try await providers.link(identity("\(subject)"), to: ada, from: Self.source)
    }
    await expect("too_many_identities") { _ = try await providers.link(identity("99"), to: ada, from: Self.source) }
    let login = try await providers.logIn(identity("1"), from: Self.source)
    #expect(login.session.account.id == ada.account.id)
    try await providers.logins.sessions.endAll(of: ada.account.id)
    await expect("session_required") { _ = try await providers.link(identity("100"), to: ada, from: Self.source) }
  }

  @Test("A pending authorization is consumed once, by the browser that began it")
  func authorization() async throws {
    let fixture = try OpenIDFixture()
    let providers = fixture.map.components.providers
    let (location, key) = try await providers.begin(returnPath: "/map", link: nil, from: Self.source)
    #expect(location.hasPrefix(fixture.provider.server.url + "/authorize?"))
    let state = try #require(location.firstMatch(of: #/[?&]state=([^&]+)/#)).1
    #expect(providers.consumeAuthorization(key: "another", state: String(state)) == nil)
    let authorization = try #require(providers.consumeAuthorization(key: key, state: String(state)))
    #expect(authorization.returnPath == "/map" && authorization.link == nil)
    #expect(providers.consumeAuthorization(key: key, state: String(state)) == nil)
    await expect("invalid_return") { _ = try await providers.begin(returnPath: "//a", link: nil, from: Self.source) }
  }
}
