import Domain
import Foundation
import Glibc
import Messaging
import Synchronization
import Web

/// Computes passwords' hashes, in the order and at the pace of `PasswordQueue`. Its threads yield their cores to all
/// others: a flood of logins takes what posts leave. Where others leave no core at all, the threads stop yielding: a
/// flood of posts does not keep people out either.
actor PasswordHasher {
  /// SCHED_IDLE of sched(7): glibc shows the name to GNU programs only.
  private static let idlePolicy: Int32 = 5
  private var queue: PasswordQueue
  /// Requests that wait, by number. False refuses one.
  private var waiting: [UInt64: CheckedContinuation<Bool, Never>] = [:]
  /// The task that checks the queue while requests wait.
  private var ticks: Task<Void, Never>?
  /// Compared with when there is no such account, so that the answer takes as long as for one.
  private let dummyHash: String

  /// Time until which no thread yields its core.
  private var boostUntil = ContinuousClock.now

  private let spare = HashBufferPool()
  private let pace: @Sendable (Int64) -> PostFlow.Pace
  private let nowMs: @Sendable () -> Int64

  /// - Parameters:
  ///   - cores: of the machine.
  ///   - pace: of posts, at a time of `nowMs`. Any thread.
  ///   - nowMs: a clock that never goes back. Any thread.
  init(
    cores: Int = ProcessInfo.processInfo.activeProcessorCount,
    pace: @escaping @Sendable (Int64) -> PostFlow.Pace = { _ in .quiet },
    nowMs: @escaping @Sendable () -> Int64 = { Reactor.nowMs }
  ) {
    queue = PasswordQueue(cores: cores)
    self.pace = pace
    self.nowMs = nowMs
    guard let memory = HashBuffer(), let nobody = PasswordHash.make(Secrets.token(), in: memory) else {
      // Without it unknown accounts could be told by the time that they take.
      fatalError("There are no \(PasswordHash.memoryBytes) bytes of memory to compute passwords' hashes in.")
    }
    spare.release(memory)
    self.dummyHash = nobody
  }

  /// False while threads do not yield their cores, because others had left them none.
  var yields: Bool { ContinuousClock.now >= boostUntil }

  /// Number of requests that wait for their turn.
  var waitingCount: Int { queue.count }

  /// Hashes a password.
  ///
  /// - Throws: `Problem.busy` when too many wait, the turn does not come in time, or there is no memory or thread.
  func hash(_ password: String, in turn: PasswordQueue.HashRequest) async throws -> String {
    guard await begin(turn) else { throw Problem.busy }
    guard let hash = await computed({ PasswordHash.make(password, in: $0) }) ?? nil else { throw Problem.busy }
    return hash
  }

  /// Compares a password with a hash.
  ///
  /// - Parameters:
  ///   - hash: nil without such an account; then no password is right.
  ///   - begun: called when the turn has come, before the hash is computed. If it throws, no hash is computed.
  /// - Returns: what `begun` returned, and whether it is the password; nil where there is no memory or thread.
  /// - Throws: what `begun` throws; `Problem.busy` when too many wait or the turn does not come in time.
  func compare<Begun: Sendable>(
    _ password: String, with hash: String?, in turn: PasswordQueue.HashRequest, begun: @Sendable () throws -> Begun
  ) async throws -> (begun: Begun, isRight: Bool?) {
    guard await begin(turn) else { throw Problem.busy }
    let value: Begun
    do { value = try begun() } catch {
      end(usedMs: 0)
      throw error
    }
    // An account without a password has an empty one.
    let compared = hash.flatMap { $0.isEmpty ? nil : $0 }
    let isSame = await computed { [dummyHash] in PasswordHash.isPassword(password, of: compared ?? dummyHash, in: $0) }
    guard let isSame else { return (value, nil) }
    let isRight = isSame && compared != nil
    queue.record(isRight: isRight, from: turn.network, nowMs: nowMs())
    return (value, isRight)
  }

  /// Waits for the turn. Returns false if it does not come; otherwise call `computed` or `end`.
  private func begin(_ turn: PasswordQueue.HashRequest) async -> Bool {
    let entry = queue.enqueue(turn, nowMs: nowMs())
    if let evicted = entry.evicted { resume(evicted, false) }
    guard let number = entry.number else { return false }
    return await withCheckedContinuation { continuation in
      waiting[number] = continuation
      advance()
    }
  }

  private func end(usedMs: Int64) {
    queue.end(usedMs: usedMs, nowMs: nowMs())
    advance()
  }

  /// Begins and refuses the requests that are due, and repeats this while requests wait.
  private func advance() {
    let nowMs = nowMs()
    let pace = pace(nowMs)
    for number in queue.expire(nowMs: nowMs) { resume(number, false) }
    while let number = queue.next(nowMs: nowMs, beside: pace) { resume(number, true) }
    guard ticks == nil, let nextMs = queue.nextMs(nowMs: nowMs, beside: pace) else { return }
    ticks = Task {
      try? await Task.sleep(for: .milliseconds(max(1, nextMs - nowMs)))
      ticks = nil
      advance()
    }
  }

  private func resume(_ number: UInt64, _ hasTurn: Bool) {
    waiting.removeValue(forKey: number)?.resume(returning: hasTurn)
  }

  /// Computes in the turn that has come, and ends it. Returns nil without memory or thread.
  private func computed<Value: Sendable>(_ work: @escaping @Sendable (HashBuffer) -> Value) async -> Value? {
    let yields = yields
    // Of two that compute the same, the first one counts.
    let first = OneShot<Outcome<Value>?>()
    compute(work, yields: yields) { first.set($0) }
    var patience: Task<Void, any Error>?
    if yields {
      patience = Task {
        try await Task.sleep(for: .milliseconds(Limits.passwordHashHedgeDelayMs))
        try Task.checkCancellation()
        // The thread itself cannot stop yielding: Linux lets only root do so.
        boostUntil = .now + .milliseconds(Limits.passwordHashBoostMs)
        // Where this one cannot be made the first may still be.
        compute(work, yields: false) { if let outcome = $0 { first.set(outcome) } }
      }
    }
    let outcome = await first.uncancelledValue()
    patience?.cancel()
    end(usedMs: outcome?.usedMs ?? 0)
    return outcome?.value
  }

  /// - Parameter then: called on a thread of its own.
  private nonisolated func compute<Value: Sendable>(
    _ work: @escaping @Sendable (HashBuffer) -> Value, yields: Bool,
    then: @escaping @Sendable (Outcome<Value>?) -> Void
  ) {
    let isBegun = detachThread { [spare] in
      guard let memory = spare.acquire() else { return then(nil) }
      let outcome = yields ? PasswordHasher.atIdlePriority { Outcome { work(memory) } } : Outcome { work(memory) }
      spare.release(memory)
      then(outcome)
    }
    if !isBegun { then(nil) }
  }

  /// Waits for `work` on the calling thread: a woken task may start threads, and they would yield, too.
  private static func atIdlePriority<Value: Sendable>(_ work: @escaping @Sendable () -> Value) -> Value {
    let value = Mutex<Value?>(nil)
    let isDone = DispatchSemaphore(value: 0)
    let isBegun = detachThread {
      // Whoever wakes up takes the core at once from a thread of this policy. From one with a niceness of 19 it waits
      // out that one's slice, up to 3 ms, and a post wakes up many. 0 is the thread that calls.
      var priority = sched_param()
      sched_setscheduler(0, idlePolicy, &priority)
      let made = work()
      value.withLock { $0 = made }
      isDone.signal()
    }
    guard isBegun else { return work() }
    isDone.wait()
    return value.withLock { $0! }
  }
}

/// The outcome of a hash.
private struct Outcome<Value: Sendable>: Sendable {
  let value: Value
  /// CPU time of its thread. On a busy machine the hash takes longer anyway, and needs no rest for that.
  let usedMs: Int64

  /// - Parameter work: all that the thread does.
  init(_ work: () -> Value) {
    value = work()
    var used = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used)
    usedMs = Int64(used.tv_sec) * 1_000 + Int64(used.tv_nsec) / 1_000_000
  }
}
