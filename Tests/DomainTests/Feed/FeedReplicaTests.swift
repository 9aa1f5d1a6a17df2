import Fuzzing
import Testing

@testable import Domain

@Suite("A subscriber's copy of the list")
struct FeedReplicaTests {
  private let epoch = Epoch.filled(with: 1)
  private var source = FeedState(epoch: .filled(with: 1), seq: 0, entries: [])
  private var replica = FeedReplica(nowMs: 0)

  /// Changes the source, and returns the delta.
  private mutating func change(_ numbers: UInt64...) -> FeedReplica.Frame {
    let delta = source.apply(numbers.map { .upsert(.sample(id: $0, seq: $0)) })
    return .delta(delta, epoch: source.epoch, hash: source.hash)
  }

  private var snapshot: FeedReplica.Frame { .snapshot(source, hash: source.hash) }
  private var heartbeat: FeedReplica.Frame { .heartbeat(epoch: source.epoch, seq: source.seq, hash: source.hash) }

  private mutating func receive(_ frame: FeedReplica.Frame, nowMs: Int64 = 0) -> FeedReplica.Effect {
    replica.receive(frame, nowMs: nowMs)
  }

  /// Returns the sequence numbers of the upserts that are new to the copy. Nil for any other effect.
  private func newSeqs(_ effect: FeedReplica.Effect) -> [UInt64]? {
    if case .changed(let delta) = effect { return delta.upsert.map(\.seq) }
    return nil
  }

  private func isResync(_ effect: FeedReplica.Effect) -> Bool {
    if case .resync(let reason) = effect { return !reason.description.isEmpty }
    return false
  }

  @Test("A copy ignores deltas and heartbeats before its first snapshot")
  mutating func beforeList() {
    let delta = change(1)
    #expect(receive(delta) == .unchanged)
    #expect(receive(heartbeat) == .unchanged)
    #expect(replica.state == nil)
    #expect(!replica.isLive)
    #expect(receive(snapshot) == .replaced)
    #expect(replica.state == source)
    #expect(replica.isLive)
  }

  @Test("A copy applies and reports deltas in order")
  mutating func inOrder() {
    #expect(receive(snapshot) == .replaced)
    let first = change(1)
    let second = change(5, 6)
    #expect(newSeqs(receive(first)) == [1])
    #expect(newSeqs(receive(second)) == [5, 6])
    #expect(receive(heartbeat) == .unchanged)
    #expect(replica.state == source)
  }

  @Test("A copy ignores a repeated delta")
  mutating func duplicate() {
    #expect(receive(snapshot) == .replaced)
    let delta = change(1)
    #expect(newSeqs(receive(delta)) == [1])
    #expect(receive(delta) == .unchanged)
    #expect(replica.isLive)
  }

  @Test("A gap ends a live copy until the next snapshot")
  mutating func gap() {
    #expect(receive(snapshot) == .replaced)
    _ = change(1)
    let second = change(2)
    let third = change(3)
    let gap = receive(second)
    #expect(isResync(gap))
    #expect(!replica.isLive)
    #expect(receive(third) == .unchanged, "An untrusted copy applies no delta.")
    #expect(replica.state?.seq == 0)
    #expect(receive(snapshot) == .replaced)
    #expect(replica.state == source)
  }

  @Test("A heartbeat reveals the loss of the last change")
  mutating func lastLost() {
    #expect(receive(snapshot) == .replaced)
    _ = change(1)
    let effect = receive(heartbeat)
    #expect(isResync(effect))
    #expect(!replica.isLive)
  }

  @Test("A heartbeat from before the last change keeps a copy live")
  mutating func lateHeartbeat() {
    #expect(receive(snapshot) == .replaced)
    let early = heartbeat
    let delta = change(1)
    #expect(newSeqs(receive(delta)) == [1])
    #expect(receive(early) == .unchanged)
    #expect(replica.isLive)
  }

  @Test(
    "Three heartbeats in a row with a lower sequence number mean that the feed regressed")
  mutating func behind() {
    let old = (heartbeat: heartbeat, snapshot: snapshot)
    let first = change(1)
    #expect(receive(old.snapshot) == .replaced)
    #expect(newSeqs(receive(first)) == [1])
    #expect(receive(old.heartbeat) == .unchanged)
    #expect(receive(old.heartbeat) == .unchanged)
    #expect(receive(heartbeat) == .unchanged, "The feed has caught up, so the earlier heartbeats do not count.")
    #expect(receive(old.heartbeat) == .unchanged)
    #expect(receive(old.heartbeat) == .unchanged)
    #expect(receive(old.snapshot) == .unchanged, "An old snapshot may still be in flight.")
    #expect(replica.isLive)
    #expect(receive(old.heartbeat) == .resync(.regressed(0)))
    #expect(!replica.isLive)
    #expect(
      receive(old.snapshot) == .replaced, "A copy that is not live accepts any snapshot, whatever its sequence number.")
    #expect(receive(old.heartbeat) == .unchanged)
  }

  @Test("A snapshot resets the count of heartbeats with a lower sequence number")
  mutating func behindNewList() {
    let old = heartbeat
    _ = change(1)
    #expect(receive(snapshot) == .replaced)
    #expect(receive(old) == .unchanged)
    #expect(receive(old) == .unchanged)
    _ = change(2)
    #expect(receive(snapshot) == .replaced)
    #expect(receive(old) == .unchanged)
    #expect(receive(old) == .unchanged)
    #expect(replica.isLive)
  }

  @Test("A heartbeat or delta of another epoch ends a live copy")
  mutating func otherEpoch() {
    #expect(receive(snapshot) == .replaced)
    let other = FeedState(epoch: .filled(with: 2), seq: 0, entries: [])
    let beat = receive(.heartbeat(epoch: other.epoch, seq: 0, hash: other.hash))
    #expect(isResync(beat))
    #expect(receive(snapshot) == .replaced)
    let feedDelta = FeedDelta(prevSeq: 0, seq: 1, upsert: [], remove: [])
    let delta = receive(.delta(feedDelta, epoch: other.epoch, hash: other.hash))
    #expect(isResync(delta))
    #expect(receive(.snapshot(other, hash: other.hash)) == .replaced)
    #expect(replica.state == other)
    #expect(replica.isLive)
  }

  @Test("A snapshot of another epoch replaces a live copy, even with a lower sequence number")
  mutating func newEpochList() {
    _ = change(1, 2, 3)
    #expect(receive(snapshot) == .replaced)
    let other = FeedState(epoch: .filled(with: 2), seq: 1, entries: [.sample(id: 9, seq: 1)])
    #expect(receive(.snapshot(other, hash: other.hash)) == .replaced)
    #expect(replica.state == other)
  }

  @Test("A live copy ignores an old snapshot of its epoch")
  mutating func oldList() {
    #expect(receive(snapshot) == .replaced)
    let old = snapshot
    let delta = change(1)
    #expect(newSeqs(receive(delta)) == [1])
    #expect(receive(old) == .unchanged)
    #expect(receive(snapshot) == .unchanged)
    #expect(replica.state == source)
  }

  @Test("A delta that overlaps the snapshot adds only its new changes")
  mutating func overlap() {
    #expect(receive(snapshot) == .replaced)
    let start = source
    let small = change(1)
    let joined = snapshot
    _ = change(2)
    let wide = FeedReplica.Frame.delta(
      FeedDelta(
        prevSeq: start.seq, seq: 2, upsert: [.sample(id: 1, seq: 1), .sample(id: 2, seq: 2)], remove: []),
      epoch: epoch, hash: source.hash)
    #expect(receive(joined) == .replaced)
    #expect(receive(small) == .unchanged)
    #expect(newSeqs(receive(wide)) == [2])
    #expect(replica.state == source)
  }

  @Test("A hash mismatch in any frame ends a live copy")
  mutating func hashes() {
    #expect(receive(snapshot) == .replaced)
    _ = change(1)
    let feedDelta = FeedDelta(prevSeq: 0, seq: 1, upsert: [.sample(id: 1, seq: 1)], remove: [])
    let wrong = receive(.delta(feedDelta, epoch: epoch, hash: source.hash &+ 1))
    #expect(isResync(wrong))
    #expect(!replica.isLive)
    let list = receive(.snapshot(source, hash: source.hash &+ 1))
    #expect(isResync(list))
    #expect(!replica.isLive)
    #expect(receive(snapshot) == .replaced)
    let beat = receive(.heartbeat(epoch: epoch, seq: source.seq, hash: source.hash &+ 1))
    #expect(isResync(beat))
    #expect(!replica.isLive)
  }

  @Test("A delta with a hash mismatch changes nothing")
  mutating func wrongDelta() {
    #expect(receive(snapshot) == .replaced)
    let feedDelta = FeedDelta(prevSeq: 0, seq: 5, upsert: [.sample(id: 1, seq: 1)], remove: [])
    let effect = receive(.delta(feedDelta, epoch: epoch, hash: 0))
    #expect(isResync(effect))
    #expect(replica.state?.entries == [])
  }

  @Test("A removal removes the post, and the entry that refills the list does not count as new or edited")
  mutating func deleted() throws {
    for number: UInt64 in 1...101 { source.apply([.upsert(.sample(id: number, seq: number))]) }
    #expect(receive(snapshot) == .replaced)
    let delta = source.apply([.remove(.numbered(50), seq: 102, backfill: .sample(id: 1, seq: 1))])
    let effect = receive(.delta(delta, epoch: epoch, hash: source.hash))
    guard case .changed(let changed) = effect else {
      Issue.record("The deletion is not reported as a change.")
      return
    }
    #expect(changed.remove == [.numbered(50)] && changed.upsert.map(\.seq) == [1] && changed.newOrEdited.isEmpty)
    #expect(replica.state == source && replica.isLive)
    #expect(source.entries.count == 100 && source.seq == 102)
  }

  @Test("A copy accepts a stale feed's list, and reports each change of staleness once")
  mutating func feedStale() {
    #expect(receive(.snapshot(source, hash: source.hash, isStale: true)) == .replaced)
    #expect(replica.isLive && replica.isFeedStale)
    let still = FeedReplica.Frame.heartbeat(epoch: epoch, seq: 0, hash: source.hash, isStale: true)
    #expect(receive(still) == .unchanged)
    #expect(receive(heartbeat) == .staleness(false))
    #expect(receive(heartbeat) == .unchanged)
    #expect(receive(still) == .staleness(true))
    #expect(replica.isFeedStale)
  }

  @Test(
    "Liveness after a goodbye counts from the announced return, at most a minute later",
    arguments: [(0, 0), (5_000, 5_000), (60_000, 60_000), (60_001, 60_000), (.max, 60_000)] as [(Int64, Int64)])
  mutating func byePause(retryAfterMs: Int64, awayMs: Int64) {
    _ = replica.receive(.bye(reason: "stopped", retryAfterMs: retryAfterMs), nowMs: 1_000)
    let lastMs = 1_000 + awayMs + 3 * Limits.feedHeartbeatMs
    let (isStaleBefore, isStale) = (replica.hasTimedOut(nowMs: lastMs), replica.hasTimedOut(nowMs: lastMs + 1))
    #expect(!isStaleBefore && isStale)
  }

  @Test("A goodbye ends a live copy and carries its reason")
  mutating func bye() {
    #expect(receive(snapshot) == .replaced)
    let effect = receive(.bye(reason: "feed shutting down"))
    #expect(effect == .resync(.goodbye("feed shutting down")))
    #expect(!replica.isLive)
  }

  @Test("Silence for three heartbeat intervals makes a copy stale until a reconnect and a snapshot")
  mutating func stale() {
    #expect(receive(snapshot, nowMs: 1_000) == .replaced)
    let isEarly = replica.hasTimedOut(nowMs: 4_000)
    #expect(!isEarly)
    #expect(replica.isLive)
    let isStale = replica.hasTimedOut(nowMs: 4_001)
    #expect(isStale)
    #expect(!replica.isLive)
    replica.reconnected(nowMs: 4_001)
    let isStaleAgain = replica.hasTimedOut(nowMs: 7_001)
    #expect(!isStaleAgain)
    #expect(receive(snapshot, nowMs: 5_000) == .replaced, "The same list makes the copy live again.")
    #expect(replica.isLive)
  }

  @Test(
    "A live copy is never wrong on a link that loses, repeats and reorders frames", arguments: 0..<12 as Range<UInt64>)
  mutating func lossy(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    var history: [UInt64: UInt64] = [0: source.hash]
    var frames: [FeedReplica.Frame] = []
    var (number, lists): (UInt64, Int) = (0, 0)
    var wrong: [UInt64] = []
    for _ in 0..<300 {
      switch Int.random(in: 0..<8, using: &random) {
      case 0..<4:
        number += UInt64.random(in: 1...3, using: &random)
        if random.happens(20), let victim = source.entries.randomElement(using: &random) {
          let delta = source.apply([.remove(victim.id, seq: number, backfill: nil)])
          frames.append(.delta(delta, epoch: epoch, hash: source.hash))
        } else {
          frames.append(change(number))
        }
        history[source.seq] = source.hash
      case 4: frames.append(heartbeat)
      case 5: if !replica.isLive { frames.append(snapshot) }
      default: break
      }
      guard random.happens(60), !frames.isEmpty else { continue }
      let index = random.happens(80) ? 0 : Int.random(in: 0..<frames.count, using: &random)
      let frame = random.happens(10) ? frames[index] : frames.remove(at: index)
      if random.happens(10) { continue }
      if replica.receive(frame, nowMs: 0) == .replaced { lists += 1 }
      if replica.isLive, let state = replica.state, history[state.seq] != state.hash { wrong.append(state.seq) }
    }
    #expect(wrong.isEmpty, "seed \(seed)")
    #expect(lists > 1, "seed \(seed) caused no resync")
    _ = replica.receive(heartbeat, nowMs: 0)
    if !replica.isLive { _ = replica.receive(snapshot, nowMs: 0) }
    #expect(replica.state == source, "seed \(seed)")
  }
}
