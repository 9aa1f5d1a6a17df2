import Testing

@testable import OnTheMap

@Suite("The list")
struct FeedStateTests {
  private let epoch = Epoch.filled(with: 7)

  private func state(_ entries: [FeedEntry] = [], seq: UInt64 = 0) -> FeedState {
    FeedState(epoch: epoch, seq: seq, entries: entries)
  }

  @Test("Changed posts stand on top, the latest first")
  func order() {
    var state = state([.sample(id: 2, seq: 2), .sample(id: 1, seq: 1)], seq: 2)
    #expect(state.apply([.sample(id: 3, seq: 3), .sample(id: 4, seq: 7)]).isEmpty)
    #expect(state.entries.map(\.id.rawValue) == [4, 3, 2, 1])
    #expect(state.seq == 7)
  }

  @Test("A post that changes again moves up and is there once")
  func replaced() {
    var state = state([.sample(id: 3, seq: 3), .sample(id: 2, seq: 2), .sample(id: 1, seq: 1)], seq: 3)
    #expect(state.apply([.sample(id: 1, seq: 4)]).isEmpty)
    #expect(state.entries.map(\.id.rawValue) == [1, 3, 2])
    #expect(state.entries.map(\.seq) == [4, 3, 2])
    state.apply([.sample(id: 2, seq: 5), .sample(id: 3, seq: 6), .sample(id: 2, seq: 7)])
    #expect(state.entries.map(\.seq) == [7, 6, 4], "Changed twice at once: its last change counts.")
    let others = (1...100).map { FeedEntry.sample(id: 1_000 + $0, seq: 20 + $0) }
    #expect(state.apply([.sample(id: 3, seq: 20)] + others).map(\.rawValue) == [2, 3, 1], "Changed and pushed out.")
  }

  @Test("The list ends at 100; what leaves it is told")
  func bound() {
    var state = state()
    for number: UInt64 in 1...100 { #expect(state.apply([.sample(id: number, seq: number)]).isEmpty) }
    #expect(state.apply([.sample(id: 101, seq: 101), .sample(id: 102, seq: 102)]).map(\.rawValue) == [2, 1])
    #expect(state.entries.count == 100)
    #expect(state.entries.first?.seq == 102)
    #expect(state.entries.last?.seq == 3)
    let removed = state.apply((1...150).map { FeedEntry.sample(id: 1_000 + $0, seq: 200 + $0) })
    #expect(removed.map(\.rawValue) == (3...102).reversed(), "The hundred of before; fifty were never in it.")
    #expect(state.entries.map(\.seq) == (251...350).reversed())
  }

  @Test("No changes change nothing")
  func none() {
    var state = state([.sample(id: 1, seq: 1)], seq: 5)
    let before = state
    #expect(state.apply([]).isEmpty)
    #expect(state == before)
  }

  /// FNV-1a, written down a second time: over the bytes, not over the list.
  private func fnv(_ bytes: [UInt8]) -> UInt64 {
    bytes.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01B3 }
  }

  @Test("The hash is FNV-1a over ids and numbers, newest first")
  func hash() {
    // The published vectors of the function itself.
    #expect(fnv([]) == 0xCBF2_9CE4_8422_2325)
    #expect(fnv(Array("a".utf8)) == 0xAF63_DC4C_8601_EC8C)
    #expect(fnv(Array("foobar".utf8)) == 0x8594_4171_F739_67E8)

    #expect(state().hash == 0xCBF2_9CE4_8422_2325)
    let two = state([.sample(id: 62, seq: 258), .sample(id: 61, seq: 1)], seq: 258)
    let bytes =
      Array("0000000010".utf8) + [2, 1, 0, 0, 0, 0, 0, 0] + Array("000000000z".utf8) + [1, 0, 0, 0, 0, 0, 0, 0]
    #expect(two.hash == fnv(bytes))
  }

  @Test("Lists that differ in a post, a number or the order have different hashes")
  func hashDiffers() {
    let lists: [[FeedEntry]] = [
      [], [.sample(id: 1, seq: 1)], [.sample(id: 2, seq: 1)], [.sample(id: 1, seq: 2)],
      [.sample(id: 1, seq: 1), .sample(id: 2, seq: 2)], [.sample(id: 2, seq: 2), .sample(id: 1, seq: 1)],
    ]
    #expect(Set(lists.map { state($0).hash }).count == lists.count)
  }

  @Test("An epoch has 16 bytes and is shown in hexadecimal digits")
  func epochs() {
    #expect(Epoch([UInt8](repeating: 0, count: 15)) == nil)
    #expect(Epoch([UInt8](repeating: 0, count: 17)) == nil)
    #expect(Epoch(Array(0..<16))?.description == "000102030405060708090a0b0c0d0e0f")
    #expect(hexadecimal(0, digits: 4) == "0000")
    #expect(hexadecimal(.max, digits: 2) == "ffffffffffffffff")
  }
}
