/// The completion handler of an ordered write: the type states when a store calls it.
///
/// A store calls the completions of all its writes, and the observers of its `ChangeSource`, one at a time and in the
/// order of the commits, on one thread. With a success the write is durable. A completion is called once and must not
/// wait: those behind it wait for it.
package struct CommitCompletion<Value: Sendable>: Sendable {
  private let body: @Sendable (Result<Value, StoreError>) -> Void

  package init(_ body: @escaping @Sendable (Result<Value, StoreError>) -> Void) { self.body = body }

  /// Completes the write. For stores.
  package func callAsFunction(_ result: Result<Value, StoreError>) { body(result) }
}
