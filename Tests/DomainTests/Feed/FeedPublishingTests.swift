import Testing

@testable import Domain

@Suite("Feed publishing")
struct FeedPublishingTests {
  private var publishing = FeedPublishing()
  private var list = FeedState(epoch: .filled(with: 1), seq: 0, entries: [])

  private typealias Frame = FeedPublishing.Frame

  /// Adds a post to the list, and returns the frames for it.
  private mutating func post(_ number: UInt64) -> [Frame] {
    let delta = list.apply([.upsert(.sample(id: number, seq: number))])
    return publishing.change(delta, to: list, minAfterSeq: 0)
  }

  /// Returns the frames that are due in a range of times, with their times.
  private mutating func frames(_ times: Range<Int64>) -> [(atMs: Int64, frame: Frame)] {
    var frames: [(Int64, Frame)] = []
    for nowMs in times {
      if let dueMs = publishing.nextMs, dueMs > nowMs { continue }
      frames += publishing.tick(nowMs: nowMs).map { (nowMs, $0) }
    }
    return frames
  }

  @Test("A feed publishes nothing before its first list")
  mutating func nothing() {
    #expect(publishing.set(isStale: false, nowMs: 5) == [] && publishing.tick(nowMs: 60_000) == [])
    #expect(publishing.nextMs == nil && publishing.hash == 0)
  }

  @Test("A replaced list goes out immediately as snapshot and heartbeat, and starts a new ring")
  mutating func replaced() {
    list.apply([.upsert(.sample(id: 1, seq: 1))])
    #expect(publishing.replace(list, nowMs: 10) == [.snapshot(isPeriodic: false), .heartbeat])
    #expect(publishing.state == list && publishing.hash == list.hash && publishing.minAfterSeq == 1)
    #expect(publishing.isStale, "A new list starts stale.")
    #expect(publishing.set(isStale: false, nowMs: 20) == [.snapshot(isPeriodic: false), .heartbeat])
    #expect(!publishing.isStale)
    _ = publishing.set(isStale: true, nowMs: 30)
    #expect(publishing.isStale && publishing.state == list)
  }

  @Test("A quiet feed sends a snapshot every 5 s and a heartbeat every second")
  mutating func calm() {
    _ = publishing.replace(list, nowMs: 0)
    let frames = frames(1..<10_001)
    #expect(frames.filter { $0.frame == .heartbeat }.map(\.atMs) == (1...10).map { $0 * 1_000 })
    #expect(frames.filter { $0.frame == .snapshot(isPeriodic: true) }.map(\.atMs) == [5_000, 10_000])
    #expect(frames.count == 12)
  }

  @Test("Each change goes out immediately, and snapshots follow four times a second")
  mutating func busy() {
    _ = publishing.replace(list, nowMs: 0)
    var snapshots: [Int64] = []
    for number in 1...100 as ClosedRange<UInt64> {
      let nowMs = Int64(number) * 10
      let frames = post(number)
      #expect(frames.count == 1)
      guard case .delta(let delta)? = frames.first else { continue }
      #expect(delta.prevSeq == number - 1 && delta.seq == number && publishing.hash == list.hash)
      for (atMs, frame) in self.frames(nowMs..<nowMs + 10) where frame != .heartbeat {
        #expect(frame == .snapshot(isPeriodic: false))
        snapshots.append(atMs)
      }
    }
    #expect(snapshots == [250, 500, 750, 1_000])
  }

  @Test("A change after a long calm is followed by a snapshot at the next tick")
  mutating func late() {
    _ = publishing.replace(list, nowMs: 0)
    _ = post(1)
    #expect(publishing.nextMs == 250)
    #expect(publishing.tick(nowMs: 7_000) == [.snapshot(isPeriodic: false), .heartbeat])
    #expect(publishing.nextMs == 8_000)
  }
}
