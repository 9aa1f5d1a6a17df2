import Domain
import ServiceLifecycle
import Synchronization

/// Those who wait for something to end, by its number: each is told once, in time or not at all.
final class Waiters<ID: Hashable & Sendable, Outcome: Sendable>: Sendable {
  private enum State: Sendable {
    /// Somebody will wait.
    case registered
    case waiting(CheckedContinuation<Outcome?, Never>)
    case completed(Outcome)
  }

  private let states = Mutex<[ID: State]>([:])
  private let max: Int

  init(max: Int) { self.max = max }

  /// Before the thing can end. False when somebody waits for it, or too many wait already; `outcome` is not to be
  /// called then.
  func register(_ id: ID) -> Bool {
    states.withLock { states in
      guard states.count < max, states[id] == nil else { return false }
      states[id] = .registered
      return true
    }
  }

  /// It has ended; nothing happens where nobody waits.
  func complete(_ id: ID, _ outcome: Outcome) { complete([id], outcome) }

  /// They have ended, all in the same way.
  func complete(_ ids: [ID], _ outcome: Outcome) {
    let waiting = states.withLock { states in
      // Mostly nobody waits, and thousands end at once.
      guard !states.isEmpty else { return [CheckedContinuation<Outcome?, Never>]() }
      return ids.compactMap { id in
        switch states[id] {
        case .registered:
          states[id] = .completed(outcome)
          return nil
        case .waiting(let continuation):
          states[id] = nil
          return continuation
        case .completed, nil: return nil
        }
      }
    }
    for continuation in waiting { continuation.resume(returning: outcome) }
  }

  /// Waits, after `expect`, for the end, for the time, or for the process's shutdown. Nil when it has not ended by
  /// then.
  func outcome(of id: ID, withinMs: Int64) async -> Outcome? {
    let clock = Task {
      try await Task.sleep(for: .milliseconds(withinMs))
      cancel(id)
    }
    defer { clock.cancel() }
    return await withTaskCancellationOrGracefulShutdownHandler {
      await withCheckedContinuation { continuation in
        let outcome: Outcome?? = states.withLock { states in
          switch states[id] {
          case .registered:
            states[id] = .waiting(continuation)
            return .none
          case .completed(let outcome):
            states[id] = nil
            return .some(outcome)
          case .waiting, nil: return .some(nil)
          }
        }
        if case .some(let outcome) = outcome { continuation.resume(returning: outcome) }
      }
    } onCancelOrGracefulShutdown: {
      self.cancel(id)
    }
  }

  /// Whoever expected it does not wait, or no longer.
  func cancel(_ id: ID) {
    let continuation: CheckedContinuation<Outcome?, Never>? = states.withLock { states in
      defer { states[id] = nil }
      if case .waiting(let continuation) = states[id] { return continuation }
      return nil
    }
    continuation?.resume(returning: nil)
  }
}
