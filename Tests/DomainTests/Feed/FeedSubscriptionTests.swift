import Fuzzing
import Testing

@testable import Domain

@Suite("Feed subscription")
struct FeedSubscriptionTests {
  private let epoch = Epoch.filled(with: 1)
  private var random = SeededRandom(seed: 1)
  private var source = FeedState(epoch: .filled(with: 1), seq: 0, entries: [])
  private var subscription = FeedSubscription(nowMs: 0)

  private var snapshot: FeedReplica.Frame { .snapshot(source, hash: source.hash) }

  /// Changes the source, and returns the delta.
  private mutating func change(_ number: UInt64) -> FeedReplica.Frame {
    let delta = source.apply([.upsert(.sample(id: number, seq: number))])
    return .delta(delta, epoch: epoch, hash: source.hash)
  }

  private mutating func receive(_ frame: FeedReplica.Frame, nowMs: Int64 = 0) -> [FeedSubscription.Effect] {
    subscription.receive(frame, nowMs: nowMs, using: &random)
  }

  @Test("A subscription reports the list, then each change with the list after it")
  mutating func changes() {
    #expect(receive(snapshot) == [.report(.list(source, isStale: false))])
    let frame = change(1)
    guard case .delta(let delta, _, _) = frame else { return }
    #expect(receive(frame) == [.report(.changes(delta, source))])
    #expect(receive(.heartbeat(epoch: epoch, seq: 1, hash: source.hash)) == [])
    #expect(
      receive(.heartbeat(epoch: epoch, seq: 1, hash: source.hash, isStale: true)) == [.report(.stale(true))])
  }

  @Test("A subscriber repeats a join without a reply after three heartbeat intervals")
  mutating func unanswered() {
    #expect(subscription.nextMs(nowMs: 0) == Limits.feedHeartbeatMs)
    let dueMs = 3 * Limits.feedHeartbeatMs
    #expect(subscription.tick(nowMs: dueMs - 1) == [])
    #expect(subscription.tick(nowMs: dueMs) == [.join])
    #expect(subscription.tick(nowMs: dueMs) == [])
  }

  @Test("A desync is reported, and a join follows within 500 ms")
  mutating func loss() {
    _ = receive(snapshot)
    _ = change(1)
    #expect(receive(change(2), nowMs: 10) == [.report(.desynced(.gap(1...1)))])
    let dueMs = subscription.nextMs(nowMs: 10)
    #expect((10..<510).contains(dueMs))
    #expect(subscription.tick(nowMs: dueMs) == [.join])
    #expect(receive(snapshot, nowMs: dueMs) == [.report(.list(source, isStale: false))])
    #expect(subscription.tick(nowMs: dueMs + 1) == [])
  }

  @Test("A subscriber reconnects after three silent heartbeat intervals, and reports the desync once")
  mutating func silence() {
    _ = receive(snapshot)
    let lateMs = 3 * Limits.feedHeartbeatMs + 1
    #expect(subscription.tick(nowMs: lateMs - 1) == [])
    #expect(subscription.tick(nowMs: lateMs) == [.report(.desynced(.timedOut)), .reconnect])
    #expect(subscription.tick(nowMs: lateMs + 1) == [])
    let effects = subscription.tick(nowMs: 2 * lateMs)
    #expect(effects.contains(.reconnect) && !effects.contains(.report(.desynced(.timedOut))))
  }

  @Test("A goodbye reports the other feeds, and delays the join until the announced return")
  mutating func goodbye() {
    _ = receive(snapshot)
    let bye = FeedReplica.Frame.bye(reason: "it ends", failoverEndpoints: ["tcp://b:1"], retryAfterMs: 20_000)
    #expect(
      receive(bye, nowMs: 5) == [
        .report(.desynced(.goodbye("it ends"))), .failOver(endpoints: ["tcp://b:1"], retryAfterMs: 20_000),
      ])
    #expect(subscription.tick(nowMs: 20_004) == [])
    #expect(subscription.tick(nowMs: 20_005) == [.join])
  }

  @Test("A feed that returns early and falls silent gets no connection and no join before its announced return")
  mutating func earlyReturn() {
    _ = receive(snapshot)
    _ = receive(.bye(reason: "it ends", retryAfterMs: 20_000), nowMs: 0)
    _ = receive(.heartbeat(epoch: epoch, seq: 0, hash: source.hash), nowMs: 1_000)
    #expect(subscription.tick(nowMs: 19_999) == [])
    #expect(subscription.tick(nowMs: 20_000) == [.join])
  }

  @Test("A subscriber joins another feed without a wait for the previous feed's return")
  mutating func otherFeed() {
    _ = receive(snapshot)
    _ = receive(.bye(reason: "it ends", failoverEndpoints: ["tcp://b:1"], retryAfterMs: 60_000), nowMs: 0)
    subscription.reconnected(nowMs: 0)
    #expect(subscription.tick(nowMs: Limits.joinTimeoutMs).contains(.join))
  }
}
