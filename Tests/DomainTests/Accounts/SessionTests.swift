import Testing

@testable import Domain

@Suite("Session ids")
struct SessionTests {
  @Test("A session id is half of the token's hash in hexadecimal digits")
  func name() {
    let id = SessionID(tokenHash: Array(0xE0...0xFF))
    #expect(id.description == "e0e1e2e3e4e5e6e7e8e9eaebecedeeef")
    #expect(SessionID(id.description) == id)
  }

  @Test(
    "A malformed session id is refused",
    arguments: [
      "", "e0e1e2e3e4e5e6e7e8e9eaebecedeee", "E0E1E2E3E4E5E6E7E8E9EAEBECEDEEEF", "e0e1e2e3e4e5e6e7e8e9eaebecedeeeg",
    ])
  func refused(text: String) {
    #expect(SessionID(text) == nil)
  }
}
