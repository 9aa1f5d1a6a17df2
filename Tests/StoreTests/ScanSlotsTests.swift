import Store
import Synchronization
import Testing

/// A scan of its own client, which runs until `end`.
private struct HeldScan: Sendable {
  private final class State: Sendable {
    let onDisconnect = Mutex<(@Sendable () -> Void)?>(nil)
    let limit = Mutex<ScanLimit?>(nil)
    let gate: AsyncStream<Void>
    let gateContinuation: AsyncStream<Void>.Continuation

    init() { (gate, gateContinuation) = AsyncStream.makeStream() }

    func run(in slots: ScanSlots) async throws {
      let client = ScanClient(network: nil) { [self] callback in onDisconnect.withLock { $0 = callback } }
      try await slots.run(for: client) { given in
        limit.withLock { $0 = given }
        for await _ in gate {}
      }
    }
  }

  private let state: State
  let task: Task<Void, any Error>

  /// Requests a slot. Returns immediately.
  init(in slots: ScanSlots) {
    let state = State()
    self.state = state
    task = Task { try await state.run(in: slots) }
  }

  /// The limit of the scan. Nil before the scan has a slot.
  var limit: ScanLimit? { state.limit.withLock { $0 } }

  func disconnect() { state.onDisconnect.withLock { $0 }?() }

  /// Ends the scan, and returns when its slot is free.
  func end() async throws {
    state.gateContinuation.finish()
    try await task.value
  }
}

@Suite("Slots of scans", .timeLimit(.minutes(2)))
struct ScanSlotsTests {
  private static let hourMs: Int64 = 3_600_000

  /// Timeouts of an hour, so that none ends a scan on a busy machine.
  private static func times(busyMaxMs: Int64 = hourMs) -> ScanTimes {
    var times = ScanTimes()
    (times.limitMs, times.waitMs, times.busyMaxMs) = (hourMs, hourMs, busyMaxMs)
    return times
  }

  /// Starts scans until one waits.
  private func fill(_ slots: ScanSlots) async -> (running: [HeldScan], waiting: HeldScan) {
    var running: [HeldScan] = []
    while true {
      let scan = HeldScan(in: slots)
      while scan.limit == nil, slots.waitingCount == 0 { await Task.yield() }
      if scan.limit == nil { return (running, scan) }
      running.append(scan)
    }
  }

  private func expectRefused(
    sourceLocation: SourceLocation = #_sourceLocation, _ body: () async throws -> Void
  ) async {
    let error = await #expect(throws: StoreError.self, sourceLocation: sourceLocation) { try await body() }
    guard case .tooManyScans? = error else {
      Issue.record("\(String(describing: error)) is another error", sourceLocation: sourceLocation)
      return
    }
  }

  @Test("The next scan starts as soon as a slot is free, in a store without pauses")
  func noPause() async throws {
    let slots = ScanSlots(times: Self.times(busyMaxMs: 0), now: { .now }, pause: nil)
    let (running, waiting) = await fill(slots)
    try #require(running.count > 1)
    try await running[0].end()
    while waiting.limit == nil { await Task.yield() }
    #expect(slots.waitingCount == 0)
    for scan in running.dropFirst() + [waiting] { try await scan.end() }
  }

  @Test("A pause begins when all scans have ended, and the waiting scan starts after it")
  func pause() async throws {
    let resume = Mutex<(@Sendable () -> Void)?>(nil)
    let slots = ScanSlots(times: Self.times(busyMaxMs: 0), now: { .now }) { callback in
      resume.withLock { $0 = callback }
    }
    let (running, waiting) = await fill(slots)
    for scan in running {
      let isPaused = resume.withLock { $0 != nil }
      #expect(!isPaused)
      try await scan.end()
      #expect(waiting.limit == nil && slots.waitingCount == 1, "A slot is free, but no scan starts.")
    }
    resume.withLock { $0 }?()
    while waiting.limit == nil { await Task.yield() }
    #expect(slots.waitingCount == 0)
    try await waiting.end()
  }

  @Test("Closing refuses waiting and later scans, and requires running scans to end")
  func closing() async throws {
    let slots = ScanSlots(times: Self.times(), now: { .now }, pause: nil)
    let (running, waiting) = await fill(slots)
    slots.close()
    await expectRefused { try await waiting.task.value }
    await expectRefused { try await slots.run(for: .ingest) { _ in _ = Issue.record("the scan ran") } }
    for scan in running {
      #expect(scan.limit?.mustEnd(at: .now) == true)
      try await scan.end()
    }
    #expect(slots.waitingCount == 0)
  }

  @Test("A waiting scan of a disconnected client leaves the queue, and the other scans continue")
  func disconnectedWhileWaiting() async throws {
    let slots = ScanSlots(times: Self.times(), now: { .now }, pause: nil)
    let (running, waiting) = await fill(slots)
    waiting.disconnect()
    await expectRefused { try await waiting.task.value }
    #expect(slots.waitingCount == 0)
    for scan in running {
      #expect(scan.limit?.mustEnd(at: .now) == false)
      try await scan.end()
    }
  }

  @Test("A running scan must end at its timeout, and earlier if its client disconnects")
  func limit() async throws {
    let slots = ScanSlots(times: Self.times(), now: { .now }, pause: nil)
    let scan = HeldScan(in: slots)
    while scan.limit == nil { await Task.yield() }
    let limit = try #require(scan.limit)
    #expect(!limit.mustEnd(at: .now) && limit.mustEnd(at: ContinuousClock.now + .milliseconds(Self.hourMs)))
    scan.disconnect()
    #expect(limit.mustEnd(at: .now))
    try await scan.end()
  }
}
