import Testing

@testable import Domain

@Suite("A feed's pull of changes from ingest")
struct FeedPullTests {
  private let epoch = Epoch.filled(with: 1)
  private var pull = FeedPull(nowMs: 0)
  private var source = FeedState(epoch: .filled(with: 1), seq: 0, entries: [])

  /// Adds posts to the source, and gives the pull the whole list.
  private mutating func begin(_ numbers: ClosedRange<UInt64>) {
    source.apply(numbers.map { .upsert(.sample(id: $0, seq: $0)) })
    _ = pull.tick(nowMs: 0)
    _ = pull.receive(list, to: 1, epoch: epoch, nowMs: 0)
  }

  private var list: FeedPull.Reply { .snapshot(seq: source.seq, source.entries, hash: source.hash) }

  /// Changes the source, and returns the reply that ingest sends.
  private mutating func changes(_ numbers: UInt64...) -> FeedPull.Reply {
    let changes = numbers.map { FeedChange.upsert(.sample(id: $0, seq: $0)) }
    source.apply(changes)
    return .changes(changes, hash: source.hash)
  }

  /// Runs a tick. Returns the request id of its fetch, or nil if it sends none.
  private mutating func fetch(nowMs: Int64) -> UInt64? {
    for case .fetch(let id, _) in pull.tick(nowMs: nowMs) { return id }
    return nil
  }

  @Test("The pull fetches the whole list first, then the changes after it")
  mutating func first() {
    source.apply([.upsert(.sample(id: 1, seq: 1))])
    #expect(pull.tick(nowMs: 0) == [.fetch(id: 1, after: nil)])
    #expect(pull.tick(nowMs: 100) == [])
    #expect(
      pull.receive(list, to: 1, epoch: epoch, nowMs: 100) == [
        .log(.listReceived(seq: 1, entries: 1)), .validReply, .replaced(source), .turnedStale(false),
      ])
    #expect(pull.tick(nowMs: 100) == [.fetch(id: 2, after: source)])
  }

  @Test("A pull that starts with a snapshot fetches only the changes after it")
  mutating func snapshot() {
    source.apply([.upsert(.sample(id: 1, seq: 1))])
    pull = FeedPull(snapshot: source, nowMs: 0)
    #expect(pull.tick(nowMs: 0) == [.fetch(id: 1, after: source)])
    let effects = pull.receive(.changes([], hash: source.hash), to: 1, epoch: epoch, nowMs: 5)
    #expect(effects == [.validReply, .turnedStale(false)])
  }

  @Test("Applied changes lead to ingest's list")
  mutating func follows() {
    begin(1...3)
    let fetched = fetch(nowMs: 1)
    let effects = pull.receive(changes(4, 5), to: 2, epoch: epoch, nowMs: 2)
    #expect(fetched == 2)
    #expect(pull.state == source)
    guard case .changed(let changes, let delta, source)? = effects.last else {
      Issue.record("\(effects)")
      return
    }
    #expect(changes.map(\.seq) == [4, 5] && delta.prevSeq == 3 && delta.seq == 5)
  }

  @Test("The pull ignores a late reply and a repeated reply")
  mutating func late() {
    begin(1...3)
    _ = fetch(nowMs: 1)
    let reply = changes(4)
    #expect(pull.receive(reply, to: 1, epoch: epoch, nowMs: 2) == [])
    #expect(pull.receive(reply, to: 2, epoch: epoch, nowMs: 3) != [])
    #expect(pull.receive(reply, to: 2, epoch: epoch, nowMs: 4) == [])
    #expect(pull.state == source)
  }

  @Test("The pull fetches again when a reply is missing for twice the longest wait of ingest")
  mutating func lost() {
    begin(1...3)
    #expect(fetch(nowMs: 1) == 2)
    #expect(pull.nextMs(nowMs: 1) == 2 * Limits.fetchWaitMs + 2)
    #expect(fetch(nowMs: 2 * Limits.fetchWaitMs + 1) == nil)
    #expect(fetch(nowMs: 2 * Limits.fetchWaitMs + 2) == 3)
  }

  @Test("The pull repeats a fetch that could not be sent after 100 ms")
  mutating func unsent() {
    #expect(fetch(nowMs: 0) == 1)
    pull.fetchFailed()
    #expect(pull.nextMs(nowMs: 0) == 100)
    #expect(fetch(nowMs: 100) == 2)
  }

  @Test("Silence makes the list stale and reconnects, and a reply makes the list fresh again")
  mutating func silence() {
    begin(1...3)
    _ = fetch(nowMs: 1)
    let lateMs = Limits.livenessMs + 1
    #expect(
      pull.tick(nowMs: lateMs) == [.reconnect, .fetch(id: 3, after: source), .log(.stale), .turnedStale(true)])
    #expect(
      pull.receive(.changes([], hash: nil), to: 3, epoch: epoch, nowMs: lateMs) == [
        .validReply, .turnedStale(false), .log(.fresh),
      ])
  }

  @Test("A malformed frame prevents a reconnect, but not staleness")
  mutating func unreadable() {
    begin(1...3)
    pull.recordActivity(nowMs: Limits.livenessMs)
    let effects = pull.tick(nowMs: Limits.livenessMs + 1)
    #expect(!effects.contains(.reconnect) && effects.contains(.turnedStale(true)))
  }

  @Test("A full reply leaves the list stale, because more changes may follow")
  mutating func full() {
    pull = FeedPull(snapshot: source, nowMs: 0)
    _ = fetch(nowMs: 0)
    let changes = (1...UInt64(Limits.changesPerFetchMax)).map { FeedChange.upsert(.sample(id: $0, seq: $0)) }
    #expect(!pull.receive(.changes(changes, hash: nil), to: 1, epoch: epoch, nowMs: 1).contains(.turnedStale(false)))
    _ = fetch(nowMs: 1)
    #expect(pull.receive(.changes([], hash: nil), to: 2, epoch: epoch, nowMs: 2).contains(.turnedStale(false)))
  }

  @Test("A list of another epoch replaces the list, whatever its sequence number")
  mutating func anotherHistory() {
    begin(1...3)
    _ = fetch(nowMs: 1)
    let other = FeedState(epoch: .filled(with: 2), seq: 1, entries: [.sample(id: 9, seq: 1)])
    let reply = FeedPull.Reply.snapshot(seq: 1, other.entries, hash: other.hash)
    #expect(pull.receive(reply, to: 2, epoch: other.epoch, nowMs: 2).contains(.replaced(other)))
    #expect(pull.state == other)
  }

  @Test(
    "A reply that the protocol forbids changes nothing, and pauses the pull",
    arguments: [
      FeedPull.Reply.snapshot(seq: 4, nil, hash: 0), .snapshot(seq: 4, [], hash: 0), .changes(nil, hash: nil),
      .changes([.upsert(.sample(id: 3, seq: 3))], hash: nil),
      .changes([.upsert(.sample(id: 5, seq: 5)), .upsert(.sample(id: 4, seq: 4))], hash: nil), .unknown,
      .refusal(code: "busy", detail: "come again"),
    ])
  mutating func forbidden(_ reply: FeedPull.Reply) {
    begin(1...3)
    _ = fetch(nowMs: 1)
    let effects = pull.receive(reply, to: 2, epoch: epoch, nowMs: 2)
    guard case .log? = effects.first, effects.dropFirst() == [.leave] else {
      Issue.record("\(effects)")
      return
    }
    #expect(pull.state == source)
    #expect(pull.nextMs(nowMs: 2) == Limits.livenessMs + 1)
    let isEarly = fetch(nowMs: Limits.livenessMs + 1)
    #expect(isEarly == nil)
    #expect(fetch(nowMs: Limits.livenessMs + 2) == 3)
  }

  @Test("The pull refuses changes of another epoch")
  mutating func otherChanges() {
    begin(1...3)
    _ = fetch(nowMs: 1)
    let effects = pull.receive(changes(4), to: 2, epoch: .filled(with: 2), nowMs: 2)
    #expect(pull.state?.seq == 3 && !effects.contains(.validReply))
  }

  @Test("A regressed sequence number is refused, and the list stays and turns stale")
  mutating func regressed() {
    begin(1...3)
    _ = fetch(nowMs: 1)
    let earlier = FeedState(epoch: epoch, seq: 2, entries: [])
    #expect(
      pull.receive(.snapshot(seq: 2, [], hash: earlier.hash), to: 2, epoch: epoch, nowMs: 2) == [
        .log(.regressed(had: 3, now: 2)), .turnedStale(true), .leave,
      ])
    #expect(pull.state == source)
  }

  @Test("Changes with a hash mismatch are refused, and the list stays and turns stale")
  mutating func wrongHash() {
    begin(1...3)
    _ = fetch(nowMs: 1)
    let reply = FeedPull.Reply.changes([.upsert(.sample(id: 4, seq: 4))], hash: 1)
    #expect(
      pull.receive(reply, to: 2, epoch: epoch, nowMs: 2) == [
        .log(.regressed(had: 3, now: 4)), .turnedStale(true), .leave,
      ])
    #expect(pull.state == source)
  }

  @Test("A pull between two addresses sends nothing, counts no silence, and still turns stale")
  mutating func changeover() {
    begin(1...3)
    _ = fetch(nowMs: 1)
    _ = pull.receive(.refusal(code: "not_leading", detail: ""), to: 2, epoch: epoch, nowMs: 2)
    pull.pause(untilMs: 400)
    #expect(pull.tick(nowMs: 399) == [])
    pull.connected(nowMs: 400)
    #expect(pull.tick(nowMs: 400) == [.fetch(id: 3, after: source)])
    pull.pause(untilMs: 60_000)
    #expect(pull.tick(nowMs: Limits.livenessMs + 1) == [.log(.stale), .turnedStale(true)])
    #expect(pull.receive(.changes([], hash: nil), to: 3, epoch: epoch, nowMs: 7_000) == [])
  }

  @Test("A refused start of ingest pauses the pull, and its reply changes nothing")
  mutating func refusedStart() {
    begin(1...3)
    _ = fetch(nowMs: 1)
    pull.refuseStart(nowMs: 2)
    #expect(pull.state == source && pull.nextMs(nowMs: 2) == Limits.livenessMs + 1)
    let isEarly = fetch(nowMs: Limits.livenessMs + 1)
    #expect(isEarly == nil)
    #expect(fetch(nowMs: Limits.livenessMs + 2) == 3)
  }
}
