import Domain
import Synchronization

/// Timeouts of scans, in milliseconds.
package struct ScanTimes: Sendable {
  /// Timeout of a running scan, in milliseconds.
  package var limitMs = Limits.scanMs
  /// Timeout of a scan that waits for its slot, in milliseconds.
  package var waitMs = Limits.scanWaitMs
  /// Longest time with scans before a pause, in milliseconds. It has no effect in a store without pauses.
  package var busyMaxMs = Limits.scanBusyMaxMs

  package init() {}
}

/// The limit of a running scan. Any thread.
package struct ScanLimit: Sendable {
  fileprivate let duration: Duration
  fileprivate var end: ContinuousClock.Instant
  fileprivate let isDisconnected: CancellationFlag
  fileprivate let isClosing: CancellationFlag

  /// Returns true if the scan must end: at its timeout, after its client has disconnected, or when the store closes.
  package func mustEnd(at now: ContinuousClock.Instant) -> Bool {
    isDisconnected.isRaised || isClosing.isRaised || now >= end
  }

  /// Returns the limit of a repetition, whose timeout starts now.
  package func restarted(at now: ContinuousClock.Instant) -> ScanLimit {
    var limit = self
    limit.end = now + duration
    return limit
  }
}

/// Slots for scans: reads that may examine very many rows. At most `Limits.concurrentScansMax` scans run, and a bounded
/// queue holds others. `ScanQueue` decides which scan runs, waits or is refused. Any thread.
package final class ScanSlots: Sendable {
  private struct State: Sendable {
    var queue = ScanQueue()
    var waiting: [UInt64: CheckedContinuation<Void, any Error>] = [:]
    /// Start of the current period with scans and without a pause.
    var busySince: ContinuousClock.Instant
    var isClosed = false
  }

  private let times: ScanTimes
  private let clock: @Sendable () -> ContinuousClock.Instant
  private let pause: (@Sendable (@escaping @Sendable () -> Void) -> Void)?
  private let lastID = Atomic<UInt64>(0)
  private let state: Mutex<State>
  /// Flag that `close` raises to end running scans.
  private let isClosing = CancellationFlag()

  /// - Parameters:
  ///   - now: Clock of the timeouts. Any thread.
  ///   - pause: Called after `ScanTimes.busyMaxMs` with scans, when no scan runs. The function calls back when
  ///   scans may continue. Nil if the store needs no time without scans.
  package init(
    times: ScanTimes, now: @escaping @Sendable () -> ContinuousClock.Instant,
    pause: (@Sendable (@escaping @Sendable () -> Void) -> Void)?
  ) {
    self.times = times
    clock = now
    self.pause = pause
    state = Mutex(State(busySince: now()))
  }

  /// Number of scans that wait for a slot.
  package var waitingCount: Int { state.withLock(\.waiting.count) }

  /// Runs a scan when it has a slot, and frees the slot afterwards.
  ///
  /// - Parameter body: The scan. Its timeout starts with the call. It must check its limit often, and end when the
  ///   limit requires.
  /// - Throws: `StoreError.tooManyScans` if the scan gets no slot, which may be retried, and errors of `body`.
  package func run<Value: Sendable>(
    for client: ScanClient, _ body: (ScanLimit) async throws -> Value
  ) async throws -> Value {
    let id = lastID.add(1, ordering: .relaxed).newValue
    let isDisconnected = CancellationFlag()
    client.onDisconnect { [weak self] in
      isDisconnected.raise()
      self?.cancel(id)
    }
    try await withCheckedThrowingContinuation { continuation in
      admit(id, from: client.network, isDisconnected: isDisconnected, continuation)
    }
    defer { release(id) }
    let duration = Duration.milliseconds(times.limitMs)
    return try await body(
      ScanLimit(duration: duration, end: clock() + duration, isDisconnected: isDisconnected, isClosing: isClosing))
  }

  private func admit(
    _ id: UInt64, from network: IPAddress?, isDisconnected: CancellationFlag,
    _ continuation: CheckedContinuation<Void, any Error>
  ) {
    let admission = state.withLock { state -> ScanQueue.Admission in
      guard !state.isClosed, !isDisconnected.isRaised else { return .refused }
      if state.queue.isIdle { state.busySince = clock() }
      let admission = state.queue.admit(id, from: network)
      if admission == .waits { state.waiting[id] = continuation }
      return admission
    }
    switch admission {
    case .starts: continuation.resume()
    case .waits:
      Task { [times, weak self] in
        try await Task.sleep(for: .milliseconds(times.waitMs))
        self?.cancel(id)
      }
    case .refused: continuation.resume(throwing: StoreError.tooManyScans)
    }
  }

  /// Passes a scan's slot to the next scan, unless a pause is due.
  private func release(_ id: UInt64) {
    let (next, startsPause) = state.withLock { state in
      if pause != nil, clock() - state.busySince >= .milliseconds(times.busyMaxMs) { state.queue.pause() }
      let next = state.queue.finish(id)
      return (next.flatMap { state.waiting.removeValue(forKey: $0) }, state.queue.isPaused && state.queue.isIdle)
    }
    next?.resume()
    if startsPause { pause? { [weak self] in self?.resumeAfterPause() } }
  }

  private func resumeAfterPause() {
    let next = state.withLock { state in
      state.busySince = clock()
      return state.queue.resume().compactMap { state.waiting.removeValue(forKey: $0) }
    }
    for continuation in next { continuation.resume() }
  }

  /// Removes a scan from the queue. A running scan ends by its limit.
  private func cancel(_ id: UInt64) {
    let continuation = state.withLock { state in
      let continuation = state.waiting.removeValue(forKey: id)
      // The scan had no slot, so no other scan starts.
      if continuation != nil { _ = state.queue.finish(id) }
      return continuation
    }
    continuation?.resume(throwing: StoreError.tooManyScans)
  }

  /// Refuses waiting and later scans, and requires running scans to end. Does not wait for them.
  package func close() {
    isClosing.raise()
    let waiting = state.withLock { state in
      defer { (state.isClosed, state.waiting) = (true, [:]) }
      return state.waiting
    }
    for continuation in waiting.values { continuation.resume(throwing: StoreError.tooManyScans) }
  }
}

/// A flag that stays raised. Any thread.
private final class CancellationFlag: Sendable {
  private let value = Atomic(false)

  var isRaised: Bool { value.load(ordering: .relaxed) }

  func raise() { value.store(true, ordering: .relaxed) }
}
