import Testing

@testable import Ingest
@testable import OnTheMap

@Suite("Passwords' hashes")
struct PasswordsTests {
  @Test(
    "They take an eighth of the machine's cores in the long run",
    arguments: [(1, 70), (2, 30), (4, 10), (7, 1), (8, 0), (64, 0)])
  func rest(cores: Int, ms: Int) {
    let rest = Passwords.rest(after: .milliseconds(10), cores: cores)
    #expect((Duration.milliseconds(ms)..<Duration.milliseconds(ms + 1)).contains(rest))
  }

  @Test("The next one begins when that is over, and no earlier")
  func pause() async throws {
    Secrets.prepare()
    let passwords = Passwords(cores: 1)
    let clock = ContinuousClock()
    let start = clock.now
    let hash = try await passwords.hash("correct horse")
    let first = clock.now - start
    #expect(try await passwords.isPassword("correct horse", of: hash))
    // The hash itself took a little less than it took to get it.
    #expect(clock.now - start > first * (Limits.passwordHashCoresShare / 2))
    #expect(try await !passwords.isPassword("wrong horse", of: hash))
  }

  @Test("As many wait as may, and who comes then is told to come again")
  func queue() async throws {
    Secrets.prepare()
    let passwords = Passwords(cores: 64)
    let served = await withTaskGroup(of: Bool.self) { group in
      for _ in 0..<4 * Limits.passwordHashesWaitingMax {
        group.addTask { (try? await passwords.isPassword("x", of: nil)) != nil }
      }
      return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
    }
    #expect(served >= Limits.passwordHashesWaitingMax + Limits.passwordHashesAtOnceMax)
    #expect(served < 4 * Limits.passwordHashesWaitingMax)
    #expect(try await !passwords.isPassword("x", of: nil), "There is room again.")
  }
}
