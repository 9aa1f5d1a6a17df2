import DequeModule

/// Fair queue of jobs. Lookups and posts alternate, with a lookup first, so that a flood of lookups does not delay
/// posts. Accounts take turns, so that a thousand posts of one account do not delay the single post of another account.
package struct FairQueue: Sendable {
  private var lookups: Deque<JobID> = []
  private var posts: [AccountID: Deque<JobID>] = [:]
  /// Accounts with a waiting post, in the order of their turns.
  private var turns: Deque<AccountID> = []
  private var isPostsTurn = false
  /// Number of waiting jobs.
  package private(set) var count = 0

  /// Number of waiting lookups.
  package var lookupCount: Int { lookups.count }

  package init() {}

  /// Appends a job to its lane.
  package mutating func append(_ job: JobID, account: AccountID) {
    count += 1
    guard !job.isLookup else { return lookups.append(job) }
    if FairQueue.append(job, to: &posts[account, default: []]) { turns.append(account) }
  }

  /// Removes a lookup whose client has disconnected. The search visits all lookups, at most `Limits.lookupsMax`.
  package mutating func remove(lookup job: JobID) {
    guard let index = lookups.firstIndex(of: job) else { return }
    lookups.remove(at: index)
    count -= 1
  }

  /// Returns a value for each account: the value of its first post that has one.
  package func firstPosts<Value>(_ value: (JobID) -> Value?) -> [Value] {
    posts.values.compactMap { $0.lazy.compactMap(value).first }
  }

  /// Removes and returns the job whose turn it is.
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

  /// Appends a job. Returns true if the lane was empty.
  private static func append(_ job: JobID, to lane: inout Deque<JobID>) -> Bool {
    lane.append(job)
    return lane.count == 1
  }
}
