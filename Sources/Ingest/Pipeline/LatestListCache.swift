import Domain
import NIOCore
import Store
import Synchronization
import Web

/// Cache of the list, with its responses in the format of each API. Ingest encodes the list once per change, for any
/// number of clients. Any thread.
final class LatestListCache: Sendable {
  private struct State: Sendable {
    /// Number of changes. A list that was read before a change must not be cached after the change.
    var changes = 0
    var native: ListRevision?
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

  /// Returns the list with the responses of `/v2/feed`.
  func native() async throws -> ListRevision {
    try await cached(\.native) { ListRevision(FeedHistory(state: try await database.latest()), isStale: false) }
  }

  /// Returns the list in the format of the compatibility API.
  func compat() async throws -> ByteBuffer {
    try await cached(\.compat) {
      ByteBuffer(bytes: ListedPost.json(try await database.listed(ListQuery(), for: .ingest)).bytes)
    }
  }

  private func cached<List: Sendable>(
    _ format: any WritableKeyPath<State, List?> & Sendable, make: () async throws -> List
  ) async throws -> List {
    let (cached, changes) = state.withLock { ($0[keyPath: format], $0.changes) }
    if let cached { return cached }
    let list = try await make()
    state.withLock { state in
      if state.changes == changes { state[keyPath: format] = list }
    }
    return list
  }
}
