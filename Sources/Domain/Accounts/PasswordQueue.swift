/// Order of the password hashes of logins and sign-ups at one place: in ingest, or at one gateway. A pure state
/// machine: the caller supplies the time, in milliseconds of a monotonic clock, and computes the hashes.
///
/// Requests wait in lanes. Lanes take turns, so a flood in one lane leaves the other lanes their turns. Within a lane,
/// networks take turns (`PasswordLane`). While no post is in progress, hashes may use every core. While a few posts are
/// in progress, hashes leave one core free. While many posts are, hashes use a sixteenth of the cores
/// (`Limits.passwordHashCoresShare`).
package struct PasswordQueue: Sendable {
  /// Class of requests that compete with each other.
  package enum Lane: Int, Sendable, CaseIterable {
    /// A login to an operator's account, or to an account with a session from the request's network. Requests of people
    /// who are already logged in use this lane too.
    case known
    /// A login from a network where the account has no session.
    case login
    /// A new account.
    case signUp
    /// A login or sign-up from a network with a recent wrong password (`PasswordSuspects`).
    case suspect
  }

  /// A request for one hash.
  package struct HashRequest: Sendable {
    /// Lane for the request. Never `suspect`, because only `enqueue` moves requests to that lane.
    package let lane: Lane
    /// Network of the client: an IPv4 address or an IPv6 /64. Nil if it is unknown.
    package let network: IPAddress?

    package init(_ lane: Lane, from address: IPAddress?) {
      self.lane = lane
      network = address?.network
    }
  }

  /// Effect of `enqueue`.
  package struct Entry: Sendable, Equatable {
    /// Number of the request. Nil if the queue refuses the request because its lane is full.
    package let number: UInt64?
    /// Number of the request that the queue evicted for the new one. Nil without an eviction.
    package let evicted: UInt64?
  }

  /// Order of the lanes' turns. While all lanes have requests, sign-ups and suspects together get one turn in three.
  private static let rotation: [Lane] = [.known, .login, .signUp, .known, .login, .suspect]

  /// Maximum number of parallel hashes while no post is in progress.
  package let parallelMax: Int
  private let cores: Int
  private var lanes = Lane.allCases.map { _ in PasswordLane() }
  private var cursor = 0
  private var lastNumber: UInt64 = 0
  private var running = 0
  /// Earliest time for the next hash while many posts are in progress.
  private var cooldownUntilMs = Int64.min

  /// - Parameter cores: Number of cores of the machine, or number of parallel hashes of a gateway. 0 counts as 1.
  package init(cores: Int) {
    self.cores = cores
    parallelMax = min(max(1, cores), Limits.concurrentPasswordHashesMax)
  }

  /// Number of waiting requests.
  package var count: Int { lanes.reduce(0) { $0 + $1.count } }

  /// True if no request waits and no hash is in progress.
  package var isIdle: Bool { count == 0 && running == 0 }

  /// Adds a request to its lane. If the lane is full, the queue evicts another request or refuses this one.
  ///
  /// - Parameter isSuspect: True if the request's network is suspect. A request for the lane `known` stays there.
  package mutating func enqueue(_ request: HashRequest, isSuspect: Bool = false, nowMs: Int64) -> Entry {
    let lane = (isSuspect && request.lane != .known ? .suspect : request.lane).rawValue
    var evicted: UInt64?
    if lanes[lane].count >= Limits.passwordHashesWaitingMax {
      evicted = lanes[lane].evict(for: request.network)
      guard evicted != nil else { return Entry(number: nil, evicted: nil) }
    }
    lastNumber += 1
    lanes[lane].add(lastNumber, from: request.network, nowMs: nowMs)
    return Entry(number: lastNumber, evicted: evicted)
  }

  /// Starts the next hash, and returns the number of its request. Nil if no request waits, or if no hash may start now.
  /// Call `end` after the hash.
  package mutating func next(nowMs: Int64, beside pace: PostFlow.Pace) -> UInt64? {
    switch pace {
    case .quiet: guard running < parallelMax else { return nil }
    case .light: guard running < min(max(1, cores - 1), parallelMax) else { return nil }
    case .heavy: guard running == 0, nowMs >= cooldownUntilMs else { return nil }
    }
    for step in PasswordQueue.rotation.indices {
      let index = (cursor + step) % PasswordQueue.rotation.count
      guard let number = lanes[PasswordQueue.rotation[index].rawValue].next(nowMs: nowMs) else { continue }
      cursor = index + 1
      running += 1
      return number
    }
    return nil
  }

  /// Ends a hash that `next` started.
  ///
  /// - Parameter usedMs: CPU time of the hash. Wall-clock time would make a busy machine pause longer.
  package mutating func end(usedMs: Int64, nowMs: Int64) {
    running -= 1
    cooldownUntilMs = nowMs + PasswordQueue.cooldownMs(after: usedMs, cores: cores)
  }

  /// Removes the requests whose deadline has passed, and returns their numbers.
  package mutating func expire(nowMs: Int64) -> [UInt64] {
    lanes.indices.flatMap { lanes[$0].expire(nowMs: nowMs) }
  }

  /// Returns the time at which the caller must call `expire` and `next` again. Nil while no request waits.
  package func nextMs(nowMs: Int64, beside pace: PostFlow.Pace) -> Int64? {
    guard count > 0 else { return nil }
    return nowMs + (pace == .quiet ? Limits.passwordQueueTickMs : Limits.passwordQueueFlowTickMs)
  }

  /// Returns the pause after a hash while many posts are in progress, in milliseconds. With this pause, hashes use no
  /// more cores than `Limits.passwordHashCoresShare` allows.
  static func cooldownMs(after usedMs: Int64, cores: Int) -> Int64 {
    usedMs * Int64(max(0, Limits.passwordHashCoresShare - cores)) / Int64(max(1, cores))
  }
}
