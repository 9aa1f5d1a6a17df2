import Testing

@testable import Domain

@Suite("Rate limiter with keys")
struct KeyedRateLimiterTests {
  private let school = IPAddress("192.0.2.1")

  /// A limiter of sign-ups, as ingest has it.
  private let signUps = KeyedRateLimiter<IPAddress?>(
    TokenBucket(tokens: 1, periodMs: Limits.signUpIntervalMs, capacity: Limits.signUpsOfNetworkMax),
    keysMax: Limits.signUpNetworksMax)

  @Test("A network may make 400 accounts in a burst, then one a minute, independently of other networks")
  func rate() {
    var rates = signUps
    for _ in 0..<400 { #expect(rates.consume(school, nowMs: 1_000) == 0) }
    #expect(rates.consume(school, nowMs: 1_000) == 60_000)
    #expect(rates.consume(IPAddress("192.0.2.2"), nowMs: 1_000) == 0 && rates.consume(nil, nowMs: 1_000) == 0)
    #expect(rates.consume(school, nowMs: 60_999) == 1)
    #expect(rates.consume(school, nowMs: 61_000) == 0)
    #expect(rates.consume(school, nowMs: 61_000) == 60_000, "A refused sign-up does not count.")
  }

  @Test("A network makes 60 accounts an hour, and its burst of 400 is back after 400 minutes")
  func hours() {
    var rates = signUps
    let made = (0..<10 * 3_600).count { rates.consume(school, nowMs: Int64($0) * 1_000) == 0 }
    #expect(made == 400 + 599)
    let laterMs: Int64 = 36_000_000 + 400 * 60_000
    #expect((0..<500).count { _ in rates.consume(school, nowMs: laterMs) == 0 } == 400)
  }

  @Test("A refund allows another sign-up, up to the burst")
  func refund() {
    var rates = signUps
    for _ in 0..<400 { _ = rates.consume(school, nowMs: 0) }
    rates.refund(school)
    #expect(rates.consume(school, nowMs: 0) == 0 && rates.consume(school, nowMs: 0) > 0)
    rates.refund(IPAddress("192.0.2.2"))
    #expect((0..<500).count { _ in rates.consume(IPAddress("192.0.2.2"), nowMs: 0) == 0 } == 400)
  }

  @Test("Memory is bounded, and the limiter keeps a network that continues to sign up")
  func bounded() {
    var rates = signUps
    for index in 0..<2 * Limits.signUpNetworksMax {
      if index % 200 == 0 { _ = rates.consume(school, nowMs: 0) }
      _ = rates.consume(IPAddress("10.\(index >> 16).\(index >> 8 & 255).\(index & 255)"), nowMs: 0)
    }
    #expect(rates.count <= Limits.signUpNetworksMax)
    #expect(rates.consume(school, nowMs: 0) > 0)
  }
}
