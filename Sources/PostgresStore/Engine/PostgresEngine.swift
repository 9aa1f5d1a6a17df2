import Domain
import Logging
import Store
import Synchronization

/// The only session that writes. `GroupCommitter` forms the groups of writes, and calls the engine on its own queue.
final class PostgresEngine: CommitEngine {
  enum Write: Sendable {
    case post(PostWrite)
    /// A write of accounts, which returns the function to call when the commit is durable. The engine may call the
    /// closure again if an earlier call's transaction was rolled back.
    case other(@Sendable (PostgresConnection, Writer) throws -> @Sendable () -> Void)
  }

  enum Output: Sendable {
    case post(PostWriteResult)
    case other(@Sendable () -> Void)
  }

  private let writer: Mutex<Writer>
  /// State that other threads may read while the writer works.
  let status: WriterStatus

  init(_ writer: sending Writer) {
    status = writer.status
    self.writer = Mutex(writer)
  }

  func commit(_ writes: [Write]) throws -> [Output] {
    try writer.withLock { writer in try writer.commit(writes) }
  }

  func failure(of error: any Error) -> CommitFailure {
    switch error {
    case let error as PostgresError:
      switch error.meaning {
      case .deposed: .stopped(StoreError(write: error), reason: "another ingest has taken over")
      case .damaged, .misconfigured: .stopped(StoreError(write: error), reason: error.description)
      default: .refused(StoreError(write: error))
      }
    case let error as WriterStop: .stopped(.unknownOutcome(error.reason), reason: error.reason)
    default: .refused(StoreError(write: error))
    }
  }

  /// Ends the term, so that a standby takes over immediately. Call this after the last write.
  func release() { writer.withLock { writer in writer.release() } }
}

/// Error after which the writer writes nothing more.
struct WriterStop: Error {
  let reason: String
}
