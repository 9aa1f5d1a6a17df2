import Testing

@testable import SignIn

@Suite("Digests")
struct DigestTests {
  @Test("A PKCE challenge matches RFC 7636, appendix B")
  func challenge() {
    #expect(
      Digest.sha256("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk") == "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM")
  }

  @Test("HMAC-SHA256 matches known values, with keys shorter and longer than a block")
  func hmac() {
    #expect(
      Digest.hmacSHA256("what do ya want for nothing?", key: "Jefe")
        == "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843")
    // Computed with Python's `hmac`.
    #expect(
      Digest.hmacSHA256("token", key: String(repeating: "k", count: 131))
        == "42396b33d27cdd357c4fcdff1f0773270a10cacbb2dc50001506d70a0e362509")
  }
}
