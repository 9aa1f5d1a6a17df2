import Ingest
import SignIn
import StubServers
import Testing

/// An ingest with a stub provider, and a browser.
struct OpenIDFixture {
  let provider: OpenIDStub
  let map: IngestFixture
  let browser: Browser

  /// - Parameter secret: The client's secret. Empty for a public client.
  init(_ provider: OpenIDStub? = nil, origin: String = Client.base, secret: String = "s3cret: with/signs") throws {
    let provider = try provider ?? OpenIDStub()
    let map = try IngestFixture {
      $0.origin = origin
      $0.openID = try OpenIDConfiguration(
        issuer: provider.issuer, clientID: "onthemap client", clientSecret: secret, name: "Example",
        redirectURI: origin + "/v2/login/oidc/callback")
    }
    self.init(provider, map, Browser(map))
  }

  private init(_ provider: OpenIDStub, _ map: IngestFixture, _ browser: Browser) {
    (self.provider, self.map, self.browser) = (provider, map, browser)
  }

  /// Returns the fixture with the same store, provider and cookies, after a restart of ingest.
  ///
  /// - Parameter sql: Statements to run on the store's file before the start. Nil for none.
  func restarted(
    after sql: String? = nil, _ configure: (inout IngestConfiguration) throws -> Void = { _ in }
  ) throws -> OpenIDFixture {
    let map = try map.restarted(after: sql, configure)
    return OpenIDFixture(provider, map, browser.moved(to: map))
  }

  /// Begins a login and visits the provider. Returns the URL that the provider redirects to.
  func callbackURL(_ query: String = "", headers: [String: String] = [:]) async throws -> String {
    let redirect = try await browser.get("\(Client.base)/v2/login/oidc\(query)", headers: headers)
    #expect(redirect.status == 303, "\(redirect)")
    let providerRedirect = try await browser.get(try #require(redirect.headers["location"]))
    #expect(providerRedirect.status == 302, "\(providerRedirect.text)")
    return try #require(providerRedirect.headers["location"])
  }

  /// Performs the whole login. Returns the last response.
  func logIn(_ query: String = "", headers: [String: String] = [:]) async throws -> APIResponse {
    try await browser.get(try await callbackURL(query, headers: headers))
  }

  /// A client with the browser's session.
  var client: Client { map.client.with(token: browser.cookie("otm", of: Client.base)) }
}
