import DequeModule

/// Jobs that may go out now. A lookup goes before the posts that wait, but no two of them running, so that a flood of
/// lookups does not hold up posts; posts go one account after the other, so that one account's thousand do not hold up
/// another's one.
package struct FairQueue: Sendable {
  private var lookups: Deque<JobID> = []
  private var posts: [AccountID: Deque<JobID>] = [:]
  /// Accounts with a post waiting, in the order of their turns.
  private var turns: Deque<AccountID> = []
  private var isPostsTurn = false
  /// Jobs that wait.
  package private(set) var count = 0

  /// Lookups among them.
  package var lookupCount: Int { lookups.count }

  package init() {}

  /// Adds a job at the end of its lane.
  package mutating func append(_ job: JobID, account: AccountID) {
    count += 1
    guard !job.isLookup else { return lookups.append(job) }
    if FairQueue.append(job, to: &posts[account, default: []]) { turns.append(account) }
  }

  /// Removes a lookup whose client has gone. Looks through all of them: `Limits.lookupsMax` at most.
  package mutating func remove(lookup job: JobID) {
    guard let index = lookups.firstIndex(of: job) else { return }
    lookups.remove(at: index)
    count -= 1
  }

  /// Of each account what is wanted of the first post that has it.
  package func firstPosts<Value>(_ value: (JobID) -> Value?) -> [Value] {
    posts.values.compactMap { $0.lazy.compactMap(value).first }
  }

  /// Takes the job whose turn it is.
  package mutating func popFirst() -> JobID? {
    if !isPostsTurn || turns.isEmpty, let job = lookups.popFirst() {
      count -= 1
      isPostsTurn = true
      return job
    }
    isPostsTurn = false
    guard let account = turns.popFirst(), let index = posts.index(forKey: account),
      let job = posts.values[index].popFirst()
    else { return nil }
    count -= 1
    if posts.values[index].isEmpty { posts.remove(at: index) } else { turns.append(account) }
    return job
  }

  /// Whether the lane was empty.
  private static func append(_ job: JobID, to lane: inout Deque<JobID>) -> Bool {
    lane.append(job)
    return lane.count == 1
  }
}
