import Domain
import ServiceLifecycle
import Synchronization

/// Tasks that wait for events, by the event's id. Each task gets one outcome, or nil after a timeout.
final class Waiters<ID: Hashable & Sendable, Outcome: Sendable>: Sendable {
  private enum State: Sendable {
    /// A caller that has not begun to wait.
    case registered
    case waiting(CheckedContinuation<Outcome?, Never>)
    case completed(Outcome)
  }

  private let states = Mutex<[ID: State]>([:])
  private let max: Int

  init(max: Int) { self.max = max }

  /// Registers a wait. Call this before the event can happen. Returns false if another caller waits for the event, or
  /// too many callers wait. After false, do not call `outcome`.
  func register(_ id: ID) -> Bool {
    states.withLock { states in
      guard states.count < max, states[id] == nil else { return false }
      states[id] = .registered
      return true
    }
  }

  /// Completes a wait. Does nothing if no caller waits.
  func complete(_ id: ID, _ outcome: Outcome) { complete([id], outcome) }

  /// Completes several waits with one outcome.
  func complete(_ ids: [ID], _ outcome: Outcome) {
    let waiting = states.withLock { states in
      // Usually no caller waits, although thousands of events complete together.
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

  /// Waits for a registered event. Returns nil after the timeout, after `cancel`, or when the task or the process ends.
  func outcome(of id: ID, withinMs: Int64) async -> Outcome? {
    let timer = Task {
      try await Task.sleep(for: .milliseconds(withinMs))
      cancel(id)
    }
    defer { timer.cancel() }
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

  /// Cancels all waits.
  func cancelAll() {
    let waiting = states.withLock { states in
      defer { states = [:] }
      return states.values.compactMap { state in
        if case .waiting(let continuation) = state { continuation } else { nil }
      }
    }
    for continuation in waiting { continuation.resume(returning: nil) }
  }

  /// Cancels a wait, before or after it has begun.
  func cancel(_ id: ID) {
    let continuation: CheckedContinuation<Outcome?, Never>? = states.withLock { states in
      defer { states[id] = nil }
      if case .waiting(let continuation) = states[id] { return continuation }
      return nil
    }
    continuation?.resume(returning: nil)
  }
}
