import Testing

@testable import Domain

@Suite("New accounts of a network")
struct SignUpRateTests {
  private let school = IPAddress("192.0.2.1")

  @Test("A network makes 400 at once, then one a minute; another network's are its own")
  func rate() {
    var rates = SignUpRateLimiter()
    for _ in 0..<400 { #expect(rates.consume(school, nowMs: 1_000) == 0) }
    #expect(rates.consume(school, nowMs: 1_000) == 60_000)
    #expect(rates.consume(IPAddress("192.0.2.2"), nowMs: 1_000) == 0 && rates.consume(nil, nowMs: 1_000) == 0)
    #expect(rates.consume(school, nowMs: 60_999) == 1)
    #expect(rates.consume(school, nowMs: 61_000) == 0)
    #expect(rates.consume(school, nowMs: 61_000) == 60_000, "A refused one does not count.")
  }

  @Test("A network that goes on for hours makes 60 an hour, and after 400 minutes without one all at once again")
  func hours() {
    var rates = SignUpRateLimiter()
    let made = (0..<10 * 3_600).count { rates.consume(school, nowMs: Int64($0) * 1_000) == 0 }
    #expect(made == 400 + 599)
    let laterMs: Int64 = 36_000_000 + 400 * 60_000
    #expect((0..<500).count { _ in rates.consume(school, nowMs: laterMs) == 0 } == 400)
  }

  @Test("A sign-up that made no account is given back")
  func givenBack() {
    var rates = SignUpRateLimiter()
    for _ in 0..<400 { _ = rates.consume(school, nowMs: 0) }
    rates.refund(school)
    #expect(rates.consume(school, nowMs: 0) == 0 && rates.consume(school, nowMs: 0) > 0)
    rates.refund(IPAddress("192.0.2.2"))
    #expect((0..<500).count { _ in rates.consume(IPAddress("192.0.2.2"), nowMs: 0) == 0 } == 400)
  }

  @Test("However many networks sign up, memory is bounded, and one that goes on is not forgotten among them")
  func bounded() {
    var rates = SignUpRateLimiter()
    for index in 0..<2 * Limits.signUpNetworksMax {
      if index % 200 == 0 { _ = rates.consume(school, nowMs: 0) }
      _ = rates.consume(IPAddress("10.\(index >> 16).\(index >> 8 & 255).\(index & 255)"), nowMs: 0)
    }
    #expect(rates.count <= Limits.signUpNetworksMax)
    #expect(rates.consume(school, nowMs: 0) > 0)
  }
}
