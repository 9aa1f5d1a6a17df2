import Foundation
import Messaging
import Synchronization
import Testing

@testable import Domain
@testable import Ingest

@Suite("Password hasher")
struct PasswordHasherTests {
  private let request = PasswordQueue.HashRequest(.login, from: IPAddress("192.0.2.1"))

  private func compare(_ passwords: PasswordHasher, _ password: String, with hash: String?) async throws -> Bool? {
    try await passwords.compare(password, with: hash, for: request) {}.isRight
  }

  @Test("A hash matches its own password only, and a missing hash matches none")
  func compare() async throws {
    Secrets.prepare()
    let passwords = PasswordHasher()
    let hash = try await passwords.hash("correct horse", for: request)
    #expect(try await compare(passwords, "correct horse", with: hash) == true)
    for other in [hash, "", nil] { #expect(try await compare(passwords, "wrong horse", with: other) == false) }
  }

  @Test(
    "The hasher serves all concurrent logins, at any rate of posts",
    arguments: PostFlow.Pace.allCases)
  func schoolClass(pace: PostFlow.Pace) async throws {
    Secrets.prepare()
    // The clock is slow, so that a busy machine meets the deadlines. It stands still if the pace needs no pauses.
    let passwords = PasswordHasher(pace: { _ in pace }, nowMs: { pace == .heavy ? Reactor.nowMs / 8 : 0 })
    let count = pace == .heavy ? 4 : 60
    let results = await withTaskGroup(of: Bool?.self) { group in
      for _ in 0..<count { group.addTask { try? await compare(passwords, "x", with: nil) ?? nil } }
      return await group.reduce(into: [Bool?]()) { $0.append($1) }
    }
    #expect(results == Array(repeating: false, count: count))
    #expect(await passwords.waitingCount == 0)
  }

  @Test("A request that refuses its turn computes nothing, and the next request gets the turn")
  func refused() async throws {
    struct Refusal: Error {}
    Secrets.prepare()
    let passwords = PasswordHasher(cores: 1)
    for _ in 0..<3 {
      await #expect(throws: Refusal.self) {
        try await passwords.compare("x", with: nil, for: request) { throw Refusal() }
      }
    }
    #expect(try await compare(passwords, "x", with: nil) == false)
  }

  @Test("Hashing threads stop yielding if other threads keep every core busy")
  func busy() async throws {
    Secrets.prepare()
    let isOver = Atomic(false)
    for _ in 0..<2 * ProcessInfo.processInfo.activeProcessorCount {
      Thread.detachNewThread { while !isOver.load(ordering: .relaxed) {} }
    }
    defer { isOver.store(true, ordering: .relaxed) }
    let passwords = PasswordHasher()
    // A hash that gets a core by chance proves nothing, so try several.
    let hasStopped = try await happens {
      _ = try await passwords.hash("correct horse", for: request)
      return await !passwords.yields
    }
    #expect(hasStopped)
  }

  @Test("A request that waits too long is refused, and others are served")
  func late() async throws {
    Secrets.prepare()
    let nowMs = Atomic(Int64(0))
    let passwords = PasswordHasher(
      cores: 1, pace: { _ in .heavy }, nowMs: { nowMs.load(ordering: .relaxed) })
    _ = try await compare(passwords, "x", with: nil)
    // The pause after that hash does not end before the clock moves.
    async let second = try? compare(passwords, "x", with: nil)
    #expect(try await happens { await passwords.waitingCount == 1 })
    nowMs.store(Limits.passwordTurnWaitMs, ordering: .relaxed)
    #expect(await second == nil)
    #expect(try await compare(passwords, "x", with: nil) == false)
  }

  @Test("A full hasher refuses a request, but a request of another network takes a slot of the largest network")
  func full() async throws {
    Secrets.prepare()
    let nowMs = Atomic(Int64(0))
    let passwords = PasswordHasher(cores: 1, pace: { _ in .heavy }, nowMs: { nowMs.load(ordering: .relaxed) })
    // The pause after this hash does not end before the clock moves.
    _ = try await passwords.hash("correct horse", for: request)
    let other = PasswordQueue.HashRequest(.login, from: IPAddress("198.51.100.1"))
    await withTaskGroup(of: Bool.self) { group in
      for _ in 0...Limits.passwordHashesWaitingMax {
        group.addTask { (try? await compare(passwords, "x", with: nil)) == nil }
      }
      #expect(await group.next() == true, "The surplus request must be refused.")
      group.addTask { (try? await passwords.compare("x", with: nil, for: other) {}) == nil }
      #expect(await group.next() == true, "The evicted request must be refused.")
      #expect(await passwords.waitingCount == Limits.passwordHashesWaitingMax)
      nowMs.store(2 * Limits.passwordTurnWaitMs, ordering: .relaxed)
      await group.waitForAll()
    }
    #expect(try await compare(passwords, "x", with: nil) == false, "A slot must be free again.")
  }

  private func happens(_ what: () async throws -> Bool) async throws -> Bool {
    let end = ContinuousClock.now + .seconds(120)
    while ContinuousClock.now < end {
      if try await what() { return true }
      try await Task.sleep(for: .milliseconds(5))
    }
    return false
  }
}
