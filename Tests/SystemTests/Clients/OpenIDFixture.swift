import Foundation
import StubServers
import Testing

/// A service with a stub provider, and a browser.
struct OpenIDFixture {
  let provider: OpenIDStub
  let map: Services
  let port: UInt16
  let browser = Browser()

  init() async throws {
    let provider = try OpenIDStub()
    port = try Port.free()
    let environment = [
      "ONTHEMAP_PUBLIC_URL": "http://127.0.0.1:\(port)", "ONTHEMAP_OIDC_ISSUER": provider.issuer,
      "ONTHEMAP_OIDC_CLIENT_ID": "onthemap client", "ONTHEMAP_OIDC_NAME": "Example",
      "ONTHEMAP_OIDC_CLIENT_SECRET": "s3cret: with/signs",
      // At level trace, libraries log everything. The log must contain no secret.
      "ONTHEMAP_LOG_LEVEL": "trace",
    ]
    map = try await SystemFixture.current.up("--http", "127.0.0.1:\(port)", environment: environment)
    self.provider = provider
    SystemFixture.current.keep(provider)
  }

  var base: String { "http://127.0.0.1:\(port)" }

  /// Begins a login and visits the provider. Returns the URL that the provider redirects to.
  private func away() async throws -> String {
    let begun = try await browser.get("\(base)/v2/login/oidc")
    #expect(begun.status == 303, "\(begun)")
    let sent = try await browser.get(try #require(begun.headers["location"]))
    #expect(sent.status == 302, "\(String(decoding: sent.body, as: UTF8.self))")
    return try #require(sent.headers["location"])
  }

  /// Performs the whole login. Returns the last response.
  func logIn() async throws -> APIResponse { try await browser.get(try await away()) }

  /// A client with the browser's session.
  var client: Client {
    get throws {
      var client = try map.client
      client.token = browser.cookie("otm", of: port)
      return client
    }
  }
}
