import Foundation
import StubServers
import Testing

@testable import SignIn

@Suite("ID token validation")
struct IDTokenTests {
  private static let now: Int64 = 1_700_000_000
  private static let leeway = IdentityLimits.leewaySeconds

  private func fault(_ claims: [String: Any]) throws -> IDToken.Fault? {
    let whole: [String: Any] = [
      "iss": "https://login.example/", "aud": "client", "sub": "1", "exp": Self.now + 300, "iat": Self.now,
      "nonce": "n",
    ]
    let data = try JSONSerialization.data(
      withJSONObject: whole.merging(claims) { $1 }.filter { !($0.value is NSNull) })
    do throws(IDToken.Fault) {
      try IDToken(OpenIDStub.token(String(decoding: data, as: UTF8.self))).check(
        issuer: "https://login.example/", clientID: "client", nonce: "n", nowSeconds: Self.now)
      return nil
    } catch { return error }
  }

  @Test("Each rule of OpenID Connect Core 3.1.3.7 is enforced, up to its limit")
  func rules() throws {
    let cases: [([String: Any], IDToken.Fault?)] = [
      ([:], nil), (["more": [1]], nil),
      (["iss": "https://login.example"], .issuer), (["iss": "https://LOGIN.example/"], .issuer),
      (["iss": NSNull()], .issuer),
      (["aud": "another"], .audience), (["aud": NSNull()], .audience), (["aud": [String]()], .audience),
      (["aud": ["another"]], .audience), (["aud": 5], .audience), (["aud": ["client"]], nil),
      (["aud": ["client", "another"]], .authorizedParty), (["aud": ["client", "another"], "azp": "client"], nil),
      (["aud": ["client", "another"], "azp": "another"], .authorizedParty), (["azp": "another"], .authorizedParty),
      (["azp": "client"], nil), (["azp": 5], .authorizedParty),
      (["exp": Self.now - Self.leeway], .expiry), (["exp": Self.now - Self.leeway + 1], nil),
      (["exp": NSNull()], .expiry),
      (["exp": "tomorrow"], .expiry),
      (["iat": Self.now + Self.leeway], nil), (["iat": Self.now + Self.leeway + 1], .issuedAt),
      (["iat": NSNull()], .issuedAt),
      (["iat": Self.now - IdentityLimits.statementAgeSeconds], nil),
      (["iat": Self.now - IdentityLimits.statementAgeSeconds - 1], .issuedAt),
      (["nonce": "m"], .nonce), (["nonce": NSNull()], .nonce), (["nonce": ""], .nonce),
      (["sub": NSNull()], .subject), (["sub": ""], .subject), (["sub": 1], .subject),
    ]
    for (claims, expected) in cases { #expect(try fault(claims) == expected, "\(claims)") }
    // The table covers every rule but the token's form.
    #expect(Set(cases.compactMap(\.1)) == Set(IDToken.Fault.allCases).subtracting([.form]))
  }

  @Test("Text that is not a JSON Web Token is refused")
  func form() {
    let good = OpenIDStub.token("{}")
    #expect(throws: Never.self) { try IDToken(good) }
    let parts = good.split(separator: ".").map(String.init)
    for bad in [
      "", "a", "..", "\(parts[0]).\(parts[1])", "\(good).x", "x.\(parts[1]).x", "\(parts[0]).x.x", "\(parts[0]).é.x",
      "\(parts[0]).\(Data("[]".utf8).base64EncodedString()).x", "\(parts[1]).\(parts[1]).x",
      "\(parts[0]).\(parts[1])=.x",
    ] {
      #expect(throws: IDToken.Fault.form, "\(bad)") { try IDToken(bad) }
    }
  }
}
