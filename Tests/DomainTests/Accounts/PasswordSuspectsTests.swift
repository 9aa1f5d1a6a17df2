import Testing

@testable import Domain

@Suite("Networks with a wrong password")
struct PasswordSuspectsTests {
  @Test("A wrong password makes its network suspect for ten minutes or until a right one")
  func time() {
    var suspects = PasswordSuspects()
    let school = IPAddress("192.0.2.1")
    #expect(!suspects.contains(school, nowMs: 0))
    suspects.record(isRight: false, from: school, nowMs: 5)
    #expect(suspects.contains(school, nowMs: 6) && suspects.contains(school, nowMs: 600_004))
    #expect(!suspects.contains(school, nowMs: 600_005) && !suspects.contains(IPAddress("192.0.2.2"), nowMs: 6))
    suspects.record(isRight: true, from: school, nowMs: 7)
    #expect(!suspects.contains(school, nowMs: 8))
  }

  @Test("Memory for suspect networks is bounded")
  func bounded() {
    var suspects = PasswordSuspects()
    for index in 0..<2 * Limits.passwordSuspectsMax {
      let network = IPAddress("10.\(index >> 16).\(index >> 8 & 255).\(index & 255)")
      suspects.record(isRight: false, from: network, nowMs: 0)
    }
    #expect(suspects.count <= Limits.passwordSuspectsMax)
  }
}
