import CDispatch
import Foundation
import Glibc
import Synchronization
import Testing

@testable import Ingest
@testable import OnTheMap
@testable import Web

@Suite("Passwords' hashes")
struct PasswordsTests {
  @Test(
    "They take a sixteenth of the machine's cores in the long run",
    arguments: [(1, 150), (2, 70), (4, 30), (8, 10), (15, 0), (16, 0), (64, 0)])
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
    #expect(try clock.now - start > cost() * (Limits.passwordHashCoresShare / 2 - 1))
    #expect(try await !passwords.isPassword("wrong horse", of: hash))
  }

  /// What a hash takes of a core.
  private func cost() throws -> Duration {
    let memory = try #require(PasswordMemory())
    func used() -> Duration {
      var time = timespec()
      clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
      return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }
    let before = used()
    _ = PasswordHash.make("correct horse", in: memory)
    return used() - before
  }

  @Test("Where others want every core, a hash does not wait for them to end")
  func busy() async throws {
    Secrets.prepare()
    let isOver = Atomic(false)
    for _ in 0..<2 * ProcessInfo.processInfo.activeProcessorCount {
      Thread.detachNewThread { while !isOver.load(ordering: .relaxed) {} }
    }
    defer { isOver.store(true, ordering: .relaxed) }
    let passwords = Passwords(cores: 64)
    let start = ContinuousClock.now
    for _ in 0..<4 { _ = try await passwords.hash("correct horse") }
    // Behind them each would take 8 s and more.
    #expect(ContinuousClock.now - start < .seconds(20))
  }

  @Test("Who has waited for too long is told to come again, and others are served")
  func late() async throws {
    Secrets.prepare()
    // Each is followed by a pause of fifteen times as long, in which the next has waited too long.
    let passwords = Passwords(cores: 1, waitMs: 1)
    let wasLate = await happens {
      await withTaskGroup(of: Bool.self) { group in
        for _ in 0..<8 { group.addTask { (try? await passwords.hash("correct horse")) == nil } }
        return await group.contains(true)
      }
    }
    #expect(wasLate)
    #expect(await happens { (try? await passwords.hash("correct horse")) != nil }, "There is no room again.")
  }

  private func happens(_ what: () async -> Bool) async -> Bool {
    let end = ContinuousClock.now + .seconds(60)
    while ContinuousClock.now < end {
      if await what() { return true }
      try? await Task.sleep(for: .milliseconds(5))
    }
    return false
  }

  @Test("As many wait as may, and who comes then is told to come again")
  func queue() async throws {
    Secrets.prepare()
    let passwords = Passwords(cores: 64, waitMs: 600_000)
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
