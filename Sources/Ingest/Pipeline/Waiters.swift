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

  private struct Wait: Sendable {
    /// Number of the wait. A late timer or callback must not end a later wait for the same event.
    let number: UInt64
    var state = State.registered
  }

  private struct Waits: Sendable {
    var byID: [ID: Wait] = [:]
    var last: UInt64 = 0
  }

  private let waits = Mutex(Waits())
  private let max: Int

  init(max: Int) { self.max = max }

  /// Registers a wait. Call this before the event can happen. Returns false if another caller waits for the event, or
  /// too many callers wait. After false, do not call `outcome`.
  func register(_ id: ID) -> Bool {
    waits.withLock { waits in
      guard waits.byID.count < max, waits.byID[id] == nil else { return false }
      waits.last += 1
      waits.byID[id] = Wait(number: waits.last)
      return true
    }
  }

  /// Completes a wait. Does nothing if no caller waits.
  func complete(_ id: ID, _ outcome: Outcome) { complete([id], outcome) }

  /// Completes several waits with one outcome.
  func complete(_ ids: [ID], _ outcome: Outcome) {
    let waiting = waits.withLock { waits in
      // Usually no caller waits, although thousands of events complete together.
      guard !waits.byID.isEmpty else { return [CheckedContinuation<Outcome?, Never>]() }
      return ids.compactMap { id in
        switch waits.byID[id]?.state {
        case .registered:
          waits.byID[id]?.state = .completed(outcome)
          return nil
        case .waiting(let continuation):
          waits.byID[id] = nil
          return continuation
        case .completed, nil: return nil
        }
      }
    }
    for continuation in waiting { continuation.resume(returning: outcome) }
  }

  /// Waits for a registered event. Returns nil after the timeout, after `cancel`, when `onWaitEnd` calls back, or when
  /// the task or the process ends.
  ///
  /// - Parameter onWaitEnd: Receives a callback. Call the callback to end the wait.
  func outcome(
    of id: ID, withinMs: Int64, onWaitEnd: (@escaping @Sendable () -> Void) -> Void = { _ in }
  ) async -> Outcome? {
    guard let number = waits.withLock({ $0.byID[id]?.number }) else { return nil }
    let timer = Task {
      try await Task.sleep(for: .milliseconds(withinMs))
      cancel(id, number)
    }
    defer { timer.cancel() }
    onWaitEnd { [self] in cancel(id, number) }
    return await withTaskCancellationOrGracefulShutdownHandler {
      await withCheckedContinuation { continuation in
        let outcome: Outcome?? = waits.withLock { waits in
          // After a cancellation, another caller may have registered for the event.
          guard let wait = waits.byID[id], wait.number == number else { return .some(nil) }
          switch wait.state {
          case .registered:
            waits.byID[id]?.state = .waiting(continuation)
            return .none
          case .completed(let outcome):
            waits.byID[id] = nil
            return .some(outcome)
          case .waiting: return .some(nil)
          }
        }
        if case .some(let outcome) = outcome { continuation.resume(returning: outcome) }
      }
    } onCancelOrGracefulShutdown: {
      self.cancel(id, number)
    }
  }

  /// Cancels all waits.
  func cancelAll() {
    let waiting = waits.withLock { waits in
      defer { waits.byID = [:] }
      return waits.byID.values.compactMap { wait in
        if case .waiting(let continuation) = wait.state { continuation } else { nil }
      }
    }
    for continuation in waiting { continuation.resume(returning: nil) }
  }

  /// Cancels a wait, before or after it has begun.
  ///
  /// - Parameter number: The wait to cancel. Nil for the current one.
  func cancel(_ id: ID, _ number: UInt64? = nil) {
    let continuation: CheckedContinuation<Outcome?, Never>? = waits.withLock { waits in
      guard let wait = waits.byID[id], wait.number == number ?? wait.number else { return nil }
      waits.byID[id] = nil
      if case .waiting(let continuation) = wait.state { return continuation }
      return nil
    }
    continuation?.resume(returning: nil)
  }
}
