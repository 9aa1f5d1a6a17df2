import Testing

@testable import Domain

@Suite("Address rotation")
struct AddressRotationTests {
  /// A source of the longest random pauses.
  private struct Longest: RandomNumberGenerator {
    func next() -> UInt64 { .max }
  }

  private var random = Longest()
  private var rotation = AddressRotation(["a", "b", "c"])
  private static let pauseMs = Limits.addressPauseMs - 1

  private mutating func tick(_ nowMs: Int64) -> AddressRotation<String>.Step? {
    rotation.tick(nowMs: nowMs, using: &random)
  }

  private mutating func leave(
    _ reason: AddressChangeReason = .silent, retryAfterMs: Int64 = 0, isUrgent: Bool = false, at nowMs: Int64
  ) -> AddressRotation<String>.Step? {
    rotation.leave(reason, retryAfterMs: retryAfterMs, isUrgent: isUrgent, nowMs: nowMs, using: &random)
  }

  @Test("A client uses the first address, and stays there while it answers")
  mutating func stays() {
    #expect(rotation.current == "a" && rotation.hasOthers)
    rotation.sent(isAccepted: true, nowMs: 0)
    rotation.answered()
    rotation.sent(isAccepted: false, nowMs: 1)
    let step = tick(1_000_000)
    #expect(step == nil && rotation.current == "a" && rotation.nextMs == .max)
  }

  @Test("A client may begin at any address, and keeps the order of the list")
  func beginsAnywhere() {
    #expect(AddressRotation([1, 2, 3], startingAt: 1).addresses == [2, 3, 1])
    #expect(AddressRotation([1, 2, 3], startingAt: 2).addresses == [3, 1, 2])
  }

  @Test("A client leaves a silent address, and connects to the next one after a random pause")
  mutating func silence() {
    rotation.answered()
    let left = leave(at: 7_000)
    #expect(left == .left("a", .silent) && rotation.current == "b")
    #expect(rotation.pausedUntilMs == 7_000 + Self.pauseMs && rotation.nextMs == 7_000 + Self.pauseMs)
    let early = tick(7_000 + Self.pauseMs - 1)
    let due = tick(7_000 + Self.pauseMs)
    #expect(early == nil && due == .connect && rotation.pausedUntilMs == nil)
  }

  @Test("A client does not return to an earlier address while the current one answers")
  mutating func noReturn() {
    _ = leave(at: 0)
    _ = tick(Self.pauseMs)
    rotation.answered()
    let step = tick(1_000_000)
    #expect(step == nil && rotation.current == "b")
  }

  @Test("A client leaves an address without a handshake after two seconds")
  mutating func unreachable() {
    rotation.sent(isAccepted: false, nowMs: 100)
    rotation.sent(isAccepted: false, nowMs: 200)
    #expect(rotation.nextMs == 100 + Limits.addressHandshakeMs)
    let early = tick(99 + Limits.addressHandshakeMs)
    let due = tick(100 + Limits.addressHandshakeMs)
    #expect(early == nil && due == .left("a", .unreachable))
  }

  @Test("A connection that opens in time ends the wait for the handshake, and one that is lost begins it again")
  mutating func handshake() {
    rotation.sent(isAccepted: false, nowMs: 0)
    rotation.sent(isAccepted: true, nowMs: 1_900)
    let connected = tick(2_100)
    rotation.sent(isAccepted: false, nowMs: 2_200)
    let early = tick(4_100)
    let lost = tick(4_200)
    #expect(connected == nil && early == nil && lost == .left("a", .unreachable))
  }

  @Test("A client leaves an address that accepts the connection and does not answer for the liveness timeout")
  mutating func mute() {
    rotation.sent(isAccepted: true, nowMs: 10)
    rotation.sent(isAccepted: true, nowMs: 1_010)
    let early = tick(9 + Limits.livenessMs)
    let due = tick(10 + Limits.livenessMs)
    #expect(early == nil && due == .left("a", .silent))
  }

  @Test("A client whose session is over waits for the next answer as at the start")
  mutating func awaits() {
    rotation.answered()
    rotation.awaitAnswer()
    rotation.sent(isAccepted: false, nowMs: 50)
    let due = tick(50 + Limits.addressHandshakeMs)
    #expect(due == .left("a", .unreachable))
  }

  @Test("The range of the pause doubles with each round without an answer, up to the longest, and an answer resets it")
  mutating func rounds() {
    var pauses: [Int64] = []
    for _ in 0..<15 {
      _ = leave(at: 0)
      pauses.append(rotation.pausedUntilMs ?? 0)
      _ = tick(.max)
    }
    let ranges: [Int64] = [500, 1_000, 2_000, 4_000, 4_000]
    #expect(pauses == ranges.flatMap { Array(repeating: $0 - 1, count: 3) })
    #expect(ranges.last == Limits.addressPauseCapMs)
    rotation.answered()
    _ = leave(at: 0)
    #expect(rotation.pausedUntilMs == Self.pauseMs)
  }

  @Test("The pause is random over its whole range")
  func spread() {
    var random = SystemRandomNumberGenerator()
    let pauses = (0..<1_000).map { _ in
      var rotation = AddressRotation([1, 2])
      _ = rotation.leave(.silent, nowMs: 0, using: &random)
      return rotation.pausedUntilMs ?? -1
    }
    #expect(pauses.allSatisfy { (0..<Limits.addressPauseMs).contains($0) })
    #expect(pauses.contains { $0 < 100 } && pauses.contains { $0 >= 400 })
  }

  @Test("An address that refuses is skipped until its time, unless all addresses refuse")
  mutating func refusals() {
    _ = leave(.refused, retryAfterMs: 60_000, at: 0)
    _ = tick(Self.pauseMs)
    _ = leave(.refused, retryAfterMs: 5_000, at: 1_000)
    _ = tick(1_000 + Self.pauseMs)
    #expect(rotation.current == "c")
    // The last address is silent: of the others, none wants the client yet, so it tries the same address again.
    _ = leave(at: 2_000)
    #expect(rotation.current == "c" && rotation.pausedUntilMs == 2_000 + Self.pauseMs)
    _ = tick(3_000)
    _ = leave(.refused, retryAfterMs: 30_000, at: 3_000)
    #expect(rotation.current == "b" && (rotation.pausedUntilMs ?? 0) >= 6_000)
    _ = tick(10_000)
    rotation.answered()
    _ = leave(at: 70_000)
    #expect(rotation.current == "c")
  }

  @Test("An ingest that does not lead is skipped for six seconds at most, because it may lead then")
  mutating func notLeading() {
    for (retryAfterMs, pauseMs) in [(60_000, 6_000), (6_001, 6_000), (5_999, 5_999)] as [(Int64, Int64)] {
      rotation = AddressRotation(["a", "b"])
      _ = leave(.notLeading, retryAfterMs: retryAfterMs, at: 0)
      _ = tick(Self.pauseMs)
      _ = leave(.refused, retryAfterMs: 60_000, at: 1_000)
      #expect(rotation.current == "a" && rotation.pausedUntilMs == pauseMs + Self.pauseMs)
    }
  }

  @Test("An urgent change has no pause in the first round")
  mutating func urgent() {
    _ = leave(.goodbye, isUrgent: true, at: 5)
    #expect(rotation.pausedUntilMs == 5)
    let step = tick(5)
    #expect(step == .connect)
    for _ in 0..<2 {
      _ = leave(.goodbye, isUrgent: true, at: 5)
      _ = tick(5)
    }
    _ = leave(.goodbye, isUrgent: true, at: 5)
    #expect(rotation.pausedUntilMs == 5 + 2 * Limits.addressPauseMs - 1)
  }

  @Test("Preferred addresses come before the configured ones, and only until the next preference")
  mutating func preference() {
    rotation.prefer(["x", "b"])
    #expect(rotation.addresses == ["a", "x", "b", "c"])
    _ = leave(.goodbye, isUrgent: true, at: 0)
    _ = tick(0)
    rotation.prefer([])
    #expect(rotation.addresses == ["x", "a", "b", "c"])
  }

  @Test("During a pause, a client leaves no address and counts no send")
  mutating func paused() {
    _ = leave(at: 0)
    let again = leave(at: 1)
    rotation.sent(isAccepted: false, nowMs: 1)
    _ = tick(Self.pauseMs)
    let later = tick(1_000_000)
    #expect(again == nil && later == nil && rotation.current == "b")
  }

  @Test("A client with one address never leaves it")
  func single() {
    var (random, rotation) = (SystemRandomNumberGenerator(), AddressRotation(["a"]))
    rotation.sent(isAccepted: false, nowMs: 0)
    #expect(rotation.tick(nowMs: 1_000_000, using: &random) == nil && rotation.nextMs == .max)
    #expect(rotation.leave(.refused, retryAfterMs: 5, nowMs: 0, using: &random) == nil)
    #expect(rotation.current == "a" && rotation.pausedUntilMs == nil && !rotation.hasOthers)
  }
}
