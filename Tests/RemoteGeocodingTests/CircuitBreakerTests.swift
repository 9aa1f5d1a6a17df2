import Testing

@testable import RemoteGeocoding

/// A reference to a breaker, so that expectations can call its mutating methods.
private final class BreakerBox {
  private var breaker = CircuitBreaker()

  func admit(nowMs: Int64) -> CircuitBreaker.Permit? { breaker.admit(nowMs: nowMs) }
  func isOpen(nowMs: Int64) -> Bool { breaker.isOpen(nowMs: nowMs) }
  func succeed(_ permit: CircuitBreaker.Permit) { breaker.succeed(permit) }
  func fail(_ permit: CircuitBreaker.Permit, nowMs: Int64) { breaker.fail(permit, nowMs: nowMs) }
  func block(_ permit: CircuitBreaker.Permit, nowMs: Int64) { breaker.block(permit, nowMs: nowMs) }
  func release(_ permit: CircuitBreaker.Permit, nowMs: Int64) { breaker.release(permit, nowMs: nowMs) }
}

@Suite("Circuit breaker")
struct CircuitBreakerTests {
  /// Makes `times` requests that fail.
  private func fail(_ breaker: BreakerBox, times: Int, atMs: Int64) {
    for _ in 0..<times {
      guard let permit = breaker.admit(nowMs: atMs) else { return }
      breaker.fail(permit, nowMs: atMs)
    }
  }

  private func succeed(_ breaker: BreakerBox, atMs: Int64) {
    if let permit = breaker.admit(nowMs: atMs) { breaker.succeed(permit) }
  }

  @Test("Five consecutive failures open the breaker for 30 seconds, and four do not")
  func inARow() {
    let breaker = BreakerBox()
    fail(breaker, times: 4, atMs: 0)
    #expect(!breaker.isOpen(nowMs: 0))
    fail(breaker, times: 1, atMs: 100)
    #expect(breaker.isOpen(nowMs: 30_099) && !breaker.isOpen(nowMs: 30_100))
    #expect(breaker.admit(nowMs: 30_099) == nil)
  }

  @Test("A success resets the count of consecutive failures")
  func success() {
    let breaker = BreakerBox()
    for _ in 0..<3 {
      fail(breaker, times: 4, atMs: 0)
      for _ in 0..<5 { succeed(breaker, atMs: 0) }
    }
    #expect(!breaker.isOpen(nowMs: 0))
  }

  @Test("Eleven failures among the last twenty requests open the breaker, and ten do not")
  func half() {
    let breaker = BreakerBox()
    for _ in 0..<10 {
      fail(breaker, times: 1, atMs: 0)
      succeed(breaker, atMs: 0)
    }
    #expect(!breaker.isOpen(nowMs: 0))
    // This failure replaces an older failure, so ten remain. The next one replaces a success and is the eleventh.
    fail(breaker, times: 1, atMs: 0)
    #expect(!breaker.isOpen(nowMs: 0))
    fail(breaker, times: 1, atMs: 0)
    #expect(breaker.isOpen(nowMs: 0))
  }

  @Test("A breaker admits one probe after its pause, and the probe's success closes the breaker")
  func probe() throws {
    let breaker = BreakerBox()
    fail(breaker, times: 5, atMs: 0)
    let permit = try #require(breaker.admit(nowMs: 30_000))
    #expect(breaker.admit(nowMs: 30_000) == nil && breaker.isOpen(nowMs: 30_000))
    breaker.succeed(permit)
    #expect(breaker.admit(nowMs: 30_000) != nil)
    fail(breaker, times: 5, atMs: 40_000)
    #expect(!breaker.isOpen(nowMs: 70_000), "The next pause must be the shortest again.")
  }

  @Test("Each failed probe doubles the pause, up to ten minutes")
  func doubling() {
    let breaker = BreakerBox()
    fail(breaker, times: 5, atMs: 0)
    var nowMs: Int64 = 30_000
    for pauseMs: Int64 in [60_000, 120_000, 240_000, 480_000, 600_000, 600_000] {
      fail(breaker, times: 1, atMs: nowMs)
      #expect(breaker.isOpen(nowMs: nowMs + pauseMs - 1) && !breaker.isOpen(nowMs: nowMs + pauseMs))
      nowMs += pauseMs
    }
  }

  @Test("A provider's refusal opens the breaker for an hour, in any state")
  func blocked() throws {
    let breaker = BreakerBox()
    let permits = [try #require(breaker.admit(nowMs: 0)), try #require(breaker.admit(nowMs: 0))]
    breaker.block(permits[0], nowMs: 0)
    #expect(breaker.isOpen(nowMs: 3_599_999) && !breaker.isOpen(nowMs: 3_600_000))
    breaker.succeed(permits[1])
    #expect(breaker.isOpen(nowMs: 1), "A request that began before the refusal must not close the breaker.")
    breaker.block(try #require(breaker.admit(nowMs: 3_600_000)), nowMs: 3_600_000)
    #expect(breaker.isOpen(nowMs: 7_199_999))
  }

  @Test("A breaker admits another probe after the release of an unused probe")
  func released() throws {
    let breaker = BreakerBox()
    fail(breaker, times: 5, atMs: 0)
    breaker.release(try #require(breaker.admit(nowMs: 30_000)), nowMs: 30_000)
    #expect(breaker.admit(nowMs: 30_000) != nil)
  }

  @Test("A breaker ignores the outcome of a request that began before it opened")
  func late() throws {
    let breaker = BreakerBox()
    let early = try #require(breaker.admit(nowMs: 0))
    fail(breaker, times: 5, atMs: 0)
    breaker.succeed(early)
    breaker.fail(early, nowMs: 20_000)
    #expect(breaker.isOpen(nowMs: 29_999) && !breaker.isOpen(nowMs: 30_000))
  }
}
