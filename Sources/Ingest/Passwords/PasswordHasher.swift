import Domain
import Foundation
import Glibc
import Messaging
import Synchronization
import Web

/// Hasher of passwords, in the order and at the pace of `PasswordQueue`. Hashes run at idle priority, so that a flood
/// of logins takes only the CPU time that posts leave. If other threads leave hashes no core, hashes run at normal
/// priority, so that a flood of posts does not lock people out.
actor PasswordHasher {
  /// SCHED_IDLE of sched(7). Swift cannot import it, because glibc defines it only with _GNU_SOURCE.
  private static let idlePolicy: Int32 = 5
  private var queue: PasswordQueue
  /// Waiting requests by number. Resuming a request with false refuses it.
  private var waiting: [UInt64: CheckedContinuation<Bool, Never>] = [:]
  /// The task that checks the queue while requests wait.
  private var tickTask: Task<Void, Never>?
  /// Hash that is compared for an unknown account, so that the response takes as long as for a known one.
  private let dummyHash: String

  /// Time until which hashes run at normal priority.
  private var boostUntil = ContinuousClock.now

  private let buffers = HashBufferPool()
  private let pace: @Sendable (Int64) -> PostFlow.Pace
  private let nowMs: @Sendable () -> Int64

  /// Creates a hasher.
  ///
  /// - Parameters:
  ///   - cores: The number of the machine's cores.
  ///   - pace: The pace of posts at a time of `nowMs`. Any thread.
  ///   - nowMs: A monotonic clock, in milliseconds. Any thread.
  init(
    cores: Int = ProcessInfo.processInfo.activeProcessorCount,
    pace: @escaping @Sendable (Int64) -> PostFlow.Pace = { _ in .quiet },
    nowMs: @escaping @Sendable () -> Int64 = { Reactor.nowMs }
  ) {
    queue = PasswordQueue(cores: cores)
    self.pace = pace
    self.nowMs = nowMs
    guard let memory = HashBuffer(), let dummy = PasswordHash.make(Secrets.token(), in: memory) else {
      // Without the dummy hash, response times would reveal unknown accounts.
      fatalError("cannot allocate \(PasswordHash.memoryBytes) bytes for password hashes")
    }
    buffers.release(memory)
    self.dummyHash = dummy
  }

  /// True if hashes run at idle priority. False for a while after other threads left hashes no core.
  var yields: Bool { ContinuousClock.now >= boostUntil }

  /// Number of waiting requests.
  var waitingCount: Int { queue.count }

  /// Hashes a password.
  ///
  /// - Throws: `Problem.busy` if too many requests wait, the turn does not come in time, or there is no memory or
  ///   thread.
  func hash(_ password: String, for request: PasswordQueue.HashRequest) async throws -> String {
    guard await begin(request) else { throw Problem.busy }
    guard let hash = await computed({ PasswordHash.make(password, in: $0) }) ?? nil else { throw Problem.busy }
    return hash
  }

  /// Compares a password with a hash.
  ///
  /// - Parameters:
  ///   - hash: The account's hash. Nil for an unknown account. No password matches it.
  ///   - onStart: Called before the hash is computed. If it throws, no hash is computed.
  /// - Returns: The result of `onStart`, and true if the password is right. `isRight` is nil if there is no memory or
  ///   thread.
  /// - Throws: Errors of `onStart`, or `Problem.busy` if too many requests wait or the turn does not come in time.
  func compare<Started: Sendable>(
    _ password: String, with hash: String?, for request: PasswordQueue.HashRequest,
    onStart: @Sendable () throws -> Started
  ) async throws -> (started: Started, isRight: Bool?) {
    guard await begin(request) else { throw Problem.busy }
    let started: Started
    do { started = try onStart() } catch {
      end(usedMs: 0)
      throw error
    }
    // An account without a password has an empty hash.
    let compared = hash.flatMap { $0.isEmpty ? nil : $0 }
    let isSame = await computed { [dummyHash] in PasswordHash.isPassword(password, of: compared ?? dummyHash, in: $0) }
    guard let isSame else { return (started, nil) }
    let isRight = isSame && compared != nil
    queue.record(isRight: isRight, from: request.network, nowMs: nowMs())
    return (started, isRight)
  }

  /// Waits for the request's turn. Returns false if the queue refuses the request. Otherwise call `computed` or `end`.
  private func begin(_ request: PasswordQueue.HashRequest) async -> Bool {
    let entry = queue.enqueue(request, nowMs: nowMs())
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

  /// Begins and refuses the requests that are due. Schedules the next call while requests wait.
  private func advance() {
    let nowMs = nowMs()
    let pace = pace(nowMs)
    for number in queue.expire(nowMs: nowMs) { resume(number, false) }
    while let number = queue.next(nowMs: nowMs, beside: pace) { resume(number, true) }
    guard tickTask == nil, let nextMs = queue.nextMs(nowMs: nowMs, beside: pace) else { return }
    tickTask = Task {
      try? await Task.sleep(for: .milliseconds(max(1, nextMs - nowMs)))
      tickTask = nil
      advance()
    }
  }

  private func resume(_ number: UInt64, _ hasTurn: Bool) {
    waiting.removeValue(forKey: number)?.resume(returning: hasTurn)
  }

  /// Computes a value in the request's turn, then ends the turn. Returns nil if there is no memory or thread.
  private func computed<Value: Sendable>(_ work: @escaping @Sendable (HashBuffer) -> Value) async -> Value? {
    let yields = yields
    // If two threads compute the same value, the first result counts.
    let first = OneShot<Outcome<Value>?>()
    compute(work, yields: yields) { first.set($0) }
    var hedge: Task<Void, any Error>?
    if yields {
      hedge = Task {
        try await Task.sleep(for: .milliseconds(Limits.passwordHashHedgeDelayMs))
        try Task.checkCancellation()
        // Linux lets only root raise the thread's own priority again, so a second thread computes the value.
        boostUntil = .now + .milliseconds(Limits.passwordHashBoostMs)
        // If this thread cannot start, the first thread may still finish.
        compute(work, yields: false) { if let outcome = $0 { first.set(outcome) } }
      }
    }
    let outcome = await first.uncancelledValue()
    hedge?.cancel()
    end(usedMs: outcome?.usedMs ?? 0)
    return outcome?.value
  }

  /// Computes a value on a new thread.
  ///
  /// - Parameter completion: Called on the new thread. Called with nil if there is no memory or thread.
  private nonisolated func compute<Value: Sendable>(
    _ work: @escaping @Sendable (HashBuffer) -> Value, yields: Bool,
    completion: @escaping @Sendable (Outcome<Value>?) -> Void
  ) {
    let hasStarted = detachThread { [buffers] in
      guard let memory = buffers.acquire() else { return completion(nil) }
      let outcome = yields ? PasswordHasher.atIdlePriority { Outcome { work(memory) } } : Outcome { work(memory) }
      buffers.release(memory)
      completion(outcome)
    }
    if !hasStarted { completion(nil) }
  }

  /// Runs `work` on an idle-priority thread and blocks until it ends. The calling thread then resumes the waiting task.
  /// The idle thread must not, because the task may start threads that inherit idle priority.
  private static func atIdlePriority<Value: Sendable>(_ work: @escaping @Sendable () -> Value) -> Value {
    let value = Mutex<Value?>(nil)
    let isDone = DispatchSemaphore(value: 0)
    let hasStarted = detachThread {
      // A waking thread preempts a thread of this policy immediately. A thread with niceness 19 would keep its slice,
      // up to 3 ms, and a post wakes many threads. 0 stands for the calling thread.
      var priority = sched_param()
      sched_setscheduler(0, idlePolicy, &priority)
      let result = work()
      value.withLock { $0 = result }
      isDone.signal()
    }
    guard hasStarted else { return work() }
    isDone.wait()
    return value.withLock { $0! }
  }
}

/// The result of a hash, with its cost.
private struct Outcome<Value: Sendable>: Sendable {
  let value: Value
  /// CPU time of the hash's thread, in milliseconds. The thread's wait for a core does not count, because it needs no
  /// rest.
  let usedMs: Int64

  /// Runs and measures `work`.
  ///
  /// - Parameter work: All work of the thread.
  init(_ work: () -> Value) {
    value = work()
    var used = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used)
    usedMs = Int64(used.tv_sec) * 1_000 + Int64(used.tv_nsec) / 1_000_000
  }
}
