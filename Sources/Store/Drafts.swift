import OnTheMap
import Synchronization

/// What a settlement needs of rows, in memory from their acceptance on, so that the writer need not read it back.
/// What is not here, after a restart or a flood, is read from the disk. Used within writes.
final class Drafts: Sendable {
  /// Of a post that is not settled; nothing changes it until then, but its owner may delete it.
  struct Draft: Sendable {
    let account: AccountID
    let place: String
    let link: String
    let createdMs: Int64
    let trace: TraceContext?
  }

  /// Of an account.
  struct Name: Sendable {
    let first: String
    let last: String
  }

  private struct State: Sendable {
    var drafts: [PostID: Draft] = [:]
    var names: [AccountID: Name] = [:]
  }

  private let state = Mutex(State())

  func add(_ draft: Draft, for post: PostID) {
    state.withLock { state in
      // Full of what was rolled back, or of a backlog: those that follow are worth more.
      if state.drafts.count > Limits.queueDepthMax { state.drafts.removeAll(keepingCapacity: true) }
      state.drafts[post] = draft
    }
  }

  func draft(_ post: PostID) -> Draft? { state.withLock { $0.drafts[post] } }

  func remove(_ post: PostID) { state.withLock { $0.drafts[post] = nil } }

  func name(_ account: AccountID) -> Name? { state.withLock { $0.names[account] } }

  /// What was read or changed within a write that is rolled back may be on no disk.
  func forgetNames() { state.withLock { $0.names.removeAll(keepingCapacity: true) } }

  func set(_ name: Name, for account: AccountID) {
    state.withLock { state in
      if state.names.count >= Limits.namesCachedMax { state.names.removeAll(keepingCapacity: true) }
      state.names[account] = name
    }
  }
}
