import Fuzzing
import Testing

@testable import Domain

@Suite("Post ids")
struct PostIDTests {
  private let largest: UInt64 = 839_299_365_868_340_223

  @Test(
    "An id is a number with a text of 10 characters",
    arguments: [
      (0, "0000000000"), (61, "000000000z"), (62, "0000000010"), (10, "000000000A"), (36, "000000000a"),
      (839_299_365_868_340_223, "zzzzzzzzzz"),
    ] as [(UInt64, String)])
  func text(number: UInt64, text: String) {
    #expect(PostID(rawValue: number)?.description == text)
    #expect(PostID(text)?.rawValue == number)
  }

  @Test("Ids survive a round trip through their texts, which sort like the ids")
  func roundTrip() {
    var random = SeededRandom(seed: 7)
    let ids = (0..<2_000).map { _ in PostID.numbered(UInt64.random(in: 0...largest, using: &random)) }
    for id in ids {
      #expect(id.description.utf8.count == 10)
      #expect(PostID(id.description) == id)
    }
    let sorted = ids.sorted()
    #expect(
      sorted.map(\.description) == ids.map(\.description).sorted { Array($0.utf8).lexicographicallyPrecedes($1.utf8) })
  }

  @Test("A number that does not fit 10 characters is refused")
  func tooLarge() {
    #expect(PostID(rawValue: largest + 1) == nil)
    #expect(PostID(rawValue: .max) == nil)
  }

  @Test(
    "A text that is not 10 characters of 0-9, A-Z and a-z is refused",
    arguments: [
      "", "000000000", "00000000000", "00000 0000", "000000000-", "000000000é", "0000000é0", "００００００００００",
      "000000000\n", "+000000000", "0000000.00",
    ])
  func badTexts(text: String) {
    #expect(PostID(text) == nil)
  }

  @Test("Ids rise even when the clock stands still or goes back")
  func clock() {
    let startMs: Int64 = 1_700_000_000_000
    let first = PostID.following(nil, unixMs: startMs)
    let stopped = PostID.following(first, unixMs: startMs)
    let backward = PostID.following(stopped, unixMs: startMs - 3_600_000)
    let forward = PostID.following(backward, unixMs: startMs + 1)
    #expect(first < stopped && stopped < backward && backward < forward)
    #expect(stopped.rawValue == first.rawValue + 1)
    #expect(forward.rawValue - first.rawValue == 1 << 18, "Each millisecond has its own range of ids.")
  }

  @Test("A clock before 2020 counts as the start of 2020")
  func beforeEpoch() {
    #expect(PostID.following(nil, unixMs: 0) == PostID(rawValue: 1))
    #expect(PostID.following(nil, unixMs: 1_577_836_800_000 - 1) == PostID(rawValue: 1))
  }

  @Test("A million ids of one millisecond are distinct")
  func burst() {
    var last = PostID.following(nil, unixMs: 1_700_000_000_000)
    let first = last
    for _ in 0..<1_000_000 {
      let next = PostID.following(last, unixMs: 1_700_000_000_000)
      guard next > last else {
        Issue.record("\(next) does not follow \(last)")
        return
      }
      last = next
    }
    #expect(last.rawValue - first.rawValue == 1_000_000)
  }

  @Test("A job id belongs to a post or to a lookup, never to both")
  func jobs() {
    let post = JobID(PostID.numbered(largest))
    #expect(!post.isLookup)
    #expect(post.post == PostID(rawValue: largest))
    let lookup = JobID(lookup: 5)
    #expect(lookup.isLookup)
    #expect(lookup.post == nil)
    #expect(lookup != JobID(rawValue: 5))
  }
}
