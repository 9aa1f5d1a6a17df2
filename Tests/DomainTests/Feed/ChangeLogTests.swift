import Testing

@testable import Domain

@Suite("The change log")
struct ChangeLogTests {
  private let epoch = Epoch.filled(with: 1)
  private var log = ChangeLog(state: FeedState(epoch: .filled(with: 1), seq: 10, entries: [.sample(id: 1, seq: 10)]))

  private func entries(_ numbers: ClosedRange<UInt64>) -> [FeedChange] {
    numbers.map { .upsert(.sample(id: $0, seq: $0)) }
  }

  @Test("A feed that is up to date gets nothing")
  mutating func upToDate() {
    #expect(log.fetch(epoch: epoch, afterSeq: 10, max: 100) == nil)
    log.append(entries(11...12))
    #expect(log.fetch(epoch: epoch, afterSeq: 12, max: 100) == nil)
  }

  @Test("A feed gets exactly what follows its number")
  mutating func changes() {
    log.append(entries(11...13))
    log.append([.upsert(.sample(id: 20, seq: 20))])
    #expect(
      log.fetch(epoch: epoch, afterSeq: 11, max: 100)
        == .changes(entries(12...13) + [.upsert(.sample(id: 20, seq: 20))], lastSeq: 20, hash: log.state.hash))
    #expect(
      log.fetch(epoch: epoch, afterSeq: 15, max: 100)
        == .changes([.upsert(.sample(id: 20, seq: 20))], lastSeq: 20, hash: log.state.hash))
    #expect(log.state.seq == 20)
    #expect(log.state.entries.map(\.seq) == [20, 13, 12, 11, 10])
  }

  @Test("Another history, a number ahead and a number behind the ring get the whole list")
  mutating func snapshot() {
    log.append(entries(11...12))
    for (epoch, seq) in [
      (nil, 0), (nil, 12), (Epoch.filled(with: 2), 12), (Epoch.filled(with: 2), 11), (self.epoch, 13), (self.epoch, 9),
    ] as [(Epoch?, UInt64)] {
      #expect(log.fetch(epoch: epoch, afterSeq: seq, max: 100) == .snapshot(log.state), "\(seq)")
    }
    #expect(
      log.fetch(epoch: epoch, afterSeq: 10, max: 100) == .changes(entries(11...12), lastSeq: 12, hash: log.state.hash))
  }

  @Test("The latest 10,000 changes are kept; who is further behind gets the whole list")
  mutating func ring() {
    for start in stride(from: UInt64(11), through: 10_511, by: 500) { log.append(entries(start...(start + 499))) }
    #expect(log.state.seq == 11_010)
    #expect(log.fetch(epoch: epoch, afterSeq: 1_009, max: 1) == .snapshot(log.state))
    #expect(
      log.fetch(epoch: epoch, afterSeq: 1_010, max: 1) == .changes(entries(1_011...1_011), lastSeq: 1_011, hash: nil))
  }

  @Test("The list is the same, however many changes ago it was last put together")
  mutating func list() {
    var state = FeedState(epoch: epoch, seq: 10, entries: [.sample(id: 1, seq: 10)])
    for (size, next) in [(1, 11), (99, 12), (9_899, 111), (1, 10_010), (20_050, 10_011)] as [(UInt64, UInt64)] {
      // One post in three changes again.
      let changes = (next..<next + size).map { FeedChange.upsert(.sample(id: $0 % 3 == 0 ? $0 - 2 : $0, seq: $0)) }
      log.append(changes)
      state.apply(changes)
      #expect(log.state == state, "\(next)")
    }
  }

  @Test("A feed that is behind catches up in batches of 100 and misses nothing")
  mutating func batches() {
    log.append(entries(11...260))
    var (seq, sizes): (UInt64, [Int]) = (10, [])
    var replica = FeedState(epoch: epoch, seq: 10, entries: [.sample(id: 1, seq: 10)])
    while case .changes(let changes, let lastSeq, let hash)? = log.fetch(epoch: epoch, afterSeq: seq, max: 1_000) {
      replica.apply(changes)
      #expect(hash == (lastSeq == 260 ? replica.hash : nil), "It is that of the whole list, once that is told.")
      sizes.append(changes.count)
      seq = lastSeq
    }
    #expect(sizes == [100, 100, 50])
    #expect(replica == log.state)
  }

  @Test("What has changed since is one delta; who is behind the ring or of another history gets none")
  mutating func since() throws {
    var log = ChangeLog(state: FeedState(epoch: epoch, seq: 10, entries: [.sample(id: 1, seq: 10)]), capacity: 5)
    log.append(entries(11...14))
    log.append([.remove(.numbered(12), seq: 15, next: nil), .upsert(.sample(id: 11, seq: 16))])
    #expect(log.ringFrom == 11)
    for (epoch, seq) in [(self.epoch, 10), (self.epoch, 17), (Epoch.filled(with: 2), 16)] as [(Epoch, UInt64)] {
      #expect(log.delta(epoch: epoch, afterSeq: seq) == nil, "\(seq)")
    }
    let delta = try #require(log.delta(epoch: epoch, afterSeq: 11))
    #expect(delta.upsert.map(\.seq) == [13, 14, 16] && delta.remove == [.numbered(12)])
    #expect(delta.prevSeq == 11 && delta.seq == 16)
    #expect(log.delta(epoch: epoch, afterSeq: 16)?.upsert == [])
  }

  @Test("What is there already is not added again")
  mutating func again() {
    log.append(entries(11...13))
    log.append(entries(9...14))
    #expect(
      log.fetch(epoch: epoch, afterSeq: 10, max: 100) == .changes(entries(11...14), lastSeq: 14, hash: log.state.hash))
    log.append([])
    #expect(log.state.seq == 14)
  }
}
