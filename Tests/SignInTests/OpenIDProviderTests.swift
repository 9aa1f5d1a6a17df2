import Domain
import StubServers
import Synchronization
import Testing

@testable import SignIn

/// A clock that stands still until it is set.
private final class Clock: Sendable {
  let nowMs = Mutex<Int64>(0)
}

@Suite("What a provider of OpenID Connect is asked")
struct OpenIDProviderTests {
  private let flow = PendingAuthorization(
    state: String(repeating: "s", count: 43), nonce: String(repeating: "n", count: 43),
    verifier: String(repeating: "v", count: 43), returnPath: "/", link: nil)

  private func configuration(_ server: OpenIDStub) throws -> OpenIDConfiguration {
    try OpenIDConfiguration(
      issuer: server.issuer, clientID: "onthemap client", clientSecret: "s3cret: with/signs", name: "",
      redirectURI: "http://127.0.0.1:1/callback")
  }

  /// What sending somebody to the provider fails with.
  private func failureToSend(_ provider: OpenIDProvider) async -> IdentityFailure? {
    do throws(IdentityFailure) {
      _ = try await provider.authorization(of: flow)
      return nil
    } catch { return error }
  }

  /// What taking an answer that names an issuer fails with.
  private func failure(_ provider: OpenIDProvider, of issuer: String?) async -> IdentityFailure? {
    do throws(IdentityFailure) {
      try await provider.check(issuer: issuer)
      return nil
    } catch { return error }
  }

  @Test("Its description is asked for when it is needed, kept for an hour, and asked for again")
  func kept() async throws {
    let server = try OpenIDStub()
    let clock = Clock()
    let provider = OpenIDProvider(try configuration(server)) { clock.nowMs.withLock { $0 } }
    defer { provider.end() }
    #expect(server.server.requests.isEmpty)
    let location = try await provider.authorization(of: flow)
    #expect(
      location.hasPrefix("\(server.server.url)/authorize?tenant=a&response_type=code&client_id=onthemap%20client&"))
    for (atMs, count) in [(IdentityLimits.metadataMs - 1, 1), (IdentityLimits.metadataMs, 2)] {
      clock.nowMs.withLock { $0 = atMs }
      _ = try await provider.authorization(of: flow)
      #expect(server.server.requests.count == count)
    }
  }

  @Test("A description that is another's, or has us ask in the clear, is not taken; nor is it kept")
  func metadata() async throws {
    let server = try OpenIDStub()
    let provider = OpenIDProvider(try configuration(server)) { 0 }
    defer { provider.end() }
    let cases: [(String, String, String)] = [
      ("issuer", "\"\(server.issuer)/\"", "openid_issuer"), ("issuer", "null", "openid_issuer"),
      ("token_endpoint", #""http://login.example.org/token""#, "openid_endpoints"),
      ("token_endpoint", "null", "openid_endpoints"),
      ("authorization_endpoint", #""javascript:alert(1)""#, "openid_endpoints"),
    ]
    for (member, value, code) in cases {
      server.set { $0.metadata = [member: value] }
      #expect(
        await failureToSend(provider)
          == .unavailable(code: code))
    }
    server.set { $0.metadata = [:] }
    #expect(await failureToSend(provider) == nil)
  }

  @Test("An answer that names another provider, or none where this one names itself, is not taken")
  func issuer() async throws {
    for (names, wrong) in [(false, ["https://b.example"]), (true, ["https://b.example", nil])] {
      let server = try OpenIDStub()
      if names { server.set { $0.metadata = ["authorization_response_iss_parameter_supported": "true"] } }
      let provider = OpenIDProvider(try configuration(server)) { 0 }
      defer { provider.end() }
      for issuer in wrong {
        #expect(
          await failure(provider, of: issuer)
            == .refused(code: "openid_answer_iss"))
      }
      for issuer in names ? [server.issuer] : [server.issuer, nil] {
        #expect(await failure(provider, of: issuer) == nil)
      }
    }
  }

  @Test("What is wrong with the settings is said at the start")
  func settings() {
    let long = String(repeating: "a", count: IdentityLimits.credentialBytesMax)
    func make(_ issuer: String, _ id: String, _ secret: String, _ name: String) throws {
      _ = try OpenIDConfiguration(issuer: issuer, clientID: id, clientSecret: secret, name: name, redirectURI: "")
    }
    for (issuer, id, secret, name, mistake) in [
      ("", "a", "b", "", OpenIDConfiguration.ConfigurationError.issuer), ("http://login.example", "a", "b", "", .issuer),
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
