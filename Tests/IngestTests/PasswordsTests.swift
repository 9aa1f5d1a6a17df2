import Foundation
import Glibc
import Testing

@testable import Ingest
@testable import OnTheMap
@testable import Web

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
    #expect(try await passwords.isPassword("correct horse", of: hash))
    // By the time of a core that one takes, not by how long it had to wait for one.
    #expect(clock.now - start > cost() * (Limits.passwordHashCoresShare / 2))
    #expect(try await !passwords.isPassword("wrong horse", of: hash))
  }

  /// What a hash takes of a core.
  private func cost() -> Duration {
    func used() -> Duration {
      var time = timespec()
      clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
      return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }
    let before = used()
    _ = Secrets.passwordHash("correct horse")
    return used() - before
  }

  @Test("Who has waited for too long is told to come again, and others are served")
  func late() async throws {
    Secrets.prepare()
    // Each is followed by a pause of seven times as long, in which the next has waited too long.
    let passwords = Passwords(cores: 1, waitMs: 1)
    let served = await withTaskGroup(of: Bool.self) { group in
      for _ in 0..<8 { group.addTask { (try? await passwords.hash("correct horse")) != nil } }
      return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
    }
    #expect((1..<8).contains(served))
    let end = ContinuousClock.now + .seconds(20)
    var isServed = false
    while !isServed, ContinuousClock.now < end {
      isServed = (try? await passwords.hash("correct horse")) != nil
      try await Task.sleep(for: .milliseconds(5))
    }
    #expect(isServed, "There is no room again.")
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
