import Domain
import Foundation
import Store
import StoreTesting
import Synchronization
import Testing

/// The place of a store: a folder or a database. It outlives the store, and is removed with this object.
final class StorePlace: Sendable {
  private let kind: StoreKind
  private let place: Mutex<String?>

  /// - Parameter place: A place with data. Nil for a new place.
  init(_ kind: StoreKind, at place: String? = nil) {
    self.kind = kind
    self.place = Mutex(place)
  }

  deinit { if let place = place.withLock({ $0 }) { kind.remove(place) } }

  /// Opens the store, or creates it. The store retains this object.
  func open() throws -> any IngestStore {
    let place = try place.withLock { place in
      let known = try place ?? kind.newPlace()
      place = known
      return known
    }
    let store = try kind.open(place)
    store.changes.observe { [self] _ in withExtendedLifetime(self) {} }
    return store
  }

  /// Copies the data as a crash would leave them now. The store itself continues.
  func crashed() throws -> StorePlace {
    StorePlace(kind, at: try kind.copy(try #require(place.withLock { $0 })))
  }
}

/// A gate that blocks a store's writer until the test opens the gate, so that later writes form one group.
final class Gate: Sendable {
  private let semaphore = DispatchSemaphore(value: 0)

  /// Returns when the store waits at the gate: within a transaction, after the statements of the group's earlier
  /// writes, and before their commit.
  init(_ store: any IngestStore) async throws {
    try await withCheckedThrowingContinuation { (reached: CheckedContinuation<Void, any Error>) in
      do {
        try submit(to: store) { reached.resume() }
      } catch {
        reached.resume(throwing: error)
      }
    }
  }

  /// Submits a gate without waiting for it.
  private init(behind store: any IngestStore, reached: @escaping @Sendable () -> Void) throws {
    try submit(to: store, reached: reached)
  }

  private func submit(to store: any IngestStore, reached: @escaping @Sendable () -> Void) throws {
    try StoreKind(of: store).submit(to: store) { [semaphore] in
      reached()
      semaphore.wait()
    }
  }

  /// Submits writes as one group. Returns the gate between their statements and their commit.
  static func before(_ store: any IngestStore, commitOf writes: () -> Void) async throws -> Gate {
    let gathering = try await Gate(store)
    writes()
    var gate: Gate?
    try await withCheckedThrowingContinuation { (reached: CheckedContinuation<Void, any Error>) in
      do {
        gate = try Gate(behind: store) { reached.resume() }
      } catch {
        reached.resume(throwing: error)
      }
      gathering.open()
    }
    return try #require(gate)
  }

  func open() { semaphore.signal() }
}

extension PostStore {
  /// Runs the engine's own integrity checks.
  func expectSound(sourceLocation: SourceLocation = #_sourceLocation) async throws {
    try await StoreKind(of: self).expectSound(self, sourceLocation: sourceLocation)
  }

  /// The epoch of the sequence numbers.
  var epoch: Epoch { get throws { try feed().epoch } }
}

extension PostReader {
  /// The number of an account's posts, counted up to 100.
  func count(of account: AccountID) async throws -> Int {
    try await posts(of: account, PostFilter(), isNewestFirst: false, after: nil, limit: 100, for: .ingest).posts.count
  }
}

extension AccountStore {
  /// The number of accounts, counted up to 100.
  var accountCount: Int {
    get async throws { try await users(email: nil, after: nil, limit: 100, unixMs: 1).count }
  }
}
