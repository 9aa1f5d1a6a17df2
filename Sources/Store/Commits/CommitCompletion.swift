/// Completion handler of an ordered write.
///
/// A store calls the completions of all its writes, and the observers of its `ChangeSource`, on one thread, one at a
/// time, in commit order. With a success the write is durable. The store calls a completion once. The completion must
/// not block, because later completions wait for it.
package struct CommitCompletion<Value: Sendable>: Sendable {
  private let body: @Sendable (Result<Value, StoreError>) -> Void

  package init(_ body: @escaping @Sendable (Result<Value, StoreError>) -> Void) { self.body = body }

  /// Completes the write. Only stores call this.
  package func callAsFunction(_ result: Result<Value, StoreError>) { body(result) }
}
