import Ingest
import SignIn
import StubServers
import Testing

/// An ingest that sends people to a stand-in provider, and a browser.
struct OpenIDFixture {
  let provider: OpenIDStub
  let map: IngestFixture
  let browser: Browser

  /// - Parameter secret: the client's; empty for a public one.
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

  /// The scene with the same store, provider and cookies, after a restart of ingest.
  ///
  /// - Parameter sql: statements to run on the store's file in between; nil for none.
  func restarted(
    after sql: String? = nil, _ configure: (inout IngestConfiguration) throws -> Void = { _ in }
  ) throws -> OpenIDFixture {
    let map = try map.restarted(after: sql, configure)
    return OpenIDFixture(provider, map, browser.moved(to: map))
  }

  /// To the provider and as far as the address that it sends people back to.
  func away(_ query: String = "", headers: [String: String] = [:]) async throws -> String {
    let begun = try await browser.get("\(Client.base)/v2/login/oidc\(query)", headers: headers)
    #expect(begun.status == 303, "\(begun)")
    let sent = try await browser.get(try #require(begun.headers["location"]))
    #expect(sent.status == 302, "\(sent.text)")
    return try #require(sent.headers["location"])
  }

  /// The whole way, to the last answer.
  func logIn(_ query: String = "", headers: [String: String] = [:]) async throws -> APIResponse {
    try await browser.get(try await away(query, headers: headers))
  }

  /// The account that the browser is logged in as.
  var client: Client { map.client.with(token: browser.cookie("otm", of: Client.base)) }
}
