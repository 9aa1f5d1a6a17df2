import Testing

@testable import Domain

@Suite("Pending fetches")
struct PendingFetchesTests {
  private let epoch = Epoch.filled(with: 1)
  private var log = ChangeLog(state: FeedState(epoch: .filled(with: 1), seq: 10, entries: [.sample(id: 1, seq: 10)]))
  private var fetches = PendingFetches<String>()

  private mutating func open(
    _ peer: String, id: UInt64 = 1, afterSeq: UInt64 = 10, changesMax: Int = 100, waitMs: Int64 = 500, nowMs: Int64 = 0
  ) {
    fetches.open(
      .init(
        peer: peer, id: id, epoch: epoch, afterSeq: afterSeq, changesMax: changesMax, waitMs: waitMs, nowMs: nowMs))
  }

  /// Returns the peer and the request id of each reply that is due.
  private mutating func replies(nowMs: Int64) -> [String] {
    fetches.replies(from: &log, nowMs: nowMs).map { "\($0.fetch.peer) \($0.fetch.id)" }
  }

  @Test("A fetch waits for a change, and its reply closes it")
  mutating func change() {
    open("a")
    #expect(replies(nowMs: 499).isEmpty && fetches.nextMs == 500)
    log.append([.upsert(.sample(id: 2, seq: 11))])
    let reply = fetches.replies(from: &log, nowMs: 499).first?.reply
    #expect(reply == .changes([.upsert(.sample(id: 2, seq: 11))], lastSeq: 11, hash: log.state.hash))
    #expect(replies(nowMs: 9_000).isEmpty && fetches.nextMs == .max)
  }

  @Test("A fetch without a change gets an empty reply with the list's hash at its timeout")
  mutating func timeout() {
    open("a", waitMs: 100)
    #expect(replies(nowMs: 99).isEmpty)
    #expect(fetches.replies(from: &log, nowMs: 100).map(\.reply) == [.changes([], lastSeq: 10, hash: log.state.hash)])
  }

  @Test("A fetch waits for at most a second, whatever wait it requests")
  mutating func longest() {
    open("a", waitMs: 60_000)
    #expect(fetches.nextMs == Limits.fetchWaitMs)
  }

  @Test("A fetch with a maximum of 0 changes gets one")
  mutating func fewest() {
    log.append([.upsert(.sample(id: 2, seq: 11)), .upsert(.sample(id: 3, seq: 12))])
    open("a", changesMax: 0)
    let reply = fetches.replies(from: &log, nowMs: 0).first?.reply
    #expect(reply == .changes([.upsert(.sample(id: 2, seq: 11))], lastSeq: 11, hash: nil))
  }

  @Test("A peer's new fetch replaces its pending one")
  mutating func one() {
    open("a", id: 1)
    open("b", id: 1)
    open("a", id: 2)
    #expect(replies(nowMs: 500) == ["b 1", "a 2"])
  }

  @Test("A fetch above the limit of feeds is dropped, and a known feed may still fetch")
  mutating func bound() {
    for number in 1...Limits.feedsMax { open("\(number)") }
    open("too many")
    open("7", id: 2)
    let due = replies(nowMs: 500)
    #expect(due.count == Limits.feedsMax && due.last == "7 2" && !due.contains("too many 1"))
  }
}
