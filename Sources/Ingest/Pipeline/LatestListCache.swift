import Domain
import NIOCore
import Store
import Synchronization

/// The list that everybody sees, as bytes of each API: made once for each change, however many ask. Threads: any.
final class LatestListCache: Sendable {
  private struct State: Sendable {
    /// Counts changes, so that a list read before one is not kept after it.
    var changes = 0
    var native: ByteBuffer?
    var compat: ByteBuffer?
  }

  private let database: any PostReader & ObservableStore
  private let state = Mutex(State())

  /// Follows the store's changes from now on.
  init(database: any PostReader & ObservableStore) {
    self.database = database
    database.changes.observe { [weak self] change in if case .list = change { self?.invalidate() } }
  }

  private func invalidate() {
    state.withLock { state in
      state.changes += 1
      (state.native, state.compat) = (nil, nil)
    }
  }

  /// The latest posts as `/v2/feed` has them.
  func native() async throws -> ByteBuffer {
    try await bytes(\.native) { ByteBuffer(bytes: try await database.latest().json().bytes) }
  }

  /// The latest posts as clients of the original service get them.
  func compat() async throws -> ByteBuffer {
    try await bytes(\.compat) {
      ByteBuffer(bytes: ListedPost.json(try await database.listed(ListQuery(), for: .ingest)).bytes)
    }
  }

  private func bytes(
    _ form: any WritableKeyPath<State, ByteBuffer?> & Sendable, made: () async throws -> ByteBuffer
  ) async throws -> ByteBuffer {
    let (kept, changes) = state.withLock { ($0[keyPath: form], $0.changes) }
    if let kept { return kept }
    let bytes = try await made()
    state.withLock { state in
      if state.changes == changes { state[keyPath: form] = bytes }
    }
    return bytes
  }
}
