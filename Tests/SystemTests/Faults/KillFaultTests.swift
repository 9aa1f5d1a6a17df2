import Foundation
import Glibc
import Testing

@Suite("Faults: kill -9", .fixture, .serialized)
struct KillFaultTests {
  /// Maximum time from the kill to the ready line, while all other processes run. Checked in full runs only.
  private static let readyWithin = Duration.seconds(5)

  @Test("Killing any role at any moment loses and duplicates no accepted post", .enabled(if: SQL.isAvailable))
  func random() async throws {
    let seed = ProcessInfo.processInfo.environment["FAULT_SEED"].flatMap { UInt64($0) } ?? .random(in: 1...1_000_000)
    let kills = Fault.isFull ? 50 : 5
    Fault.printLine("\(kills) kills from FAULT_SEED=\(seed)")
    var random = SeededRandom(seed)
    let trial = try await Trial(on: SystemFixture.current.roles())
    let roles = [trial.map.ingest, trial.map.workers[0], trial.map.workers[1], try #require(trial.map.feed)]
    var (slowest, ticks) = (Duration.zero, 0)
    for number in 0..<kills {
      // Kill ingest every other time, because it holds the data.
      let victim = number.isMultiple(of: 2) ? roles[0] : roles[1 + Int(random.next() % 3)]
      try await Task.sleep(for: .milliseconds(50 + Int(random.next() % 700)))
      victim.signal(SIGKILL)
      #expect(try await victim.exit() == -SIGKILL, "The kill must end the role.")
      let begun = ContinuousClock.now
      try await victim.startAndWait()
      ticks = max(ticks, try victim.cpuTicks)
      slowest = max(slowest, begun.duration(to: .now))
    }
    #expect(ticks < 500, "\(ticks) hundredths of a second of CPU time until it is ready")
    if Fault.isFull { #expect(slowest < Self.readyWithin) }
    try await trial.expectWhole("\(kills) kills, seed \(seed), slowest start \(slowest)")
  }

  /// A moment of a commit, and the system call that marks it.
  enum Moment: String, CaseIterable, Sendable {
    case beforeTheLogIsWritten = "pwrite64"
    case betweenWriteAndSync = "fdatasync"
    case beforeAResponseIsSent = "sendto"

    func tampering(_ count: Int) -> SyscallFault {
      let log = Trial.data + "/onthemap.sqlite-wal"
      return SyscallFault("\(rawValue):signal=SIGKILL:when=\(count)", on: self == .beforeAResponseIsSent ? nil : log)
    }
  }

  @Test(
    "Killing ingest at a given moment of a commit loses and duplicates no accepted post",
    .enabled(if: SQL.isAvailable), .enabled(if: SyscallFault.isAvailable, "strace is missing, or may not trace here"),
    arguments: Moment.allCases)
  func moment(moment: Moment) async throws {
    let trial = try await Trial(on: SystemFixture.current.roles())
    let ingest = trial.map.ingest
    let counts = Fault.isFull ? [1, 2, 3, 5, 8, 13, 21, 34, 55, 89] : [7]
    for count in counts {
      try await ingest.kill()
      // The kill may come during the start, which also commits and sends.
      try ingest.start(under: moment.tampering(count).command)
      #expect(try await ingest.exit() == -SIGKILL, "Ingest must reach \(moment) \(count).")
      try await ingest.startAndWait()
      try await trial.ledger.advance(by: 5)
    }
    try await trial.expectWhole("killed at \(moment) \(counts)")
  }

  @Test(
    "Killing ingest between a sync and its responses loses and duplicates no accepted post",
    .enabled(if: SQL.isAvailable), .enabled(if: SyscallFault.isAvailable, "strace is missing, or may not trace here"))
  func beforeResponse() async throws {
    let trial = try await Trial(on: SystemFixture.current.roles())
    let ingest = trial.map.ingest
    for _ in 0..<(Fault.isFull ? 10 : 1) {
      let tampering = SyscallFault("fdatasync:delay_exit=200000", on: Trial.data + "/onthemap.sqlite-wal")
      try await ingest.kill()
      try await ingest.startAndWait(under: tampering.command)
      let before = tampering.count
      // Ingest mostly waits after a sync, so the kill may come at any moment.
      try await eventually("some syncs have waited") { tampering.count >= before + 3 }
      ingest.signal(SIGKILL)
      #expect(try await ingest.exit() == -SIGKILL)
      try await ingest.startAndWait()
    }
    try await trial.expectWhole("killed after a sync")
  }

  @Test(
    "Killing ingest during its last checkpoint loses and duplicates no accepted post",
    .enabled(if: SQL.isAvailable), .enabled(if: SyscallFault.isAvailable, "strace is missing, or may not trace here"),
    .enabled(if: Fault.isFull, Fault.full))
  func checkpoint() async throws {
    let trial = try await Trial(on: SystemFixture.current.roles())
    let ingest = trial.map.ingest
    for count in Fault.isFull ? [1, 2, 3, 5, 8] : [2] {
      let tampering = SyscallFault("pwrite64:signal=SIGKILL:when=\(count)", on: Trial.data + "/onthemap.sqlite")
      try await ingest.kill()
      try await ingest.startAndWait(under: tampering.command)
      try await trial.ledger.advance(by: 20)
      ingest.signal(SIGTERM)
      #expect(try await ingest.exit() == -SIGKILL, "Ingest must be killed in its checkpoint.")
      try await ingest.startAndWait()
    }
    try await trial.expectWhole("killed in a checkpoint")
  }
}

/// A seeded generator: SplitMix64.
struct SeededRandom: RandomNumberGenerator {
  private var state: UInt64

  init(_ seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = (state ^ state >> 30) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
    return mixed ^ mixed >> 31
  }
}
