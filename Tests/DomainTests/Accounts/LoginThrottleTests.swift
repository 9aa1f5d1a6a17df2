import Testing

@testable import Domain

@Suite("How often somebody may try to log in")
struct LoginThrottleTests {
  private func key(_ scope: LoginThrottle.Scope, _ who: UInt8 = 1) -> LoginThrottle.Key {
    LoginThrottle.Key(scope: scope, digest: [who])
  }

  @Test(
    "So many wrong tries are free; from then on each pause is twice the one before, up to its cap",
    arguments: [
      (LoginThrottle.Scope.accountAndAddress, 5, 900), (.address, 50, 900), (.account, 100, 15),
    ])
  func pauses(scope: LoginThrottle.Scope, free: Int, capSeconds: Int64) {
    var throttle = LoginThrottle()
    let key = key(scope)
    for _ in 0..<free {
      #expect(throttle.pauseMs([key], nowMs: 7) == 0)
      throttle.count([key], nowMs: 7)
    }
    var nowMs: Int64 = 7
    var expected: Int64 = 1_000
    for _ in 0..<12 {
      #expect(throttle.pauseMs([key], nowMs: nowMs) == expected)
      #expect(throttle.pauseMs([key], nowMs: nowMs + expected - 1) == 1, "It does not grow by asking.")
      nowMs += expected
      #expect(throttle.pauseMs([key], nowMs: nowMs) == 0)
      throttle.count([key], nowMs: nowMs)
      expected = min(2 * expected, capSeconds * 1_000)
    }
  }

  @Test("Tries that are made at once count at once, before anybody knows how they end")
  func atOnce() {
    var throttle = LoginThrottle()
    let keys = [key(.accountAndAddress), key(.address)]
    let admitted = (0..<100).count { _ in
      guard throttle.pauseMs(keys, nowMs: 0) == 0 else { return false }
      throttle.count(keys, nowMs: 0)
      return true
    }
    #expect(admitted == 5)
  }

  @Test("The right password ends the count of its account and address, and the address keeps those of other accounts")
  func right() {
    var throttle = LoginThrottle()
    let keys = LoginThrottle.Scope.allCases.map { key($0) }
    for _ in 0..<49 { throttle.count([key(.accountAndAddress, 2), key(.address)], nowMs: 0) }
    for _ in 0..<5 { throttle.count(keys, nowMs: 0) }
    throttle.refund(keys, wasRight: true)
    for _ in 0..<5 { throttle.count([keys[0]], nowMs: 0) }
    #expect(throttle.pauseMs(keys, nowMs: 0) == 1_000, "Five are free again.")
    #expect(throttle.pauseMs([key(.address)], nowMs: 0) == 0, "Its own slips do not count.")
    throttle.count([key(.address)], nowMs: 0)
    #expect(
      throttle.pauseMs([key(.address)], nowMs: 0) == 1_000, "Somebody who has one password guesses no others with it.")
    for _ in 0..<96 { throttle.count([key(.account)], nowMs: 0) }
    #expect(throttle.pauseMs([key(.account)], nowMs: 0) == 1_000, "Nor does a stranger's try on the account.")
  }

  @Test("People of one address who mistype and then log in are never held up, however many they are")
  func school() {
    var throttle = LoginThrottle()
    for pupil in 0..<200 {
      let keys = [key(.accountAndAddress, UInt8(pupil)), key(.address), key(.account, UInt8(pupil))]
      for _ in 0..<3 {
        #expect(throttle.pauseMs(keys, nowMs: 0) == 0)
        throttle.count(keys, nowMs: 0)
      }
      throttle.refund(keys, wasRight: true)
    }
    #expect(throttle.pauseMs([key(.address)], nowMs: 0) == 0)
  }

  @Test("A try that came to nothing is taken back as if it had not been")
  func none() {
    var throttle = LoginThrottle()
    for _ in 0..<100 {
      throttle.count([key(.accountAndAddress)], nowMs: 0)
      throttle.refund([key(.accountAndAddress)], wasRight: false)
    }
    #expect(throttle.pauseMs([key(.accountAndAddress)], nowMs: 0) == 0)
  }

  @Test("Who is held up is nobody else, and only the longest of the pauses counts")
  func others() {
    var throttle = LoginThrottle()
    for _ in 0..<7 { throttle.count([key(.accountAndAddress)], nowMs: 0) }
    #expect(throttle.pauseMs([key(.accountAndAddress, 2), key(.address), key(.account)], nowMs: 0) == 0)
    #expect(throttle.pauseMs([key(.address), key(.accountAndAddress)], nowMs: 0) == 4_000)
  }

  @Test("A day after the last wrong try all are forgotten; a clock that is set back makes no pause longer")
  func time() {
    var throttle = LoginThrottle()
    let key = key(.accountAndAddress)
    for _ in 0..<30 { throttle.count([key], nowMs: 1_000_000_000) }
    #expect(throttle.pauseMs([key], nowMs: 0) == 900_000)
    #expect(throttle.pauseMs([key], nowMs: 1_000_000_000 + 899_999) == 1)
    throttle.count([key], nowMs: 1_000_000_000 + 86_400_000)
    #expect(throttle.pauseMs([key], nowMs: 1_000_000_000 + 86_400_000) == 0, "That was the first.")
  }

  @Test("What is kept over a restart are the counts that make a pause, and with them it goes on")
  func restart() {
    var throttle = LoginThrottle()
    let keys = [key(.accountAndAddress), key(.address)]
    for _ in 0..<4 { throttle.count(keys, nowMs: 5) }
    #expect(throttle.countsToPersist(keys).isEmpty)
    throttle.count(keys, nowMs: 5)
    throttle.count(keys, nowMs: 6)
    #expect(throttle.countsToPersist(keys) == [keys[0]: .init(tries: 6, lastMs: 6)])
    let again = LoginThrottle(throttle.countsToPersist(keys))
    #expect(again.pauseMs(keys, nowMs: 6) == 2_000)
  }

  @Test("However many try, memory is bounded, and who tries again and again is not forgotten among them")
  func bounded() {
    var throttle = LoginThrottle()
    let persistent = key(.accountAndAddress, 255)
    for turn in 0..<100 {
      throttle.count([persistent], nowMs: 0)
      for other in 0..<1_000 {
        throttle.count(
          [.init(scope: .address, digest: [UInt8(turn), UInt8(other & 255), UInt8(other >> 8)])], nowMs: 0)
      }
    }
    #expect(throttle.counts <= Limits.loginCountsMax)
    #expect(throttle.pauseMs([persistent], nowMs: 0) == 900_000)
  }
}

@Suite("Passwords that are tried first")
struct CommonPasswordTests {
  @Test(
    "What everybody takes is refused, however it is written; a sentence is not",
    arguments: [
      ("password", false), ("PassWord1", false), ("12345678", false), ("qwertyuiop", false), ("iloveyou", false),
      ("password ", true), ("correct horse battery", true), ("correct-horse", true), ("пароль-пароль", true),
      ("nul\0nul\0nul", true), ("🦜🦜", true), ("1234567", false),
    ])
  func common(password: String, isTaken: Bool) {
    if isTaken {
      #expect(throws: Never.self) { try Registration.check(password: password) }
    } else {
      #expect(throws: Submission.Refusal.self) { try Registration.check(password: password) }
    }
  }
}
