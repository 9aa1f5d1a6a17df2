import Foundation
import Glibc
import OnTheMap
import Web

/// Passwords' hashes, `Limits.passwordHashesAtOnceMax` at once, on threads that stand back behind all others: a flood
/// of logins waits, or is sent away, and posts go on.
actor Passwords {
  private var running = 0
  private var waiting: [CheckedContinuation<Void, Never>] = []
  /// Compared with when there is no such account, so that the answer takes as long as for one.
  private let nobody: String

  init() {
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

  private func run<Value: Sendable>(_ work: @escaping @Sendable () -> Value) async throws -> Value {
    if running >= Limits.passwordHashesAtOnceMax {
      guard waiting.count < Limits.passwordHashesWaitingMax else { throw Problem.busy }
      // Whoever ends hands its place over: `running` stays.
      await withCheckedContinuation { waiting.append($0) }
    } else {
      running += 1
    }
    defer { if waiting.isEmpty { running -= 1 } else { waiting.removeFirst().resume() } }
    return await withCheckedContinuation { continuation in
      Thread.detachNewThread {
        // Linux has it for each thread, and 0 is the one that calls.
        setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, Limits.passwordHashNiceness)
        continuation.resume(returning: work())
      }
    }
  }
}
