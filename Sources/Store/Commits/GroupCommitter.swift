import Dispatch
import Synchronization

/// Group commit: one sync makes a whole group of writes durable. A group gathers while the previous group is committed.
///
/// Writes run one after the other on the committer's own queue, in the order of submission. Completions run on another
/// queue, in the same order, while the next group is committed. Any thread.
package final class GroupCommitter<Engine: CommitEngine>: Sendable {
  private struct State: Sendable {
    /// Submitted writes, in order. `completions` has the completion of each at the same index.
    var writes: [Engine.Write] = []
    var completions: [CommitCompletion<Engine.Output>] = []
    /// Closures to run between two groups.
    var workBetweenGroups: [@Sendable () -> Void] = []
    var isDraining = false
    /// Reason why the committer refuses all writes.
    var failure: StoreError?
  }

  package let engine: Engine
  private let state = Mutex(State())
  /// Stream with one element when the engine has stopped.
  package let failures: AsyncStream<StoreError>
  private let failureContinuation: AsyncStream<StoreError>.Continuation
  private let commitQueue = DispatchQueue(label: "onthemap.commits")
  private let completionQueue = DispatchQueue(label: "onthemap.completions")

  package init(_ engine: Engine) {
    self.engine = engine
    (failures, failureContinuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(1))
  }

  /// Commits a write with the next group.
  package func submit(_ write: Engine.Write, completion: CommitCompletion<Engine.Output>) {
    add { state in
      state.writes.append(write)
      state.completions.append(completion)
    }
  }

  /// Runs a closure between two groups, after all earlier writes. A steady flood of writes does not delay the closure.
  ///
  /// - Parameter work: Called once on the committer's queue, even if the committer refuses writes.
  package func betweenGroups(_ work: @escaping @Sendable () -> Void) {
    add { state in state.workBetweenGroups.append(work) }
  }

  /// Reason why the committer refuses all writes. Nil while the engine works and the store is open.
  package var stopReason: StoreError? { state.withLock { $0.failure } }

  /// Refuses all later writes with `.stopped`. Returns false if the engine had stopped before.
  package func end() -> Bool {
    state.withLock { state in
      guard state.failure == nil else { return false }
      state.failure = .stopped("ingest is shutting down")
      return true
    }
  }

  /// Waits until all earlier submissions have run, and their completions have returned.
  package func finish() {
    commitQueue.sync {}
    completionQueue.sync {}
  }

  /// Adds work for `drain`, and starts `drain` if it is not running.
  private func add(_ work: (inout State) -> Void) {
    let starts = state.withLock { state in
      work(&state)
      defer { state.isDraining = true }
      return !state.isDraining
    }
    if starts { commitQueue.async { [self] in drain() } }
  }

  private func drain() {
    while true {
      let (writes, completions, work) = state.withLock { state in
        defer {
          state.writes.removeAll(keepingCapacity: true)
          state.completions.removeAll(keepingCapacity: true)
          state.workBetweenGroups.removeAll()
        }
        state.isDraining = !state.writes.isEmpty || !state.workBetweenGroups.isEmpty
        return (state.writes, state.completions, state.workBetweenGroups)
      }
      if writes.isEmpty && work.isEmpty { return }
      if !writes.isEmpty { commit(writes, completions) }
      // Under a steady flood of writes this loop does not end, so a closure queued behind the loop would never run.
      for body in work { body() }
    }
  }

  private func commit(_ writes: [Engine.Write], _ completions: [CommitCompletion<Engine.Output>]) {
    if let stopReason { return complete(completions, .failure(stopReason)) }
    do {
      let outputs = try engine.commit(writes)
      completionQueue.async { for (completion, output) in zip(completions, outputs) { completion(.success(output)) } }
    } catch {
      switch engine.failure(of: error) {
      case .stopped(let error, let reason):
        stop(reason)
        complete(completions, .failure(error))
      case .refused(let error) where writes.count == 1: complete(completions, .failure(error))
      case .refused:
        // A bad write must not fail the other writes of its group, so commit each write again, alone.
        for (write, completion) in zip(writes, completions) { commit([write], [completion]) }
      }
    }
  }

  private func complete(
    _ completions: [CommitCompletion<Engine.Output>], _ result: Result<Engine.Output, StoreError>
  ) {
    completionQueue.async { for completion in completions { completion(result) } }
  }

  private func stop(_ reason: String) {
    state.withLock { $0.failure = .stopped(reason) }
    failureContinuation.yield(.stopped(reason))
    failureContinuation.finish()
  }
}
