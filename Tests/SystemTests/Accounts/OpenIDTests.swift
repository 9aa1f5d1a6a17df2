import Foundation
import StubServers
import Testing

@Suite("OpenID Connect login", .fixture)
struct OpenIDTests {
  @Test("A browser logs in at the provider and gets the same account each time")
  func whole() async throws {
    let fixture = try await OpenIDFixture()
    let begun = try await fixture.browser.get("\(fixture.base)/v2/login/oidc?return=/map%3Fa%3D1")
    #expect(begun.status == 303)
    let set = try #require(fixture.browser.setCookies.first)
    #expect(set.hasPrefix("otm-login=") && set.contains("HttpOnly") && set.contains("SameSite=Lax"))
    #expect(set.contains("Max-Age=600") && set.contains("Path=/"))
    let away = try await fixture.browser.get(try #require(begun.headers["location"]))
    let back = try await fixture.browser.get(try #require(away.headers["location"]))
    #expect(back.status == 303 && back.headers["location"] == "/map?a=1", "\(back)")
    #expect(back.headers["cache-control"] == "no-store" && back.headers["referrer-policy"] == "no-referrer")
    #expect(fixture.browser.cookie("otm-login", of: fixture.port) == nil)
    let client = try fixture.client
    let account = try await client.get("/v2/account")
    #expect(account["firstName"] == "Ada" && account["lastName"] == "Lovelace" && account["email"] == "ada@example.org")
    #expect(account.object["hasPassword"] as? Bool == false)
    try await client.expectService()
    let first = client.token
    #expect(try await fixture.logIn().headers["location"] == "/")
    #expect(try fixture.client.token != first, "Each login must have a new token.")
    #expect(try await fixture.client.get("/v2/account")["id"] == account["id"])
    let described = fixture.provider.server.requests.count { $0.path.hasSuffix("openid-configuration") }
    #expect(described == 1)
    let log = fixture.map.ingest.standardError
    for secret in ["s3cret", "access-1", "code/1", try #require(first)] { #expect(!log.contains(secret)) }
    #expect(log.contains("event=account_created") && log.contains("event=logged_in"))
  }

  @Test("An incomplete OpenID Connect configuration is refused at start without showing the secret")
  func half() async throws {
    let whole = [
      "ONTHEMAP_OIDC_ISSUER": "https://login.example", "ONTHEMAP_OIDC_CLIENT_ID": "a",
      "ONTHEMAP_PUBLIC_URL": "https://map.example",
    ]
    let cases: [(String, String?, String)] = [
      (
        "ONTHEMAP_PUBLIC_URL", nil,
        "--public-url (ONTHEMAP_PUBLIC_URL) is missing. Login with OpenID Connect"
      ),
      ("ONTHEMAP_OIDC_ISSUER", nil, "--oidc-issuer (ONTHEMAP_OIDC_ISSUER) is missing"),
      ("ONTHEMAP_OIDC_CLIENT_ID", nil, "--oidc-client-id (ONTHEMAP_OIDC_CLIENT_ID) is missing"),
      ("ONTHEMAP_OIDC_ISSUER", "http://login.example", "must be a URL such as"),
      ("ONTHEMAP_OIDC_CLIENT_SECRET", "hiddén", "must be a secret of printable characters, not \"***\""),
      ("ONTHEMAP_OIDC_CLIENT_SECRET_FILE", "/nowhere", "must be a readable file"),
      ("ONTHEMAP_OIDC_NAME", String(repeating: "a", count: 65), "(ONTHEMAP_OIDC_NAME) must be one line of"),
    ]
    for (name, value, text) in cases {
      var environment = whole
      environment[name] = value
      let run = try await SystemFixture.current.run(
        "ingest", "--data", SystemFixture.current.path("x"), environment: environment)
      #expect(run.status != 0 && run.log.contains(text) && !run.log.contains("hidd"), "\(run.log)")
    }
  }
}
