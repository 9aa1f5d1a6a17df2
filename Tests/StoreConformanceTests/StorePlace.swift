import Domain
import Foundation
import Store
import StoreTesting
import Testing

/// The data of one store. They outlive the store, and go with this object.
final class StorePlace: Sendable {
  private let kind: StoreKind
  private let folder = FileManager.default.temporaryDirectory.appending(path: "onthemap-store-\(UUID().uuidString)")

  init(_ kind: StoreKind) { self.kind = kind }

  deinit { try? FileManager.default.removeItem(at: folder) }

  /// Opens the store, or makes it. The store keeps this object.
  func open() throws -> any IngestStore {
    let store = try kind.open(in: folder)
    store.changes.observe { [self] _ in withExtendedLifetime(self) {} }
    return store
  }

  /// The data as a crash of everything would leave them now. The store goes on here.
  func crashed() throws -> StorePlace {
    let place = StorePlace(kind)
    try kind.copy(folder, to: place.folder)
    return place
  }
}

/// Holds up a store's commits until it is opened, so that a group of writes can gather.
final class Gate: Sendable {
  private let semaphore = DispatchSemaphore(value: 0)

  /// Returns when the store stands at the gate: within a transaction, after the statements of the writes of its group
  /// that were submitted before, and before their commit.
  init(_ store: any IngestStore) async throws {
    try await withCheckedThrowingContinuation { (reached: CheckedContinuation<Void, any Error>) in
      do {
        try submit(to: store) { reached.resume() }
      } catch {
        reached.resume(throwing: error)
      }
    }
  }

  /// A gate that is reached later.
  private init(behind store: any IngestStore, reached: @escaping @Sendable () -> Void) throws {
    try submit(to: store, reached: reached)
  }

  private func submit(to store: any IngestStore, reached: @escaping @Sendable () -> Void) throws {
    try StoreKind(of: store).submit(to: store) { [semaphore] in
      reached()
      semaphore.wait()
    }
  }

  /// Submits writes that are committed together, and returns the gate between their statements and their commit.
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
  /// Checks what the store's engine can check of its own data.
  func expectSound(sourceLocation: SourceLocation = #_sourceLocation) throws {
    try StoreKind(of: self).expectSound(self, sourceLocation: sourceLocation)
  }

  /// Identity of the history that the sequence numbers belong to.
  var epoch: Epoch { get throws { try feed().epoch } }
}

extension PostReader {
  /// The number of an account's posts, a hundred at most.
  func count(of account: AccountID) async throws -> Int {
    try await posts(of: account, PostFilter(), isNewestFirst: false, after: nil, limit: 100, for: .ingest).posts.count
  }
}

extension AccountStore {
  /// The number of accounts, a hundred at most.
  var accountCount: Int {
    get async throws { try await users(email: nil, after: nil, limit: 100, unixMs: 1).count }
  }
}
