import Fuzzing
import Testing

@testable import Domain

@Suite("Feed history")
struct FeedHistoryTests {
  private let epoch = Epoch.filled(with: 7)

  /// Model of a store and its list. Clients add, edit and delete posts.
  private struct StoreModel {
    var random: SeededRandom
    var posts: [FeedEntry] = []
    var seq: UInt64 = 0

    func state(_ epoch: Epoch) -> FeedState { FeedState(epoch: epoch, seq: seq, entries: posts) }

    /// Makes a random change, and returns it as ingest publishes it.
    mutating func change() -> FeedChange {
      seq += 1
      let isShort = posts.count < 3
      switch Int.random(in: 0..<(isShort ? 1 : 8), using: &random) {
      case 0...4:
        let entry = FeedEntry.random(id: seq, seq: seq, &random)
        posts.insert(entry, at: 0)
        return .upsert(entry)
      case 5, 6:
        let old = posts.remove(at: Int.random(in: 0..<posts.count, using: &random))
        let entry = FeedEntry.random(id: old.id.rawValue, seq: seq, &random)
        posts.insert(entry, at: 0)
        return .upsert(entry)
      default:
        let index = Int.random(in: 0..<min(posts.count, 150), using: &random)
        let next = index < Limits.feedEntriesMax && posts.count > Limits.feedEntriesMax ? posts[100] : nil
        return .remove(posts.remove(at: index).id, seq: seq, backfill: next)
      }
    }
  }

  @Test(
    "The history gives the list at each kept sequence number, and the exact delta for each filter", arguments: 1...20)
  func exact(seed: UInt64) throws {
    var model = StoreModel(random: SeededRandom(seed: seed))
    let filters = [
      FeedFilter.all, try FeedFilter(country: "NO", box: ""), try FeedFilter(country: "US,NO", box: "-90,0,90,90"),
      try FeedFilter(country: "", box: "170,-90,-170,90"),
    ]
    var lists = [model.state(epoch)]
    var history = FeedHistory(state: lists[0], capacity: 150)
    for _ in 0..<100 {
      let changes = (0..<Int.random(in: 1...9, using: &model.random)).map { _ in
        let change = model.change()
        lists.append(model.state(epoch))
        return change
      }
      history.append(changes, to: model.state(epoch))
    }
    #expect(history.state == lists.last)
    for (seq, list) in lists.enumerated().suffix(151) {
      #expect(history.list(at: UInt64(seq)) == list, "\(seq)")
      let difference = FeedDifference(from: list, to: history.state)
      for filter in filters {
        var copy = list.filtered(filter)
        let delta = difference.delta(after: copy.seq, filter: filter)
        if let delta {
          let listed = Set(copy.entries.map(\.id))
          #expect(delta.remove.allSatisfy(listed.contains), "A delta removes only posts that the copy had.")
          #expect(delta.upsert.map(\.seq) == delta.upsert.map(\.seq).sorted())
          copy.apply(delta)
        }
        #expect(copy.entries == history.state.filtered(filter).entries, "\(seq)")
      }
    }
  }

  @Test("The history keeps at least its capacity of changes, and less than twice as many")
  func capacity() {
    var history = FeedHistory(state: FeedState(epoch: epoch, seq: 10, entries: []))
    let capacity = UInt64(Limits.feedChangesKept)
    for seq in 11...(10 + 5 * capacity) {
      history.append([.upsert(.sample(id: seq, seq: seq))], to: FeedState(epoch: epoch, seq: seq, entries: []))
      #expect(history.list(at: max(10, seq - min(seq, capacity))) != nil)
      if seq >= 10 + 2 * capacity { #expect(history.list(at: seq - 2 * capacity) == nil) }
    }
    #expect(history.list(at: 10 + 5 * capacity + 1) == nil, "A future sequence number has no list.")
  }

  @Test("Only an unfiltered subscriber gets a delta for a sequence number without a change")
  func nothing() throws {
    let before = FeedState(epoch: epoch, seq: 1, entries: [.sample(id: 1, seq: 1)])
    let difference = FeedDifference(from: before, to: FeedState(epoch: epoch, seq: 2, entries: before.entries))
    #expect(difference.delta(after: 1, filter: .all) == FeedDelta(prevSeq: 1, seq: 2, upsert: [], remove: []))
    #expect(try difference.delta(after: 1, filter: FeedFilter(country: "GB", box: "")) == nil)
  }
}

extension FeedEntry {
  fileprivate static func random(id: UInt64, seq: UInt64, _ random: inout SeededRandom) -> FeedEntry {
    FeedEntry(
      id: .numbered(id), seq: seq, account: AccountID(rawValue: 1), firstName: "Ada", lastName: "Lovelace",
      place: "London", label: "London", countryCode: ["NO", "US", "GB", ""].randomElement(using: &random) ?? "",
      link: "https://example.org/ada",
      coordinate: .at(.random(in: -90...90, using: &random), .random(in: -180...180, using: &random)),
      agreement: .notGiven, createdMs: 1, updatedMs: 2)
  }
}
