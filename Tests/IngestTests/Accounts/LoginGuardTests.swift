import Domain
import HTTPTypes
import Testing
import Web

@testable import Ingest
@testable import Messaging

@Suite("Tries to log in")
struct LoginGuardTests {
  private let map: IngestFixture
  private var tries: LoginGuard { map.components.providers.logins.loginGuard }
  private static let email = "ada@example.org"

  init() throws { map = try IngestFixture(workers: 0) }

  private func source(_ address: String) -> LoginSource { LoginSource(address: IPAddress(address), agent: "") }

  /// Makes wrong tries from an address until one is refused.
  private func holdUp(_ address: String) async throws -> Int {
    let target = try await tries.target(email: Self.email, from: source(address))
    for count in 0..<100 {
      do { tries.failed(try tries.begin(target)) } catch let problem as Problem {
        #expect(problem.code == "too_many_logins" && problem.status.code == 429)
        #expect(problem.retryAfterSeconds.map { $0 >= 1 } == true)
        return count
      }
    }
    throw TimeoutError(description: "nobody was held up")
  }

  @Test("After the free tries an address waits, and another address of another network does not")
  func free() async throws {
    #expect(try await holdUp("203.0.113.5") >= Limits.loginAttemptsFree)
    #expect(try await !tries.target(email: Self.email, from: source("203.0.113.5")).isKnown)
    try tries.check(try await tries.target(email: Self.email, from: source("203.0.113.6")))
    try tries.check(try await tries.target(email: "bob@example.org", from: source("203.0.113.5")))
  }

  @Test("The right password takes wrong ones back, and a try without an outcome counts nothing")
  func right() async throws {
    let target = try await tries.target(email: Self.email, from: source("203.0.113.5"))
    for _ in 0..<3 {
      for _ in 1..<Limits.loginAttemptsFree { tries.failed(try tries.begin(target)) }
      tries.succeeded(try tries.begin(target))
    }
    for _ in 0..<(3 * Limits.loginAttemptsFree) { tries.cancelled(try tries.begin(target)) }
    try tries.check(target)
  }

  @Test("A try counts as wrong from its beginning: many at once get no more than the free ones")
  func atOnce() async throws {
    let target = try await tries.target(email: Self.email, from: source("203.0.113.5"))
    let begun = (0..<20).compactMap { _ in try? tries.begin(target) }
    #expect((Limits.loginAttemptsFree..<20).contains(begun.count))
    for tried in begun { tries.cancelled(tried) }
    try tries.check(target)
  }

  @Test("An account is known from the network of its sessions, by its IPv6 /64 as a whole")
  func known() async throws {
    let account = try await map.account(Self.email)
    let sessions = map.components.providers.logins.sessions
    _ = try await sessions.begin(account, from: source("2001:db8::1"), unixMs: WallClock.unixMs)
    #expect(try await tries.target(email: Self.email, from: source("2001:db8::7:8:9")).isKnown)
    #expect(try await !tries.target(email: Self.email, from: source("2001:db8:1::1")).isKnown)
    #expect(try await !tries.target(email: "bob@example.org", from: source("2001:db8::1")).isKnown)
  }

  @Test("Counts stand after a restart")
  func restart() async throws {
    _ = try await holdUp("203.0.113.5")
    // Counts are on disk with the next commit.
    _ = try await map.account("bob@example.org")
    let again = try map.restarted(workers: 0)
    let tries = again.components.providers.logins.loginGuard
    let target = try await tries.target(email: Self.email, from: source("203.0.113.5"))
    let free = (0..<Limits.loginAttemptsFree).count { _ in (try? tries.begin(target)) != nil }
    #expect(free <= 1, "Without the counts \(Limits.loginAttemptsFree) tries would be free again; a pause may have ended.")
  }

  @Test("Requests for addresses that have an account are counted by network")
  func taken() throws {
    let source = source("203.0.113.5")
    let refused = (0..<200).count { _ in (try? tries.countEmailTaken(source)) == nil }
    // A slow machine may outlast a pause or two.
    #expect((1...200 - Limits.loginAttemptsOfAddressFree).contains(refused))
    #expect((0..<200).contains { _ in (try? tries.check(source)) == nil })
    try tries.check(self.source("203.0.113.6"))
  }
}
