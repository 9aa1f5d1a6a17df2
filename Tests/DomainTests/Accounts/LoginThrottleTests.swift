import Testing

@testable import Domain

@Suite("Login throttle")
struct LoginThrottleTests {
  private func key(_ scope: LoginThrottle.Scope, _ id: UInt8 = 1) -> LoginThrottle.Key {
    LoginThrottle.Key(scope: scope, digest: [id])
  }

  @Test(
    "Each failed attempt after the free attempts doubles the pause, up to the cap of its scope",
    arguments: [
      (LoginThrottle.Scope.accountAndNetwork, 5, 900), (.network, 50, 900), (.account, 100, 15),
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
      #expect(throttle.pauseMs([key], nowMs: nowMs + expected - 1) == 1, "Reading the pause does not lengthen it.")
      nowMs += expected
      #expect(throttle.pauseMs([key], nowMs: nowMs) == 0)
      throttle.count([key], nowMs: nowMs)
      expected = min(2 * expected, capSeconds * 1_000)
    }
  }

  @Test("Parallel attempts count as failures until their passwords prove right")
  func parallel() {
    var throttle = LoginThrottle()
    let keys = [key(.accountAndNetwork), key(.network)]
    let admitted = (0..<100).count { _ in
      guard throttle.pauseMs(keys, nowMs: 0) == 0 else { return false }
      throttle.count(keys, nowMs: 0)
      return true
    }
    #expect(admitted == 5)
  }

  @Test("A successful login clears only the failures of its own account and address")
  func success() {
    var throttle = LoginThrottle()
    let keys = LoginThrottle.Scope.allCases.map { key($0) }
    for _ in 0..<49 { throttle.count([key(.accountAndNetwork, 2), key(.network)], nowMs: 0) }
    for _ in 0..<5 { throttle.count(keys, nowMs: 0) }
    throttle.refund(keys, wasRight: true)
    for _ in 0..<5 { throttle.count([keys[0]], nowMs: 0) }
    #expect(throttle.pauseMs(keys, nowMs: 0) == 1_000, "Five attempts are free again.")
    #expect(
      throttle.pauseMs([key(.network)], nowMs: 0) == 0, "The account's own failures no longer count for the address.")
    throttle.count([key(.network)], nowMs: 0)
    #expect(
      throttle.pauseMs([key(.network)], nowMs: 0) == 1_000,
      "A right password does not clear guesses at other accounts.")
    for _ in 0..<96 { throttle.count([key(.account)], nowMs: 0) }
    #expect(
      throttle.pauseMs([key(.account)], nowMs: 0) == 1_000,
      "A right password does not clear strangers' attempts at the account.")
  }

  @Test("Two hundred people behind one address never wait if each mistypes twice and then logs in")
  func school() {
    var throttle = LoginThrottle()
    for user in 0..<200 {
      let keys = [key(.accountAndNetwork, UInt8(user)), key(.network), key(.account, UInt8(user))]
      for _ in 0..<3 {
        #expect(throttle.pauseMs(keys, nowMs: 0) == 0)
        throttle.count(keys, nowMs: 0)
      }
      throttle.refund(keys, wasRight: true)
    }
    #expect(throttle.pauseMs([key(.network)], nowMs: 0) == 0)
  }

  @Test("A refunded attempt does not count")
  func none() {
    var throttle = LoginThrottle()
    for _ in 0..<100 {
      throttle.count([key(.accountAndNetwork)], nowMs: 0)
      throttle.refund([key(.accountAndNetwork)], wasRight: false)
    }
    #expect(throttle.pauseMs([key(.accountAndNetwork)], nowMs: 0) == 0)
  }

  @Test("A pause delays only its own key, and the longest pause of several keys counts")
  func others() {
    var throttle = LoginThrottle()
    for _ in 0..<7 { throttle.count([key(.accountAndNetwork)], nowMs: 0) }
    #expect(throttle.pauseMs([key(.accountAndNetwork, 2), key(.network), key(.account)], nowMs: 0) == 0)
    #expect(throttle.pauseMs([key(.network), key(.accountAndNetwork)], nowMs: 0) == 4_000)
  }

  @Test("Counts expire a day after the last failure, and a clock set back does not lengthen a pause")
  func time() {
    var throttle = LoginThrottle()
    let key = key(.accountAndNetwork)
    for _ in 0..<30 { throttle.count([key], nowMs: 1_000_000_000) }
    #expect(throttle.pauseMs([key], nowMs: 0) == 900_000)
    #expect(throttle.pauseMs([key], nowMs: 1_000_000_000 + 899_999) == 1)
    throttle.count([key], nowMs: 1_000_000_000 + 86_400_000)
    #expect(
      throttle.pauseMs([key], nowMs: 1_000_000_000 + 86_400_000) == 0,
      "The attempt after a day is the first of a new count.")
  }

  @Test("The throttle persists only counts that cause a pause, and resumes the pause after a restart")
  func restart() {
    var throttle = LoginThrottle()
    let keys = [key(.accountAndNetwork), key(.network)]
    for _ in 0..<4 { throttle.count(keys, nowMs: 5) }
    #expect(throttle.countsToPersist(keys).isEmpty)
    throttle.count(keys, nowMs: 5)
    throttle.count(keys, nowMs: 6)
    #expect(throttle.countsToPersist(keys) == [keys[0]: .init(attempts: 6, lastMs: 6)])
    let again = LoginThrottle(throttle.countsToPersist(keys))
    #expect(again.pauseMs(keys, nowMs: 6) == 2_000)
  }

  @Test("Memory is bounded, and the throttle keeps a key that continues to fail")
  func bounded() {
    var throttle = LoginThrottle()
    let persistent = key(.accountAndNetwork, 255)
    for turn in 0..<100 {
      throttle.count([persistent], nowMs: 0)
      for other in 0..<1_000 {
        throttle.count(
          [.init(scope: .network, digest: [UInt8(turn), UInt8(other & 255), UInt8(other >> 8)])], nowMs: 0)
      }
    }
    #expect(throttle.counts <= Limits.loginCountsMax)
    #expect(throttle.pauseMs([persistent], nowMs: 0) == 900_000)
  }
}

@Suite("Common passwords")
struct CommonPasswordTests {
  @Test(
    "Registration refuses common passwords in any letter case, and accepts a phrase",
    arguments: [
      ("password", false), ("PassWord1", false), ("12345678", false), ("qwertyuiop", false), ("iloveyou", false),
      ("password ", true), ("correct horse battery", true), ("correct-horse", true), ("пароль-пароль", true),
      ("nul\0nul\0nul", true), ("🦜🦜", true), ("1234567", false),
    ])
  func common(password: String, isAccepted: Bool) {
    if isAccepted {
      #expect(throws: Never.self) { try Registration.check(password: password) }
    } else {
      #expect(throws: Submission.Refusal.self) { try Registration.check(password: password) }
    }
  }
}
