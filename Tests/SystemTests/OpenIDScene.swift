import Foundation
import StandIn
import Testing

/// A service that sends people to a stand-in provider, and a browser.
struct OpenIDScene {
  let provider: OpenIDStandIn
  let map: Services
  let port: UInt16
  let browser = Browser()

  init(
    _ provider: OpenIDStandIn? = nil, _ more: [String: String] = [:], secret: String? = "s3cret: with/signs"
  ) async throws {
    let provider = try provider ?? OpenIDStandIn()
    port = try Port.free()
    var environment = [
      "ONTHEMAP_ORIGIN": "http://127.0.0.1:\(port)", "ONTHEMAP_OIDC_ISSUER": provider.issuer,
      "ONTHEMAP_OIDC_CLIENT_ID": "onthemap client", "ONTHEMAP_OIDC_NAME": "Example",
      // Libraries say all that they have at the lowest level: no secret may be among it.
      "ONTHEMAP_LOG_LEVEL": "trace",
    ]
    environment["ONTHEMAP_OIDC_CLIENT_SECRET"] = secret
    map = try await Stage.current.up("--http", "127.0.0.1:\(port)", environment: environment.merging(more) { $1 })
    self.provider = provider
    Stage.current.keep(provider)
  }

  var base: String { "http://127.0.0.1:\(port)" }

  /// To the provider and as far as the address that it sends people back to.
  func away(_ query: String = "", headers: [String: String] = [:]) async throws -> String {
    let begun = try await browser.get("\(base)/v2/login/oidc\(query)", headers: headers)
    #expect(begun.status == 303, "\(begun)")
    let sent = try await browser.get(try #require(begun.headers["location"]))
    #expect(sent.status == 302, "\(String(decoding: sent.body, as: UTF8.self))")
    return try #require(sent.headers["location"])
  }

  /// The whole way, to the last answer.
  func logIn(_ query: String = "", headers: [String: String] = [:]) async throws -> Answer {
    try await browser.get(try await away(query, headers: headers))
  }

  /// Whoever the browser is logged in as.
  var client: Client {
    get throws {
      var client = try map.client
      client.token = browser.cookie("otm", of: port)
      return client
    }
  }
}
