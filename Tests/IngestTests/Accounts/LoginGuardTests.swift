import Domain
import HTTPTypes
import Testing
import Web

@testable import Ingest
@testable import Messaging

@Suite("Login rate limits")
struct LoginGuardTests {
  private let map: IngestFixture
  private var loginGuard: LoginGuard { map.components.providers.logins.loginGuard }
  private static let email = "ada@example.org"

  init() throws { map = try IngestFixture(workers: 0) }

  private func source(_ address: String) -> LoginSource { LoginSource(address: IPAddress(address), agent: "") }

  /// Makes failed attempts from an address until one is refused. Returns their number.
  private func guessUntilRefused(_ address: String) async throws -> Int {
    let target = try await loginGuard.target(email: Self.email, from: source(address))
    for count in 0..<100 {
      do { loginGuard.failed(try loginGuard.begin(target)) } catch let problem as Problem {
        #expect(problem.code == "too_many_logins" && problem.status.code == 429)
        #expect(problem.retryAfterSeconds.map { $0 >= 1 } == true)
        return count
      }
    }
    throw TimeoutError(description: "no attempt was refused")
  }

  @Test("After the free attempts an address must wait, and other addresses need not")
  func free() async throws {
    #expect(try await guessUntilRefused("203.0.113.5") >= Limits.loginAttemptsFree)
    #expect(try await !loginGuard.target(email: Self.email, from: source("203.0.113.5")).isKnown)
    try loginGuard.check(try await loginGuard.target(email: Self.email, from: source("203.0.113.6")))
    try loginGuard.check(try await loginGuard.target(email: "bob@example.org", from: source("203.0.113.5")))
  }

  @Test("A right password resets the count, and a cancelled attempt does not count")
  func right() async throws {
    let target = try await loginGuard.target(email: Self.email, from: source("203.0.113.5"))
    for _ in 0..<3 {
      for _ in 1..<Limits.loginAttemptsFree { loginGuard.failed(try loginGuard.begin(target)) }
      loginGuard.succeeded(try loginGuard.begin(target))
    }
    for _ in 0..<(3 * Limits.loginAttemptsFree) { loginGuard.cancelled(try loginGuard.begin(target)) }
    try loginGuard.check(target)
  }

  @Test("An attempt counts as failed until it ends, so concurrent logins get no extra attempts")
  func atOnce() async throws {
    let target = try await loginGuard.target(email: Self.email, from: source("203.0.113.5"))
    let attempts = (0..<20).compactMap { _ in try? loginGuard.begin(target) }
    #expect((Limits.loginAttemptsFree..<20).contains(attempts.count))
    for attempt in attempts { loginGuard.cancelled(attempt) }
    try loginGuard.check(target)
  }

  @Test("An account is known on the networks of its sessions, with IPv6 /64 as one network")
  func known() async throws {
    let account = try await map.account(Self.email)
    let sessions = map.components.providers.logins.sessions
    _ = try await sessions.begin(account, from: source("2001:db8::1"), unixMs: WallClock.unixMs)
    #expect(try await loginGuard.target(email: Self.email, from: source("2001:db8::7:8:9")).isKnown)
    #expect(try await !loginGuard.target(email: Self.email, from: source("2001:db8:1::1")).isKnown)
    #expect(try await !loginGuard.target(email: "bob@example.org", from: source("2001:db8::1")).isKnown)
  }

  @Test("Counts of failed attempts survive a restart")
  func restart() async throws {
    _ = try await guessUntilRefused("203.0.113.5")
    // The next commit makes the counts durable.
    _ = try await map.account("bob@example.org")
    let again = try map.restarted(workers: 0)
    let loginGuard = again.components.providers.logins.loginGuard
    let target = try await loginGuard.target(email: Self.email, from: source("203.0.113.5"))
    let free = (0..<Limits.loginAttemptsFree).count { _ in (try? loginGuard.begin(target)) != nil }
    #expect(
      free <= 1, "Without the counts \(Limits.loginAttemptsFree) attempts would be free. One pause may have ended.")
  }

  @Test("Requests for taken addresses are rate limited by network")
  func takenAddresses() throws {
    let source = source("203.0.113.5")
    let refused = (0..<200).count { _ in (try? loginGuard.countEmailTaken(source)) == nil }
    // One or two pauses may end during the test on a slow machine.
    #expect((1...200 - Limits.loginAttemptsOfNetworkFree).contains(refused))
    #expect((0..<200).contains { _ in (try? loginGuard.check(source)) == nil })
    try loginGuard.check(self.source("203.0.113.6"))
  }
}
