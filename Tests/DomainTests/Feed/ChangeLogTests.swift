import Testing

@testable import Domain

@Suite("Change log")
struct ChangeLogTests {
  private let epoch = Epoch.filled(with: 1)
  private var log = ChangeLog(state: FeedState(epoch: .filled(with: 1), seq: 10, entries: [.sample(id: 1, seq: 10)]))

  private func entries(_ numbers: ClosedRange<UInt64>) -> [FeedChange] {
    numbers.map { .upsert(.sample(id: $0, seq: $0)) }
  }

  @Test("A feed that is up to date gets no changes")
  mutating func upToDate() {
    #expect(log.fetch(epoch: epoch, afterSeq: 10, max: 100) == nil)
    log.append(entries(11...12))
    #expect(log.fetch(epoch: epoch, afterSeq: 12, max: 100) == nil)
  }

  @Test("A feed gets exactly the changes after its sequence number")
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

  @Test("A feed with another epoch, or a sequence number outside the ring, gets a snapshot")
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

  @Test("The log keeps the newest 10,000 changes, and a feed further behind gets a snapshot")
  mutating func ring() {
    for start in stride(from: UInt64(11), through: 10_511, by: 500) { log.append(entries(start...(start + 499))) }
    #expect(log.state.seq == 11_010)
    #expect(log.fetch(epoch: epoch, afterSeq: 1_009, max: 1) == .snapshot(log.state))
    #expect(
      log.fetch(epoch: epoch, afterSeq: 1_010, max: 1) == .changes(entries(1_011...1_011), lastSeq: 1_011, hash: nil))
  }

  @Test("The list is right with any number of pending changes")
  mutating func list() {
    var state = FeedState(epoch: epoch, seq: 10, entries: [.sample(id: 1, seq: 10)])
    for (size, next) in [(1, 11), (99, 12), (9_899, 111), (1, 10_010), (20_050, 10_011)] as [(UInt64, UInt64)] {
      // Every third change edits an earlier post.
      let changes = (next..<next + size).map { FeedChange.upsert(.sample(id: $0 % 3 == 0 ? $0 - 2 : $0, seq: $0)) }
      log.append(changes)
      state.apply(changes)
      #expect(log.state == state, "\(next)")
    }
  }

  @Test("A feed that is behind catches up in batches of 100 without a gap")
  mutating func batches() {
    log.append(entries(11...260))
    var (seq, sizes): (UInt64, [Int]) = (10, [])
    var replica = FeedState(epoch: epoch, seq: 10, entries: [.sample(id: 1, seq: 10)])
    while case .changes(let changes, let lastSeq, let hash)? = log.fetch(epoch: epoch, afterSeq: seq, max: 1_000) {
      replica.apply(changes)
      #expect(hash == (lastSeq == 260 ? replica.hash : nil), "Only the last batch carries the hash of the list.")
      sizes.append(changes.count)
      seq = lastSeq
    }
    #expect(sizes == [100, 100, 50])
    #expect(replica == log.state)
  }

  @Test("The log merges the changes after a sequence number into one delta, and has none for a number outside its ring")
  mutating func since() throws {
    var log = ChangeLog(state: FeedState(epoch: epoch, seq: 10, entries: [.sample(id: 1, seq: 10)]), capacity: 5)
    log.append(entries(11...14))
    log.append([.remove(.numbered(12), seq: 15, backfill: nil), .upsert(.sample(id: 11, seq: 16))])
    #expect(log.minAfterSeq == 11)
    for (epoch, seq) in [(self.epoch, 10), (self.epoch, 17), (Epoch.filled(with: 2), 16)] as [(Epoch, UInt64)] {
      #expect(log.delta(epoch: epoch, afterSeq: seq) == nil, "\(seq)")
    }
    let delta = try #require(log.delta(epoch: epoch, afterSeq: 11))
    #expect(delta.upsert.map(\.seq) == [13, 14, 16] && delta.remove == [.numbered(12)])
    #expect(delta.prevSeq == 11 && delta.seq == 16)
    #expect(log.delta(epoch: epoch, afterSeq: 16)?.upsert == [])
  }

  @Test("Appending known changes again adds only the new ones")
  mutating func again() {
    log.append(entries(11...13))
    log.append(entries(9...14))
    #expect(
      log.fetch(epoch: epoch, afterSeq: 10, max: 100) == .changes(entries(11...14), lastSeq: 14, hash: log.state.hash))
    log.append([])
    #expect(log.state.seq == 14)
  }
}
