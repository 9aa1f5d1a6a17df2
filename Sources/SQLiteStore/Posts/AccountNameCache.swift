import Domain
import Synchronization

/// Cache of the names of accounts that post, so that settlements need not read them. Use the cache only within a write.
final class AccountNameCache: Sendable {
  /// Name of an account.
  struct Name: Sendable {
    let first: String
    let last: String
  }

  private let names = Mutex<[AccountID: Name]>([:])

  func name(_ account: AccountID) -> Name? { names.withLock { $0[account] } }

  func set(_ name: Name, for account: AccountID) {
    names.withLock { names in
      if names.count >= Limits.namesCachedMax { names.removeAll(keepingCapacity: true) }
      names[account] = name
    }
  }

  /// Empties the cache after a rollback, because a name that the write has read or changed may not be durable.
  func forget() { names.withLock { $0.removeAll(keepingCapacity: true) } }
}
