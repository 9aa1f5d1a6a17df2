import Domain
import NIOCore
import Store
import Synchronization

/// Cache of the list as bytes, in the format of each API. Ingest serializes the list once per change, for any number of
/// clients. Any thread.
final class LatestListCache: Sendable {
  private struct State: Sendable {
    /// Number of changes. A list that was read before a change must not be cached after the change.
    var changes = 0
    var native: ByteBuffer?
    var compat: ByteBuffer?
  }

  private let database: any PostReader & ObservableStore
  private let state = Mutex(State())

  /// Creates the cache and follows the store's changes.
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

  /// Returns the list in the format of `/v2/feed`.
  func native() async throws -> ByteBuffer {
    try await bytes(\.native) { ByteBuffer(bytes: try await database.latest().json().bytes) }
  }

  /// Returns the list in the format of the compatibility API.
  func compat() async throws -> ByteBuffer {
    try await bytes(\.compat) {
      ByteBuffer(bytes: ListedPost.json(try await database.listed(ListQuery(), for: .ingest)).bytes)
    }
  }

  private func bytes(
    _ format: any WritableKeyPath<State, ByteBuffer?> & Sendable, make: () async throws -> ByteBuffer
  ) async throws -> ByteBuffer {
    let (cached, changes) = state.withLock { ($0[keyPath: format], $0.changes) }
    if let cached { return cached }
    let bytes = try await make()
    state.withLock { state in
      if state.changes == changes { state[keyPath: format] = bytes }
    }
    return bytes
  }
}
