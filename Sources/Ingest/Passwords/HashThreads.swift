import Dispatch
import Domain
import Glibc
import Metrics
import Synchronization
import Telemetry

/// Threads that compute password hashes. Hashes run at idle priority, so that a flood of logins takes only the CPU time
/// that other work leaves. If other threads leave hashes no core, hashes run at normal priority for a while, so that a
/// flood of posts does not lock people out. The caller limits the number of parallel hashes. Any thread.
final class HashThreads: Sendable {
  /// The result of a hash, with its cost.
  struct Outcome<Value: Sendable>: Sendable {
    let value: Value
    /// CPU time of the hash's thread, in milliseconds. The thread's wait for a core does not count, because it needs no
    /// rest.
    let usedMs: Int64

    /// Runs and measures `work`.
    ///
    /// - Parameter work: All work of the thread.
    fileprivate init(_ work: () -> Value) {
      value = work()
      var used = timespec()
      clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used)
      usedMs = Int64(used.tv_sec) * 1_000 + Int64(used.tv_nsec) / 1_000_000
    }
  }

  /// SCHED_IDLE of sched(7). Swift cannot import it, because glibc defines it only with _GNU_SOURCE.
  private static let idlePolicy: Int32 = 5
  /// Time until which hashes run at normal priority.
  private let boostUntil = Mutex(ContinuousClock.now)
  private let buffers = HashBufferPool()
  private let hashes = Metric.passwordHashes.counter()

  /// Allocates the memory of one hash, so that the first idle-priority thread needs to allocate none.
  init() {
    if let memory = HashBuffer() { buffers.release(memory) }
  }

  /// True if hashes run at idle priority. False for a while after other threads left hashes no core.
  var yields: Bool { ContinuousClock.now >= boostUntil.withLock { $0 } }

  /// Computes a hash. Returns nil if there is no memory or thread.
  func hash(_ work: PasswordHashWork) async -> Outcome<[UInt8]?>? { await run { PasswordHash.compute(work, in: $0) } }

  /// Computes a value from a hash. Returns nil if there is no memory or thread.
  func run<Value: Sendable>(_ work: @escaping @Sendable (HashBuffer) -> Value) async -> Outcome<Value>? {
    let yields = yields
    // If two threads compute the same value, the first result counts.
    let first = OneShot<Outcome<Value>?>()
    start(work, yields: yields) { first.set($0) }
    var hedge: Task<Void, any Error>?
    if yields {
      hedge = Task {
        try await Task.sleep(for: .milliseconds(Limits.passwordHashHedgeDelayMs))
        try Task.checkCancellation()
        // Linux lets only root raise the thread's own priority again, so a second thread computes the value.
        boostUntil.withLock { $0 = .now + .milliseconds(Limits.passwordHashBoostMs) }
        // If this thread cannot start, the first thread may still finish.
        start(work, yields: false) { if let outcome = $0 { first.set(outcome) } }
      }
    }
    let outcome = await first.uncancelledValue()
    hedge?.cancel()
    if outcome != nil { hashes.increment() }
    return outcome
  }

  /// Computes a value on a new thread.
  ///
  /// - Parameter completion: Called on the new thread. Called with nil if there is no memory or thread.
  private func start<Value: Sendable>(
    _ work: @escaping @Sendable (HashBuffer) -> Value, yields: Bool,
    completion: @escaping @Sendable (Outcome<Value>?) -> Void
  ) {
    let hasStarted = detachThread { [buffers] in
      guard let memory = buffers.acquire() else { return completion(nil) }
      let outcome = yields ? HashThreads.atIdlePriority { Outcome { work(memory) } } : Outcome { work(memory) }
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
