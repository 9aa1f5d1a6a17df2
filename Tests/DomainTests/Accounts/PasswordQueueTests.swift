import Testing

@testable import Domain

@Suite("Password hash queue")
struct PasswordQueueTests {
  private func request(_ lane: PasswordQueue.Lane, _ address: String = "192.0.2.1") -> PasswordQueue.HashRequest {
    PasswordQueue.HashRequest(lane, from: IPAddress(address))
  }

  /// Starts the next hash and ends it in 0 ms, with no post in progress. Returns its number, or nil if none starts.
  private func serve(_ queue: inout PasswordQueue, nowMs: Int64 = 0) -> UInt64? {
    let number = queue.next(nowMs: nowMs, beside: .quiet)
    if number != nil { queue.end(usedMs: 0, nowMs: nowMs) }
    return number
  }

  @Test(
    "Hashes use all cores while no post is in progress, up to the limit for memory",
    arguments: [(0, 1), (1, 1), (2, 2), (8, 8), (64, 8)])
  func cores(cores: Int, parallel: Int) {
    var queue = PasswordQueue(cores: cores)
    for _ in 0..<20 { _ = queue.enqueue(request(.login), nowMs: 0) }
    #expect((0..<20).count { _ in queue.next(nowMs: 0, beside: .quiet) != nil } == parallel)
    queue.end(usedMs: 40, nowMs: 40)
    #expect(queue.next(nowMs: 40, beside: .quiet) != nil, "An idle machine needs no cooldown.")
    #expect(queue.next(nowMs: 40, beside: .quiet) == nil)
  }

  @Test(
    "Hashes leave one core free while a few posts are in progress, and need no cooldown",
    arguments: [(0, 1), (1, 1), (2, 1), (4, 3), (8, 7), (64, 8)])
  func light(cores: Int, parallel: Int) {
    var queue = PasswordQueue(cores: cores)
    for _ in 0..<20 { _ = queue.enqueue(request(.login), nowMs: 0) }
    #expect((0..<20).count { _ in queue.next(nowMs: 0, beside: .light) != nil } == parallel)
    queue.end(usedMs: 40, nowMs: 40)
    #expect(queue.next(nowMs: 40, beside: .light) != nil)
    #expect(queue.next(nowMs: 40, beside: .light) == nil)
  }

  @Test("Hashes run one by one with a cooldown while many posts are in progress")
  func heavy() {
    var queue = PasswordQueue(cores: 2)
    for _ in 0..<9 { _ = queue.enqueue(request(.login), nowMs: 0) }
    #expect(queue.next(nowMs: 100, beside: .heavy) == 1)
    #expect(queue.next(nowMs: 140, beside: .heavy) == nil)
    queue.end(usedMs: 40, nowMs: 140)
    #expect(queue.next(nowMs: 419, beside: .heavy) == nil, "The cooldown is 7 × 40 ms.")
    #expect(queue.next(nowMs: 420, beside: .heavy) == 2)
    queue.end(usedMs: 40, nowMs: 460)
    #expect(queue.next(nowMs: 461, beside: .heavy) == nil)
    #expect(queue.next(nowMs: 461, beside: .quiet) == 3)
    #expect(queue.next(nowMs: 461, beside: .quiet) == 4)
  }

  @Test(
    "Hashes use a sixteenth of the machine's cores while many posts are in progress",
    arguments: [(1, 150), (2, 70), (4, 30), (8, 10), (15, 0), (16, 0), (64, 0)] as [(Int, Int64)])
  func rest(cores: Int, ms: Int64) { #expect(PasswordQueue.cooldownMs(after: 10, cores: cores) == ms) }

  @Test("Known clients and logins get two of six turns each, sign-ups and suspects one each")
  func lanes() {
    var queue = PasswordQueue(cores: 1)
    var lanes: [UInt64: PasswordQueue.Lane] = [:]
    for _ in 0..<12 {
      for (lane, entry) in [
        (PasswordQueue.Lane.known, queue.enqueue(request(.known), nowMs: 0)),
        (.login, queue.enqueue(request(.login, "192.0.2.2"), nowMs: 0)),
        (.signUp, queue.enqueue(request(.signUp, "192.0.2.3"), nowMs: 0)),
        (.suspect, queue.enqueue(request(.login, "203.0.113.1"), isSuspect: true, nowMs: 0)),
      ] { lanes[entry.number ?? 0] = lane }
    }
    let served = (0..<12).compactMap { _ in serve(&queue).flatMap { lanes[$0] } }
    #expect(served.count { $0 == .known } == 4 && served.count { $0 == .login } == 4)
    #expect(served.count { $0 == .signUp } == 2 && served.count { $0 == .suspect } == 2)
  }

  @Test("A hundred requests of one network or block delay another network by one turn")
  func fair() {
    for crowd in [(0..<100).map { _ in "192.0.2.1" }, (0..<100).map { "192.0.2.\($0)" }] {
      var queue = PasswordQueue(cores: 1)
      for address in crowd { _ = queue.enqueue(request(.login, address), nowMs: 0) }
      #expect(serve(&queue) == 1)
      let other = queue.enqueue(request(.login, "198.51.100.7"), nowMs: 1).number
      let next = [serve(&queue), serve(&queue)]
      #expect(next.contains(other), "\(next)")
      #expect((0..<200).compactMap { _ in serve(&queue) }.count == 98, "No request is lost.")
      #expect(queue.count == 0)
    }
  }

  @Test("An IPv6 /64 counts as one network, and its /32 as one block")
  func addresses() {
    var queue = PasswordQueue(cores: 1)
    for index in 0..<50 { _ = queue.enqueue(request(.login, "2001:db8:0:1::\(index)"), nowMs: 0) }
    for index in 2..<52 { _ = queue.enqueue(request(.login, "2001:db8:0:\(index)::1"), nowMs: 0) }
    let neighbour = queue.enqueue(request(.login, "2001:db8:ffff::1"), nowMs: 0).number
    let other = queue.enqueue(request(.login, "2001:db9::1"), nowMs: 0).number
    #expect(serve(&queue) == 1 && serve(&queue) == other)
    let order = (0..<52).map { _ in serve(&queue) }
    #expect(order[50] == neighbour, "Each network of the block has one turn.")
  }

  @Test("A request of a suspect network waits in the lane for suspects, unless it is of a known client")
  func suspects() {
    func isBehind(_ lane: PasswordQueue.Lane, isSuspect: Bool) -> Bool {
      var queue = PasswordQueue(cores: 1)
      let first = (0..<3).map { _ in queue.enqueue(request(lane), isSuspect: isSuspect, nowMs: 0).number }
      _ = (0..<3).map { _ in queue.enqueue(request(lane, "198.51.100.1"), nowMs: 0) }
      return !(0..<4).map { _ in serve(&queue) }.contains(first[1])
    }
    #expect(isBehind(.login, isSuspect: true))
    #expect(!isBehind(.login, isSuspect: false) && !isBehind(.known, isSuspect: true))
  }

  @Test("The queue is idle when no request waits and no hash is in progress")
  func idle() {
    var queue = PasswordQueue(cores: 1)
    #expect(queue.isIdle)
    _ = queue.enqueue(request(.login), nowMs: 0)
    #expect(!queue.isIdle && queue.next(nowMs: 0, beside: .quiet) != nil)
    #expect(queue.count == 0 && !queue.isIdle)
    queue.end(usedMs: 0, nowMs: 0)
    #expect(queue.isIdle)
  }

  @Test("A request expires 10 s after its arrival or its network's last turn, and after at most 20 s")
  func deadlines() {
    var queue = PasswordQueue(cores: 1)
    for _ in 0..<4 { _ = queue.enqueue(request(.login), nowMs: 0) }
    #expect(queue.expire(nowMs: 9_999).isEmpty)
    #expect(serve(&queue, nowMs: 9_999) == 1)
    let late = queue.enqueue(request(.login), nowMs: 15_000).number
    #expect(queue.expire(nowMs: 19_998).isEmpty)
    #expect(serve(&queue, nowMs: 19_998) == 2)
    #expect(queue.expire(nowMs: 19_999).isEmpty)
    #expect(queue.expire(nowMs: 20_000) == [3, 4])
    #expect(queue.count == 1 && queue.expire(nowMs: 29_997).isEmpty)
    #expect(queue.expire(nowMs: 29_998) == [late] && queue.count == 0)
    #expect(queue.enqueue(request(.login), nowMs: 30_000).number == 6 && serve(&queue, nowMs: 30_000) == 6)
  }

  @Test("300 requests behind one address are served in order, at 60 ms a hash on two cores")
  func schoolClass() {
    var queue = PasswordQueue(cores: 2)
    let waiting = (0..<300).compactMap { _ in queue.enqueue(request(.login), nowMs: 0).number }
    var (running, nowMs, served) = (0, Int64(0), [UInt64]())
    while queue.count > 0 {
      #expect(queue.expire(nowMs: nowMs).isEmpty)
      while let number = queue.next(nowMs: nowMs, beside: .quiet) {
        served.append(number)
        running += 1
      }
      nowMs += 60
      for _ in 0..<running { queue.end(usedMs: 60, nowMs: nowMs) }
      running = 0
    }
    #expect(served == waiting && served.count == 300)
  }

  @Test("A full lane refuses a request unless another network has more requests, and other lanes keep their slots")
  func full() {
    var queue = PasswordQueue(cores: 1)
    let max = Limits.passwordHashesWaitingMax
    for _ in 0..<max - 1 { _ = queue.enqueue(request(.login), nowMs: 0) }
    let entry = queue.enqueue(request(.login, "198.51.100.1"), nowMs: 0)
    #expect(entry.number == UInt64(max) && entry.evicted == nil)
    #expect(
      queue.enqueue(request(.login), nowMs: 0) == .init(number: nil, evicted: nil),
      "This network itself has the most requests.")
    let other = queue.enqueue(request(.login, "198.51.100.2"), nowMs: 0)
    #expect(other == .init(number: UInt64(max) + 1, evicted: UInt64(max) - 1))
    #expect(queue.count == max)
    #expect(queue.enqueue(request(.signUp), nowMs: 0).number != nil)
    #expect(queue.enqueue(request(.known), nowMs: 0).number != nil)
    #expect((0..<2 * max).compactMap { _ in serve(&queue) }.count == max + 2)
  }

  @Test("A flood from three hundred blocks that each had a turn delays a new block by two turns")
  func blocks() {
    var queue = PasswordQueue(cores: 1)
    func flood(_ count: Int) {
      for number in 0..<count {
        _ = queue.enqueue(request(.login, "\(11 + number % 150).\(number / 150 % 2).0.\(number % 250)"), nowMs: 0)
      }
    }
    flood(900)
    for _ in 0..<600 { #expect(serve(&queue) != nil) }
    let newcomer = queue.enqueue(request(.login, "198.51.100.7"), nowMs: 0).number
    #expect([serve(&queue), serve(&queue)].contains(newcomer))
    #expect((0..<900).compactMap { _ in serve(&queue) }.count == 299 && queue.count == 0, "No request is lost.")
  }

  @Test("The newest block goes first once the oldest block has waited for five seconds")
  func newestFirst() {
    var queue = PasswordQueue(cores: 1)
    for number in 0..<100 { _ = queue.enqueue(request(.login, "\(11 + number).1.0.1"), nowMs: 0) }
    #expect(serve(&queue, nowMs: 4_999) == 1)
    #expect(serve(&queue, nowMs: 5_000) == 100)
    let newcomer = queue.enqueue(request(.login, "198.51.100.7"), nowMs: 5_001).number
    #expect(serve(&queue, nowMs: 5_002) == newcomer)
    #expect(queue.expire(nowMs: 10_000).count == 98 && queue.count == 0)
  }

  @Test("A full lane evicts from the block with the most requests in all of its networks")
  func fullOfNetworks() {
    var queue = PasswordQueue(cores: 1)
    let max = Limits.passwordHashesWaitingMax
    for number in 0..<max { _ = queue.enqueue(request(.login, "2001:db8:0:\(String(number, radix: 16))::1"), nowMs: 0) }
    let other = queue.enqueue(request(.login, "2001:db9::1"), nowMs: 0)
    #expect(other.number == UInt64(max) + 1 && other.evicted != nil && queue.count == max)
    #expect(queue.enqueue(request(.login, "2001:db8:1::1"), nowMs: 0) == .init(number: nil, evicted: nil))
    let served = (0..<max).compactMap { _ in serve(&queue) }
    #expect(served.count == max && served.prefix(2).contains(UInt64(max) + 1) && queue.count == 0)
  }

  @Test("The queue asks for a wake-up only while requests wait, and sooner while posts arrive")
  func wake() {
    var queue = PasswordQueue(cores: 1)
    #expect(PostFlow.Pace.allCases.allSatisfy { queue.nextMs(nowMs: 5, beside: $0) == nil })
    _ = queue.enqueue(request(.known), nowMs: 5)
    #expect(queue.nextMs(nowMs: 5, beside: .quiet) == 105)
    #expect(queue.nextMs(nowMs: 5, beside: .light) == 25 && queue.nextMs(nowMs: 5, beside: .heavy) == 25)
  }
}
