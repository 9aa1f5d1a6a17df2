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

  /// A gateway whose hashes the test completes.
  private final class Gateway: Sendable {
    private let open = Mutex<[CheckedContinuation<Result<[UInt8], GatewayHashes.Failure>, Never>]>([])

    /// Number of hashes in progress.
    var count: Int { open.withLock { $0.count } }

    func end(_ result: Result<[UInt8], GatewayHashes.Failure>) {
      open.withLock { $0.popLast() }?.resume(returning: result)
    }

    func handle(_ id: UInt8, parallelMax: Int) -> HashingGateway {
      HashingGateway(id: [id], parallelMax: parallelMax) { _ in
        await withCheckedContinuation { continuation in self.open.withLock { $0.append(continuation) } }
      }
    }
  }

  @Test("A gateway gets as many hashes at a time as it computes, at any rate of posts, and another gateway its own")
  func gateways() async throws {
    Secrets.prepare()
    // The clock stands still, so a pause of ingest's own hashes would never end.
    let passwords = PasswordHasher(cores: 1, pace: { _ in .heavy }, nowMs: { 0 })
    let (first, second) = (Gateway(), Gateway())
    await withTaskGroup(of: Bool?.self) { group in
      for (gateway, id, count) in [(first, UInt8(1), 5), (second, 2, 1)] {
        for _ in 0..<count {
          group.addTask {
            await HashingGateway.$current.withValue(gateway.handle(id, parallelMax: 2)) {
              try? await compare(passwords, "x", with: nil) ?? nil
            }
          }
        }
      }
      let isFull = try? await happens { first.count == 2 && second.count == 1 }
      #expect(isFull == true)
      #expect(await passwords.waitingCount == 3)
      second.end(.success([UInt8](repeating: 0, count: 32)))
      #expect(await group.next() == false)
      #expect(first.count == 2)
      for remaining in (0..<5).reversed() {
        first.end(.success([UInt8](repeating: 0, count: 32)))
        #expect(await group.next() == false)
        let isRefilled = try? await happens { first.count == min(2, remaining) }
        #expect(isRefilled == true)
      }
    }
    #expect(await passwords.waitingCount == 0)
  }

  @Test("A hash that a gateway does not compute waits for ingest, and one of a lost gateway ends")
  func failures() async throws {
    Secrets.prepare()
    let passwords = PasswordHasher()
    let hash = try await passwords.hash("correct horse", for: request)
    for (failure, isRight) in [(.notComputed, true), (.gone, nil)] as [(GatewayHashes.Failure, Bool?)] {
      let gateway = HashingGateway(id: [1], parallelMax: 1) { _ in .failure(failure) }
      let actual = try await HashingGateway.$current.withValue(gateway) {
        try await compare(passwords, "correct horse", with: hash)
      }
      #expect(actual == isRight)
    }
    let gone = HashingGateway(id: [1], parallelMax: 1) { _ in .failure(.gone) }
    await #expect(throws: (any Error).self) {
      try await HashingGateway.$current.withValue(gone) { _ = try await passwords.hash("correct horse", for: request) }
    }
  }

  @Test("A request that waits too long for its gateway is refused, and the gateway serves the next one")
  func lateAtGateway() async throws {
    Secrets.prepare()
    let nowMs = Atomic(Int64(0))
    let passwords = PasswordHasher(nowMs: { nowMs.load(ordering: .relaxed) })
    let gateway = Gateway()
    try await HashingGateway.$current.withValue(gateway.handle(1, parallelMax: 1)) { () async throws in
      async let first = compare(passwords, "x", with: nil)
      #expect(try await happens { gateway.count == 1 })
      async let second = try? compare(passwords, "x", with: nil)
      #expect(try await happens { await passwords.waitingCount == 1 })
      nowMs.store(2 * Limits.passwordTurnWaitMs, ordering: .relaxed)
      #expect(await second == nil)
      gateway.end(.success([UInt8](repeating: 0, count: 32)))
      #expect(try await first == false)
      async let third = compare(passwords, "x", with: nil)
      #expect(try await happens { gateway.count == 1 })
      gateway.end(.success([UInt8](repeating: 0, count: 32)))
      #expect(try await third == false)
    }
  }

  @Test("A gateway's hash decides, but gateways compute no hash of another form")
  func forms() async throws {
    Secrets.prepare()
    let passwords = PasswordHasher()
    let requested = Atomic(0)
    let result = [UInt8](repeating: 5, count: 32)
    let gateway = HashingGateway(id: [1], parallelMax: 1) { _ in
      requested.add(1, ordering: .relaxed)
      return .success(result)
    }
    try await HashingGateway.$current.withValue(gateway) { () async throws in
      let hash = try await passwords.hash("correct horse", for: request)
      #expect(hash.hasSuffix("$" + result.base64))
      #expect(try await compare(passwords, "any horse", with: hash) == true)
      #expect(requested.load(ordering: .relaxed) == 2)
      #expect(try await compare(passwords, "correct horse", with: "$argon2id$v=19$m=8192,t=1,p=1$") == false)
      #expect(requested.load(ordering: .relaxed) == 2)
    }
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
