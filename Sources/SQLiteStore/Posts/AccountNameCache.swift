import Domain
import Synchronization

/// Names of accounts that post, in memory, so that no settlement need read them. Used within writes.
final class AccountNameCache: Sendable {
  /// Of an account.
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

  /// What was read or changed within a write that is rolled back may be on no disk.
  func forget() { names.withLock { $0.removeAll(keepingCapacity: true) } }
}
