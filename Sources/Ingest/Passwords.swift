import Foundation
import Glibc
import OnTheMap
import Synchronization
import Web

/// Passwords' hashes, `Limits.passwordHashesAtOnceMax` at once, on threads that stand back behind all others: a flood
/// of logins waits, or is sent away, and posts go on. Where others leave no core at all they stop standing back: a
/// flood of posts does not keep people out either.
actor Passwords {
  /// SCHED_IDLE of sched(7): glibc shows the name to GNU programs only.
  private static let idlePolicy: Int32 = 5
  private var running = 0
  /// Whoever is asked to go on with false has waited too long.
  private var waiting: [(number: UInt64, continuation: CheckedContinuation<Bool, Never>)] = []
  private var lastNumber: UInt64 = 0
  /// Compared with when there is no such account, so that the answer takes as long as for one.
  private let nobody: String

  /// Until then none stands back.
  private var hurriesUntil = ContinuousClock.now

  private let spare = SpareMemory()

  private let cores: Int
  private let waitMs: Int64

  /// - Parameters:
  ///   - cores: of the machine.
  ///   - waitMs: how long one waits for its hash to begin.
  init(cores: Int = ProcessInfo.processInfo.activeProcessorCount, waitMs: Int64 = Limits.passwordHashWaitMs) {
    self.cores = cores
    self.waitMs = waitMs
    guard let memory = PasswordMemory(), let nobody = PasswordHash.make(Secrets.token(), in: memory) else {
      // Without it unknown accounts could be told by the time that they take.
      fatalError("There are no \(PasswordHash.memoryBytes) bytes of memory to compute passwords' hashes in.")
    }
    spare.give(memory)
    self.nobody = nobody
  }

  /// Throws `Problem.busy` when too many wait already, or it has waited too long.
  func hash(_ password: String) async throws -> String {
    guard let hash = try await run({ PasswordHash.make(password, in: $0) }) else { throw Problem.busy }
    return hash
  }

  /// Throws as `hash`.
  ///
  /// - Parameter hash: nil when there is no such account; the answer is no then.
  func isPassword(_ password: String, of hash: String?) async throws -> Bool {
    // An account without a password has an empty one.
    let compared = hash.flatMap { $0.isEmpty ? nil : $0 }
    return try await run { [nobody] in PasswordHash.isPassword(password, of: compared ?? nobody, in: $0) }
      && compared != nil
  }

  /// How long none is computed after one that has taken so long.
  static func rest(after took: Duration, cores: Int) -> Duration {
    took * max(0, Limits.passwordHashCoresShare - cores) / max(1, cores)
  }

  private func run<Value: Sendable>(_ work: @escaping @Sendable (PasswordMemory) -> Value) async throws -> Value {
    if running >= Limits.passwordHashesAtOnceMax {
      guard waiting.count < Limits.passwordHashesWaitingMax else { throw Problem.busy }
      // Whoever ends hands its place over: `running` stays.
      guard await turn() else { throw Problem.busy }
    } else {
      running += 1
    }
    let outcome = await computed(work)
    Task {
      try? await Task.sleep(for: Passwords.rest(after: outcome?.took ?? .zero, cores: cores))
      if waiting.isEmpty { running -= 1 } else { waiting.removeFirst().continuation.resume(returning: true) }
    }
    guard let outcome else { throw Problem.busy }
    return outcome.value
  }

  /// Nil where there is no memory, or no thread.
  private func computed<Value: Sendable>(
    _ work: @escaping @Sendable (PasswordMemory) -> Value
  ) async -> Outcome<Value>? {
    let standsBack = ContinuousClock.now >= hurriesUntil
    var patience: Task<Void, any Error>?
    let outcome: Outcome<Value>? = await withCheckedContinuation { continuation in
      let first = First(continuation)
      compute(work, standsBack: standsBack, then: first.resume)
      guard standsBack else { return }
      patience = Task {
        try await Task.sleep(for: .milliseconds(Limits.passwordHashPatienceMs))
        try Task.checkCancellation()
        // The thread itself cannot be told to stand back no more: Linux lets only root do so.
        hurriesUntil = .now + .milliseconds(Limits.passwordHashHurryMs)
        // Where this one cannot be made the first may still be.
        compute(work, standsBack: false) { if let outcome = $0 { first.resume(outcome) } }
      }
    }
    patience?.cancel()
    return outcome
  }

  /// - Parameter then: called on a thread of its own.
  private nonisolated func compute<Value: Sendable>(
    _ work: @escaping @Sendable (PasswordMemory) -> Value, standsBack: Bool,
    then: @escaping @Sendable (Outcome<Value>?) -> Void
  ) {
    let isBegun = detachThread { [spare] in
      guard let memory = spare.take() else { return then(nil) }
      let outcome = standsBack ? Passwords.behindAll { Outcome { work(memory) } } : Outcome { work(memory) }
      spare.give(memory)
      then(outcome)
    }
    if !isBegun { then(nil) }
  }

  /// Waits for it on the thread that calls: whoever is woken up may begin threads, and they would stand back, too.
  private static func behindAll<Value: Sendable>(_ work: @escaping @Sendable () -> Value) -> Value {
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

  /// Waits for a place; false when none has come in time.
  private func turn() async -> Bool {
    lastNumber += 1
    let number = lastNumber
    let late = Task {
      try await Task.sleep(for: .milliseconds(waitMs))
      giveUp(number)
    }
    defer { late.cancel() }
    return await withCheckedContinuation { waiting.append((number, $0)) }
  }

  private func giveUp(_ number: UInt64) {
    guard let index = waiting.firstIndex(where: { $0.number == number }) else { return }
    waiting.remove(at: index).continuation.resume(returning: false)
  }
}

/// What a hash came to.
private struct Outcome<Value: Sendable>: Sendable {
  let value: Value
  /// What its thread has used of a core: where there is much to do it takes longer by itself, and needs no rest for
  /// that.
  let took: Duration

  /// - Parameter work: all that the thread does.
  init(_ work: () -> Value) {
    value = work()
    var used = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used)
    took = .seconds(used.tv_sec) + .nanoseconds(used.tv_nsec)
  }
}

/// Of two that compute the same, whoever is first is heard.
private final class First<Value: Sendable>: Sendable {
  private let continuation: Mutex<CheckedContinuation<Value, Never>?>

  init(_ continuation: CheckedContinuation<Value, Never>) { self.continuation = Mutex(continuation) }

  func resume(_ value: Value) { continuation.withLock { $0.take() }?.resume(returning: value) }
}
