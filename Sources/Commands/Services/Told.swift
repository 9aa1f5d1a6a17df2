import Synchronization

/// A value that somebody will tell, once.
final class Told<Value: Sendable>: Sendable {
  private let continuation: AsyncStream<Value>.Continuation
  private let first: Task<Value?, Never>
  private let told = Mutex<Value?>(nil)

  init() {
    let (stream, continuation) = AsyncStream.makeStream(of: Value.self, bufferingPolicy: .bufferingOldest(1))
    self.continuation = continuation
    first = Task { await stream.first { _ in true } }
  }

  func tell(_ value: Value) {
    told.withLock { $0 = $0 ?? value }
    continuation.yield(value)
  }

  /// It, or nil where nobody has told it yet.
  var now: Value? { told.withLock { $0 } }

  /// Waits for it; throws `CancellationError` when nobody will tell any more.
  var value: Value {
    get async throws {
      let value = await withTaskCancellationHandler {
        await first.value
      } onCancel: {
        continuation.finish()
      }
      guard let value else { throw CancellationError() }
      return value
    }
  }
}
