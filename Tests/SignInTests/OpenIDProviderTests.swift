import Domain
import StubServers
import Synchronization
import Testing

@testable import SignIn

/// A clock that moves only when a test sets it.
private final class Clock: Sendable {
  let nowMs = Mutex<Int64>(0)
}

@Suite("OpenID Connect provider metadata and issuer")
struct OpenIDProviderTests {
  private let authorization = PendingAuthorization(
    state: String(repeating: "s", count: 43), nonce: String(repeating: "n", count: 43),
    verifier: String(repeating: "v", count: 43), returnPath: "/", link: nil)

  private func configuration(_ server: OpenIDStub) throws -> OpenIDConfiguration {
    try OpenIDConfiguration(
      issuer: server.issuer, clientID: "onthemap client", clientSecret: "s3cret: with/signs", name: "",
      redirectURI: "http://127.0.0.1:1/callback")
  }

  /// Returns the failure to build the authorization URL, or nil.
  private func authorizationFailure(_ provider: OpenIDProvider) async -> IdentityFailure? {
    do throws(IdentityFailure) {
      _ = try await provider.authorization(of: authorization)
      return nil
    } catch { return error }
  }

  /// Returns the failure of the check of a response's issuer, or nil.
  private func failure(_ provider: OpenIDProvider, of issuer: String?) async -> IdentityFailure? {
    do throws(IdentityFailure) {
      try await provider.check(issuer: issuer)
      return nil
    } catch { return error }
  }

  @Test("Provider metadata is fetched on first use, cached for an hour and fetched again")
  func kept() async throws {
    let server = try OpenIDStub()
    let clock = Clock()
    let provider = OpenIDProvider(try configuration(server)) { clock.nowMs.withLock { $0 } }
    defer { provider.end() }
    #expect(server.server.requests.isEmpty)
    let location = try await provider.authorization(of: authorization)
    #expect(
      location.hasPrefix("\(server.server.url)/authorize?tenant=a&response_type=code&client_id=onthemap%20client&"))
    for (atMs, count) in [(IdentityLimits.metadataMs - 1, 1), (IdentityLimits.metadataMs, 2)] {
      clock.nowMs.withLock { $0 = atMs }
      _ = try await provider.authorization(of: authorization)
      #expect(server.server.requests.count == count)
    }
  }

  @Test("Metadata of another issuer or with insecure endpoints is refused and not cached")
  func metadata() async throws {
    let server = try OpenIDStub()
    let provider = OpenIDProvider(try configuration(server)) { 0 }
    defer { provider.end() }
    let cases: [(String, String, String)] = [
      ("issuer", "\"\(server.issuer)/\"", "oidc_issuer"), ("issuer", "null", "oidc_issuer"),
      ("token_endpoint", #""http://login.example.org/token""#, "oidc_endpoints"),
      ("token_endpoint", "null", "oidc_endpoints"),
      ("authorization_endpoint", #""javascript:alert(1)""#, "oidc_endpoints"),
    ]
    for (member, value, code) in cases {
      server.set { $0.metadata = [member: value] }
      #expect(
        await authorizationFailure(provider)
          == .unavailable(code: code))
    }
    server.set { $0.metadata = [:] }
    #expect(await authorizationFailure(provider) == nil)
  }

  @Test("A wrong issuer in a response is refused, and so is a missing issuer that the metadata announces")
  func issuer() async throws {
    for (sendsIssuer, wrong) in [(false, ["https://b.example"]), (true, ["https://b.example", nil])] {
      let server = try OpenIDStub()
      if sendsIssuer { server.set { $0.metadata = ["authorization_response_iss_parameter_supported": "true"] } }
      let provider = OpenIDProvider(try configuration(server)) { 0 }
      defer { provider.end() }
      for issuer in wrong {
        #expect(
          await failure(provider, of: issuer)
            == .refused(code: "oidc_response_iss"))
      }
      for issuer in sendsIssuer ? [server.issuer] : [server.issuer, nil] {
        #expect(await failure(provider, of: issuer) == nil)
      }
    }
  }

  @Test("Invalid OpenID Connect settings are refused at start")
  func settings() {
    let long = String(repeating: "a", count: IdentityLimits.credentialBytesMax)
    func make(_ issuer: String, _ id: String, _ secret: String, _ name: String) throws {
      _ = try OpenIDConfiguration(issuer: issuer, clientID: id, clientSecret: secret, name: name, redirectURI: "")
    }
    for (issuer, id, secret, name, mistake) in [
      ("", "a", "b", "", OpenIDConfiguration.ConfigurationError.issuer),
      ("http://login.example", "a", "b", "", .issuer),
      ("https://a.example?x", "a", "b", "", .issuer), ("https://a.example#x", "a", "b", "", .issuer),
      ("https://a.example", "", "b", "", .clientID), ("https://a.example", long + "a", "b", "", .clientID),
      ("https://a.example", "a", "é", "", .clientSecret), ("https://a.example", "a", "b", "\n", .name),
      ("https://a.example", "a", "b", String(repeating: "a", count: IdentityLimits.nameBytesMax + 1), .name),
    ] { #expect(throws: mistake) { try make(issuer, id, secret, name) } }
    #expect(throws: Never.self) {
      try make("https://a.example/", long, "", String(repeating: "a", count: IdentityLimits.nameBytesMax))
    }
  }
}
