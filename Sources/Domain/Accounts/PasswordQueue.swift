/// Order in which logins and sign-ups have their passwords hashed. A pure state machine: the caller supplies the time,
/// in milliseconds of a clock that never goes back, and computes the hashes.
///
/// Requests wait in lanes. Lanes take turns, so a flood in one lane leaves the others their turns. Within a lane the
/// addresses take turns (`PasswordLane`). While no post is in progress, hashes may use every core. Beside a few posts
/// they leave one core free. Beside many they use a small share of the machine.
package struct PasswordQueue: Sendable {
  /// Class of requests that compete with each other.
  package enum Lane: Int, Sendable, CaseIterable {
    /// A login to an account with a session from the request's network, or to an operator's account.
    case known
    /// A login from a network where the account has no session.
    case login
    /// A new account.
    case signUp
    /// A login or sign-up from a network with a wrong password within `Limits.passwordSuspectMs`.
    case suspect
  }

  /// A request for one hash.
  package struct HashRequest: Sendable {
    /// Lane that the caller asks for. Never `suspect`: the queue itself moves requests there.
    package let lane: Lane
    /// An IPv4 address or an IPv6 /64. Nil if it is unknown.
    package let network: IPAddress?

    package init(_ lane: Lane, from address: IPAddress?) {
      self.lane = lane
      network = address?.network
    }
  }

  /// The outcome of `enqueue`.
  package struct Entry: Sendable, Equatable {
    /// The request's number. Nil if the request is refused because its lane is full.
    package let number: UInt64?
    /// Number of a request that was evicted for this one.
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
  /// Earliest time for the next hash beside many posts.
  private var cooldownUntilMs = Int64.min
  /// Time of the last wrong password of each network. When `wrong` is full, it replaces `olderWrong` and begins again.
  private var wrong: [IPAddress?: Int64] = [:]
  private var olderWrong: [IPAddress?: Int64] = [:]

  /// - Parameter cores: cores of the machine, 1 or more.
  package init(cores: Int) {
    self.cores = cores
    parallelMax = min(max(1, cores), Limits.passwordHashesAtOnceMax)
  }

  /// Number of waiting requests.
  package var count: Int { lanes.reduce(0) { $0 + $1.count } }

  /// Adds a request to its lane. A full lane evicts a request or refuses this one.
  package mutating func enqueue(_ request: HashRequest, nowMs: Int64) -> Entry {
    let isSuspect = request.lane != .known && hasFailed(request.network, nowMs: nowMs)
    let lane = (isSuspect ? .suspect : request.lane).rawValue
    var evicted: UInt64?
    if lanes[lane].count >= Limits.passwordHashesWaitingMax {
      evicted = lanes[lane].evict(for: request.network)
      guard evicted != nil else { return Entry(number: nil, evicted: nil) }
    }
    lastNumber += 1
    lanes[lane].add(lastNumber, from: request.network, nowMs: nowMs)
    return Entry(number: lastNumber, evicted: evicted)
  }

  /// Starts the hash of the next request, if one waits and may start. Returns its number. Call `end` after it.
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

  /// Returns the time at which the caller calls `expire` and `next` again. Nil while no request waits.
  package func nextMs(nowMs: Int64, beside pace: PostFlow.Pace) -> Int64? {
    guard count > 0 else { return nil }
    return nowMs + (pace == .quiet ? Limits.passwordQueueTickMs : Limits.passwordQueueFlowTickMs)
  }

  /// Records that a password from a network was right or wrong. After a right one the network is no longer suspect.
  package mutating func record(isRight: Bool, from network: IPAddress?, nowMs: Int64) {
    olderWrong[network] = nil
    wrong[network] = isRight ? nil : nowMs
    guard wrong.count > Limits.passwordSuspectsMax / 2 else { return }
    olderWrong = wrong
    wrong = [:]
  }

  /// Number of networks that are remembered as suspect, at most `Limits.passwordSuspectsMax`.
  var suspects: Int { wrong.count + olderWrong.count }

  /// Returns the pause after a hash beside many posts, in milliseconds. Hashes then use `1 /
  /// Limits.passwordHashCoresShare` of the machine.
  static func cooldownMs(after usedMs: Int64, cores: Int) -> Int64 {
    usedMs * Int64(max(0, Limits.passwordHashCoresShare - cores)) / Int64(max(1, cores))
  }

  private func hasFailed(_ network: IPAddress?, nowMs: Int64) -> Bool {
    guard let lastMs = wrong[network] ?? olderWrong[network] else { return false }
    return nowMs - lastMs < Limits.passwordSuspectMs
  }
}
