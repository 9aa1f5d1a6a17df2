/// How many posts each account may make: as many at once as in a minute, and from then on so many a minute. Of an
/// account of which nothing is known that is all. Times are milliseconds of a clock that never goes back.
package struct PostRateLimiter: Sendable {
  /// What one post takes: so every millisecond gives whole units, `perMinute` of them.
  private static let post: Int64 = 60_000

  private struct Allowance {
    var units: Int64
    var countedMs: Int64
  }

  private let perMinute: Int64
  /// Of those who have not all that they may have.
  private var allowances: [AccountID: Allowance] = [:]
  /// With so many, those go that have come to all again.
  private var sweptAt = Limits.postRatesSweptAt

  /// - Parameter perMinute: within `Limits.postsPerMinuteRange`.
  package init(perMinute: Int) { self.perMinute = Int64(perMinute) }

  /// Accounts of which something is known.
  var count: Int { allowances.count }

  /// Takes what there is of so many.
  ///
  /// - Returns: how many may be made, `wanted` at most.
  package mutating func take(_ wanted: Int, by account: AccountID, nowMs: Int64) -> Int {
    sweep(nowMs: nowMs)
    let there = units(of: account, nowMs: nowMs)
    let taken = max(0, min(wanted, Int(there / PostRateLimiter.post)))
    allowances[account] = Allowance(units: there - Int64(taken) * PostRateLimiter.post, countedMs: nowMs)
    return taken
  }

  /// Takes `wanted` posts, or none. An account with a full minute's worth may take more than that, and then none until
  /// the rest has come: otherwise it could never make a change that counts as many.
  ///
  /// - Returns: 0, or the milliseconds to wait.
  package mutating func takeAll(_ wanted: Int, by account: AccountID, nowMs: Int64) -> Int64 {
    sweep(nowMs: nowMs)
    let there = units(of: account, nowMs: nowMs)
    let lacking = min(all, Int64(wanted) * PostRateLimiter.post) - there
    guard lacking <= 0 else { return pauseMs(lacking: lacking) }
    allowances[account] = Allowance(units: there - Int64(wanted) * PostRateLimiter.post, countedMs: nowMs)
    return 0
  }

  /// So many were not made after all.
  package mutating func giveBack(_ count: Int, to account: AccountID) {
    guard var allowance = allowances[account] else { return }
    allowance.units = min(all, allowance.units + Int64(count) * PostRateLimiter.post)
    allowances[account] = allowance
  }

  /// Until the account may make one: 1 or more milliseconds.
  package func pauseMs(of account: AccountID, nowMs: Int64) -> Int64 {
    pauseMs(lacking: PostRateLimiter.post - units(of: account, nowMs: nowMs))
  }

  private func pauseMs(lacking: Int64) -> Int64 { max(1, (lacking + perMinute - 1) / perMinute) }

  private mutating func sweep(nowMs: Int64) {
    guard allowances.count >= sweptAt else { return }
    allowances = allowances.filter { units(of: $0.key, nowMs: nowMs) < all }
    // With many accounts, do not sweep at every post.
    sweptAt = max(Limits.postRatesSweptAt, 2 * allowances.count)
  }

  private var all: Int64 { perMinute * PostRateLimiter.post }

  private func units(of account: AccountID, nowMs: Int64) -> Int64 {
    guard let allowance = allowances[account] else { return all }
    let lacking = all - allowance.units
    // Compared before it is multiplied, which could overflow.
    let elapsedMs = max(0, nowMs - allowance.countedMs)
    return elapsedMs >= pauseMs(lacking: lacking) ? all : allowance.units + perMinute * elapsedMs
  }
}
