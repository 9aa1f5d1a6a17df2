import Testing

@testable import Domain

@Suite("Scan queue")
struct ScanQueueTests {
  /// A network in its own block.
  private func network(_ number: Int) throws -> IPAddress { try #require(IPAddress("203.\(number).113.1")) }

  @Test("Scans start up to the limit, then wait in order, and are refused when the queue is full")
  func bounds() {
    var queue = ScanQueue(slotsMax: 2, waitingMax: 3)
    #expect((1...5).map { queue.admit($0, from: nil) } == [.starts, .starts, .waits, .waits, .waits])
    #expect(queue.admit(6, from: nil) == .refused)
    #expect(queue.finish(2) == 3)
    #expect(queue.admit(7, from: nil) == .waits, "A slot in the queue is free again.")
    #expect(queue.finish(5) == nil, "A waiting scan gives up, and no scan starts.")
    #expect(queue.finish(1) == 4)
    #expect(queue.finish(3) == 7)
    #expect([4, 7].map { queue.finish($0) } == [nil, nil])
    #expect(queue.admit(8, from: nil) == .starts)
  }

  @Test("A queue of length 0 starts a scan or refuses it")
  func noWaiting() {
    var queue = ScanQueue(slotsMax: 1, waitingMax: 0)
    #expect(queue.admit(1, from: nil) == .starts)
    #expect(queue.admit(2, from: nil) == .refused)
    #expect(queue.finish(1) == nil)
    #expect(queue.admit(3, from: nil) == .starts)
  }

  @Test("A network gets one of two running scans and an eighth of the queue")
  func shares() throws {
    var queue = ScanQueue(slotsMax: 2, waitingMax: 32)
    let (greedy, other) = (try network(1), try network(2))
    let admissions = (1...10).map { queue.admit($0, from: greedy) }
    #expect(admissions == [.starts] + Array(repeating: .waits, count: 4) + Array(repeating: .refused, count: 5))
    #expect(queue.admit(11, from: other) == .starts, "The second slot was kept for another network.")
    #expect(queue.admit(12, from: other) == .waits)
    #expect(queue.finish(11) == 12, "The other network's scan overtakes those of a network with its full share.")
    #expect(queue.finish(1) == 2)
    #expect(queue.admit(13, from: greedy) == .waits)
  }

  @Test("Addresses of one IPv6 network have one share")
  func networks() throws {
    var queue = ScanQueue()
    let addresses = try ["2001:db8::1", "2001:db8::2"].map { try #require(IPAddress($0)).network }
    #expect(queue.admit(1, from: addresses[0]) == .starts)
    #expect(queue.admit(2, from: addresses[1]) == .waits)
  }

  @Test(
    "A block of addresses gets one of two running scans and half of the queue",
    arguments: [("203.0.", ".255", "203.1.0.0"), ("2001:db8:ffff:", "::", "2001:db9::")])
  func blocks(start: String, end: String, next: String) throws {
    var queue = ScanQueue(slotsMax: 2, waitingMax: 32)
    let networks = try (0..<40).map { number in try #require(IPAddress("\(start)\(number)\(end)")).network }
    let admissions = networks.indices.map { queue.admit(UInt64($0), from: networks[$0]) }
    #expect(admissions == [.starts] + Array(repeating: .waits, count: 16) + Array(repeating: .refused, count: 23))
    let other = try #require(IPAddress(next)).network
    #expect(queue.admit(100, from: other) == .starts, "The second slot was kept for another block.")
    #expect(queue.admit(101, from: other) == .waits)
    #expect(queue.finish(100) == 101, "The other block's scan overtakes those of a block with its full share.")
    #expect(queue.admit(102, from: nil) == .waits, "Both slots are in use.")
    #expect(queue.finish(0) == 1)
    #expect(queue.admit(103, from: networks[39]) == .waits, "A slot of the block in the queue is free again.")
    #expect(queue.admit(104, from: networks[38]) == .refused)
  }

  @Test("A block's share is rounded down, to at least one slot")
  func roundedShares() throws {
    let networks = try (1...9).map { number in try #require(IPAddress("203.0.113.\(number)")) }
    for (total, share) in [(1, 1), (2, 1), (3, 1), (4, 2), (5, 2)] {
      var queue = ScanQueue(slotsMax: total, waitingMax: total)
      let admissions = networks.indices.map { queue.admit(UInt64($0), from: networks[$0]) }
      #expect(admissions.count { $0 == .starts } == share)
      #expect(admissions.count { $0 == .waits } == share)
    }
  }

  @Test("A paused queue starts no scan, and on resume starts as many as it has slots")
  func holding() {
    var queue = ScanQueue(slotsMax: 2, waitingMax: 9)
    #expect(queue.isIdle)
    #expect((1...4).map { queue.admit($0, from: nil) } == [.starts, .starts, .waits, .waits])
    queue.pause()
    #expect(queue.isPaused && queue.finish(1) == nil && !queue.isIdle)
    #expect(queue.finish(2) == nil && queue.isIdle)
    #expect(queue.admit(5, from: nil) == .waits)
    #expect(queue.resume() == [3, 4])
    #expect(!queue.isPaused && queue.finish(3) == 5)
  }

  @Test("The queue accepts scans up to its limits, from networks and from this host")
  func limits() throws {
    var queue = ScanQueue()
    let admissions = (1...Limits.concurrentScansMax).map { queue.admit(UInt64($0), from: nil) }
    #expect(admissions.allSatisfy { $0 == .starts })
    for id in 1...Limits.scansWaitingMax {
      let network = try network(id / (Limits.scansWaitingMax / Limits.scansNetworkShare) + 1)
      #expect(queue.admit(UInt64(100 + id), from: network) == .waits)
    }
    #expect(queue.admit(1_000, from: try network(200)) == .refused)
  }
}
