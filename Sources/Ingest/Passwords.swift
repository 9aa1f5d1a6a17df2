import Foundation
import Glibc
import OnTheMap
import Web

/// Passwords' hashes, `Limits.passwordHashesAtOnceMax` at once, on threads that stand back behind all others: a flood
/// of logins waits, or is sent away, and posts go on.
actor Passwords {
  /// SCHED_IDLE of sched(7): glibc shows the name to GNU programs only.
  private static let idlePolicy: Int32 = 5
  private var running = 0
  /// Whoever is asked to go on with false has waited too long.
  private var waiting: [(number: UInt64, continuation: CheckedContinuation<Bool, Never>)] = []
  private var lastNumber: UInt64 = 0
  /// Compared with when there is no such account, so that the answer takes as long as for one.
  private let nobody: String

  private let cores: Int
  private let waitMs: Int64

  /// - Parameters:
  ///   - cores: of the machine.
  ///   - waitMs: how long one waits for its hash to begin.
  init(cores: Int = ProcessInfo.processInfo.activeProcessorCount, waitMs: Int64 = Limits.passwordHashWaitMs) {
    self.cores = cores
    self.waitMs = waitMs
    // Without memory for a hash here, none can be made later either: then every login fails, slowly.
    nobody = Secrets.passwordHash(Secrets.token()) ?? ""
  }

  /// Throws `Problem.busy` when too many wait already, or it has waited too long.
  func hash(_ password: String) async throws -> String {
    guard let hash = try await run({ Secrets.passwordHash(password) }) else { throw Problem.busy }
    return hash
  }

  /// Throws as `hash`.
  ///
  /// - Parameter hash: nil when there is no such account; the answer is no then.
  func isPassword(_ password: String, of hash: String?) async throws -> Bool {
    // An account without a password has an empty one.
    let compared = hash.flatMap { $0.isEmpty ? nil : $0 }
    return try await run { [nobody] in Secrets.isPassword(password, of: compared ?? nobody) } && compared != nil
  }

  /// How long none is computed after one that has taken so long.
  static func rest(after took: Duration, cores: Int) -> Duration {
    took * max(0, Limits.passwordHashCoresShare - cores) / max(1, cores)
  }

  private func run<Value: Sendable>(_ work: @escaping @Sendable () -> Value) async throws -> Value {
    if running >= Limits.passwordHashesAtOnceMax {
      guard waiting.count < Limits.passwordHashesWaitingMax else { throw Problem.busy }
      // Whoever ends hands its place over: `running` stays.
      guard await turn() else { throw Problem.busy }
    } else {
      running += 1
    }
    let (value, took) = await withCheckedContinuation { continuation in
      Thread.detachNewThread {
        // Whoever wakes up takes the core at once from a thread of this policy. From one with a niceness of 19 it
        // waits out that one's slice, up to 3 ms, and a post wakes up many. 0 is the thread that calls.
        var priority = sched_param()
        sched_setscheduler(0, Passwords.idlePolicy, &priority)
        let value = work()
        // What it has used: where there is much to do it takes longer by itself, and needs no rest for that.
        var used = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used)
        continuation.resume(
          returning: (value, Duration.seconds(used.tv_sec) + .nanoseconds(used.tv_nsec)))
      }
    }
    Task {
      try? await Task.sleep(for: Passwords.rest(after: took, cores: cores))
      if waiting.isEmpty { running -= 1 } else { waiting.removeFirst().continuation.resume(returning: true) }
    }
    return value
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
