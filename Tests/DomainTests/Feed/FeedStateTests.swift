import Fuzzing
import Testing

@testable import Domain

@Suite("List state")
struct FeedStateTests {
  private let epoch = Epoch.filled(with: 7)

  /// Upserts posts. Returns the ids of the posts that left the list.
  private func upsert(_ entries: [FeedEntry], into state: inout FeedState) -> [UInt64] {
    state.apply(entries.map { .upsert($0) }).remove.map(\.rawValue)
  }

  private func state(_ entries: [FeedEntry] = [], seq: UInt64 = 0) -> FeedState {
    FeedState(epoch: epoch, seq: seq, entries: entries)
  }

  @Test("Changed posts move to the top, newest first")
  func order() {
    var state = state([.sample(id: 2, seq: 2), .sample(id: 1, seq: 1)], seq: 2)
    #expect(upsert([.sample(id: 3, seq: 3), .sample(id: 4, seq: 7)], into: &state).isEmpty)
    #expect(state.entries.map(\.id.rawValue) == [4, 3, 2, 1])
    #expect(state.seq == 7)
  }

  @Test("A post that changes again moves up and is listed once")
  func replaced() {
    var state = state([.sample(id: 3, seq: 3), .sample(id: 2, seq: 2), .sample(id: 1, seq: 1)], seq: 3)
    #expect(upsert([.sample(id: 1, seq: 4)], into: &state).isEmpty)
    #expect(state.entries.map(\.id.rawValue) == [1, 3, 2])
    #expect(state.entries.map(\.seq) == [4, 3, 2])
    #expect(upsert([.sample(id: 2, seq: 5), .sample(id: 3, seq: 6), .sample(id: 2, seq: 7)], into: &state).isEmpty)
    #expect(state.entries.map(\.seq) == [7, 6, 4], "The last of two changes of a post counts.")
    let others = (1...100).map { FeedEntry.sample(id: 1_000 + $0, seq: 20 + $0) }
    let left = upsert([.sample(id: 3, seq: 20)] + others, into: &state)
    #expect(left == [2, 3, 1], "These posts are changed and pushed out.")
  }

  @Test("The list holds 100 posts, and its delta removes the posts that leave")
  func bound() {
    var state = state()
    for number: UInt64 in 1...100 { #expect(upsert([.sample(id: number, seq: number)], into: &state).isEmpty) }
    #expect(upsert([.sample(id: 101, seq: 101), .sample(id: 102, seq: 102)], into: &state) == [2, 1])
    #expect(state.entries.count == 100)
    #expect(state.entries.first?.seq == 102)
    #expect(state.entries.last?.seq == 3)
    let removed = upsert((1...150).map { FeedEntry.sample(id: 1_000 + $0, seq: 200 + $0) }, into: &state)
    #expect(removed == (3...102).reversed(), "Fifty posts were never listed, so the delta does not remove them.")
    #expect(state.entries.map(\.seq) == (251...350).reversed())
  }

  @Test("An empty batch leaves the list as it is")
  func none() {
    var state = state([.sample(id: 1, seq: 1)], seq: 5)
    let before = state
    #expect(state.apply([]) == FeedDelta(prevSeq: 5, seq: 5, upsert: [], remove: []))
    #expect(state == before)
  }

  @Test("A deleted post leaves the list, and the 101st post refills its end")
  func deleted() {
    var state = state()
    for number: UInt64 in 1...102 { _ = upsert([.sample(id: number, seq: number)], into: &state) }
    let delta = state.apply([.remove(.numbered(60), seq: 103, backfill: .sample(id: 2, seq: 2))])
    #expect(state.entries.map(\.seq) == (61...102).reversed() + (2...59).reversed())
    #expect(state.seq == 103)
    #expect(delta == FeedDelta(prevSeq: 102, seq: 103, upsert: [.sample(id: 2, seq: 2)], remove: [.numbered(60)]))
    // The removed post was no longer listed, so only the sequence number rises.
    let outside = state.apply([.remove(.numbered(1), seq: 104, backfill: nil)])
    #expect(outside == FeedDelta(prevSeq: 103, seq: 104, upsert: [], remove: [.numbered(1)]))
    #expect(state.entries.count == 100 && state.seq == 104)
  }

  /// Model of the store: all published posts, of which the list shows the newest hundred.
  private struct Model {
    var posts: [PostID: FeedEntry] = [:]
    var seq: UInt64 = 0

    func list(_ epoch: Epoch) -> FeedState {
      FeedState(epoch: epoch, seq: seq, entries: posts.values.sorted { $0.seq > $1.seq })
    }

    mutating func change(using random: inout SeededRandom) -> FeedChange {
      seq += 1
      let before = posts.values.sorted { $0.seq > $1.seq }
      guard let post = before.randomElement(using: &random), before.count > 80, random.happens(60) else {
        let entry = FeedEntry.sample(id: seq, seq: seq)
        posts[entry.id] = entry
        return .upsert(entry)
      }
      if random.happens(30) {
        let edited = FeedEntry.sample(id: post.id.rawValue, seq: seq)
        posts[post.id] = edited
        return .upsert(edited)
      }
      posts[post.id] = nil
      let wasListed = before.prefix(100).contains(post)
      return .remove(post.id, seq: seq, backfill: wasListed && before.count > 100 ? before[100] : nil)
    }
  }

  @Test("Every split of the changes into deltas leads to the store's list", arguments: 0..<40 as Range<UInt64>)
  func deltas(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    var model = Model()
    var changes: [FeedChange] = []
    var lists = [state()]
    for _ in 0..<400 {
      changes.append(model.change(using: &random))
      lists.append(model.list(epoch))
    }
    for _ in 0..<60 {
      let from = random.below(400)
      let to = from + 1 + random.below(min(150, 400 - from))
      var copy = lists[from]
      let delta = copy.apply(Array(changes[from..<to]))
      try #require(copy == lists[to], "seed \(seed): \(from) to \(to)")
      try #require(delta.upsert.map(\.seq) == delta.upsert.map(\.seq).sorted() && delta.upsert.count <= 100)
      // A copy in between, from a feed that split the changes differently, reaches the same list.
      var between = lists[from + random.below(to - from)]
      between.apply(delta)
      try #require(between == lists[to], "seed \(seed): \(from) to \(to)")
      var log = ChangeLog(state: lists[0])
      log.append(Array(changes[..<to]))
      try #require(log.state == lists[to], "seed \(seed): the log at \(to)")
      var late = lists[from]
      late.apply(try #require(log.delta(epoch: epoch, afterSeq: UInt64(from))))
      try #require(late == lists[to], "seed \(seed): since \(from) to \(to)")
    }
  }

  /// Independent implementation of FNV-1a, over bytes.
  private func fnv(_ bytes: [UInt8]) -> UInt64 {
    bytes.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01B3 }
  }

  @Test("The hash is FNV-1a over ids and sequence numbers, newest first")
  func hash() {
    // The published test vectors of FNV-1a.
    #expect(fnv([]) == 0xCBF2_9CE4_8422_2325)
    #expect(fnv(Array("a".utf8)) == 0xAF63_DC4C_8601_EC8C)
    #expect(fnv(Array("foobar".utf8)) == 0x8594_4171_F739_67E8)

    #expect(state().hash == 0xCBF2_9CE4_8422_2325)
    let two = state([.sample(id: 62, seq: 258), .sample(id: 61, seq: 1)], seq: 258)
    let bytes =
      Array("0000000010".utf8) + [2, 1, 0, 0, 0, 0, 0, 0] + Array("000000000z".utf8) + [1, 0, 0, 0, 0, 0, 0, 0]
    #expect(two.hash == fnv(bytes))
  }

  @Test("Lists that differ in a post, a sequence number or the order have different hashes")
  func hashDiffers() {
    let lists: [[FeedEntry]] = [
      [], [.sample(id: 1, seq: 1)], [.sample(id: 2, seq: 1)], [.sample(id: 1, seq: 2)],
      [.sample(id: 1, seq: 1), .sample(id: 2, seq: 2)], [.sample(id: 2, seq: 2), .sample(id: 1, seq: 1)],
    ]
    #expect(Set(lists.map { state($0).hash }).count == lists.count)
  }

  @Test("An epoch has 16 bytes, and its description is hexadecimal")
  func epochs() {
    #expect(Epoch([UInt8](repeating: 0, count: 15)) == nil)
    #expect(Epoch([UInt8](repeating: 0, count: 17)) == nil)
    #expect(Epoch(Array(0..<16))?.description == "000102030405060708090a0b0c0d0e0f")
  }
}
