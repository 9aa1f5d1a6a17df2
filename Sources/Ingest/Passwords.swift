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
  private var waiting: [CheckedContinuation<Void, Never>] = []
  /// Compared with when there is no such account, so that the answer takes as long as for one.
  private let nobody: String

  private let cores: Int

  /// - Parameter cores: of the machine.
  init(cores: Int = ProcessInfo.processInfo.activeProcessorCount) {
    self.cores = cores
    // Without memory for a hash here, none can be made later either: then every login fails, slowly.
    nobody = Secrets.passwordHash(Secrets.token()) ?? ""
  }

  /// Throws `Problem.busy` when too many wait already.
  func hash(_ password: String) async throws -> String {
    guard let hash = try await run({ Secrets.passwordHash(password) }) else { throw Problem.busy }
    return hash
  }

  /// Throws `Problem.busy` when too many wait already.
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
      await withCheckedContinuation { waiting.append($0) }
    } else {
      running += 1
    }
    let start = ContinuousClock.now
    let value = await withCheckedContinuation { continuation in
      Thread.detachNewThread {
        // Whoever wakes up takes the core at once from a thread of this policy. From one with a niceness of 19 it
        // waits out that one's slice, up to 3 ms, and a post wakes up many. 0 is the thread that calls.
        var priority = sched_param()
        sched_setscheduler(0, Passwords.idlePolicy, &priority)
        continuation.resume(returning: work())
      }
    }
    let rest = Passwords.rest(after: ContinuousClock.now - start, cores: cores)
    Task {
      try? await Task.sleep(for: rest)
      if waiting.isEmpty { running -= 1 } else { waiting.removeFirst().resume() }
    }
    return value
  }
}
