import Testing

@testable import Domain

@Suite("Post rate limiter")
struct PostRateLimiterTests {
  private let ada = AccountID(rawValue: 1)
  private let bob = AccountID(rawValue: 2)

  @Test("An account may post a minute's quota in a burst, then at its rate")
  func rate() {
    var rates = PostRateLimiter(perMinute: 60)
    var consumed: [Int] = []
    for (wanted, nowMs) in [(50, 0), (50, 0), (1, 0), (1, 999), (1, 1_000), (9, 3_500), (1, 3_999), (1, 4_000)] {
      consumed.append(rates.consume(wanted, by: ada, nowMs: Int64(nowMs)))
    }
    #expect(consumed == [50, 10, 0, 0, 1, 2, 0, 1])
    #expect(rates.consume(100, by: ada, nowMs: 10_000_000) == 60)
    #expect(rates.consume(100, by: bob, nowMs: 10_000_000) == 60, "Another account has its own quota.")
  }

  @Test(
    "The pause lasts until the next token, but at least one millisecond",
    arguments: [
      (60, Int64(0), Int64(1_000)), (60, 400, 600), (60, 999, 1), (60, 5_000, 1), (1, 0, 60_000), (1_000_000, 0, 1),
    ])
  func pause(perMinute: Int, nowMs: Int64, pauseMs: Int64) {
    var rates = PostRateLimiter(perMinute: perMinute)
    #expect(rates.pauseMs(of: ada, nowMs: 0) == 1)
    #expect(rates.consume(perMinute, by: ada, nowMs: 0) == perMinute)
    #expect(rates.pauseMs(of: ada, nowMs: nowMs) == pauseMs)
    #expect(rates.consume(1, by: ada, nowMs: nowMs + pauseMs) == 1)
  }

  @Test("A refund returns tokens, up to a minute's quota")
  func refund() {
    var rates = PostRateLimiter(perMinute: 10)
    #expect(rates.consume(10, by: ada, nowMs: 0) == 10)
    rates.refund(3, to: ada)
    #expect(rates.consume(10, by: ada, nowMs: 0) == 3)
    rates.refund(100, to: ada)
    rates.refund(100, to: bob)
    #expect(rates.consume(100, by: ada, nowMs: 0) == 10 && rates.consume(100, by: bob, nowMs: 0) == 10)
  }

  @Test("A request above the quota needs the full quota, and leaves a debt for later posts")
  func aboveQuota() {
    var rates = PostRateLimiter(perMinute: 6)
    #expect(rates.consumeAll(4, by: ada, nowMs: 0) == 0)
    #expect(rates.consumeAll(4, by: ada, nowMs: 0) == 20_000, "Two tokens are missing, so none is consumed.")
    #expect(rates.consumeAll(2, by: ada, nowMs: 0) == 0)
    #expect(rates.consumeAll(20, by: ada, nowMs: 59_999) == 1, "A request above the quota waits for the full quota.")
    #expect(rates.consumeAll(20, by: ada, nowMs: 60_000) == 0)
    #expect(rates.consume(3, by: ada, nowMs: 60_000) == 0)
    #expect(rates.pauseMs(of: ada, nowMs: 60_000) == 150_000, "The pause covers a debt of 14 tokens and the next one.")
    #expect(rates.consume(3, by: ada, nowMs: 209_999) == 0 && rates.consume(3, by: ada, nowMs: 210_000) == 1)
    rates.refund(1, to: ada)
    #expect(rates.consume(100, by: ada, nowMs: .max) == 6)
  }

  @Test("The limiter forgets only accounts with a full quota")
  func forgotten() {
    var rates = PostRateLimiter(perMinute: 2)
    for number in 1...Limits.postRatesSweptAt {
      #expect(rates.consume(2, by: AccountID(rawValue: Int64(number)), nowMs: number <= 5_000 ? 0 : 60_000) == 2)
    }
    #expect(rates.count == Limits.postRatesSweptAt)
    #expect(rates.consume(1, by: ada, nowMs: 60_000) == 1)
    #expect(rates.count == Limits.postRatesSweptAt - 5_000 + 1)
    #expect(rates.consume(1, by: AccountID(rawValue: 5_001), nowMs: 60_000) == 0)
    #expect(rates.consume(2, by: bob, nowMs: 60_000) == 2)
  }
}
