@testable import Conformance
@testable import Domain
@testable import Messaging

/// A subscriber that obeys the rules except for one fault, if any.
struct FaultySubscriber {
  enum Fault: CaseIterable {
    case joinsFirst, subscribesToAll, oddNonce, joinsOnce, ignoresDeltas, olderHeartbeats, ignoresHeartbeats
    case appliesTwice, noOverlap, noReturns, ignoresEdits, acceptsOlder, ignoresSnapshots, staleIsLost, failsOnField
    case failsOnBody, failsOnGarbage
    case believesGarbage, noGaps, noDeltaHash, noHeartbeatHash, noSnapshotHash, anyDeltaEpoch, anyHeartbeatEpoch
    case neverBehind, ignoresBye, oneNonce, keepsTopics, storms, forgetsNoPause, patient, impatient, oneConnection,
      noFailover
    case showsLost, showsNothing, staleIsNotLive, showsBase64, showsDecimal, impatientAfterBye, keepsJoinAtBye
  }

  typealias ReceivedMessage = SubscriberProbe.ReceivedMessage
  typealias Subject = SubscriberProbe.Subject

  let fault: Fault?
  let knowsOneFeed: Bool
  private(set) var feed = 0
  private var printed: [PrintedList] = []
  private var replica: FeedReplica
  private var messages: [ReceivedMessage] = []
  private var count = 0
  private var nonce = ""
  private var dueMs: Int64 = 3_000
  private var pauseMs: Int64?
  private var lastReceivedMs: Int64 = 0
  private var isDisconnected = false
  /// True while the feed's port is closed, or the subscriber has not yet connected again.
  private var isAway = false
  /// Time at which the subscriber connects again. Nil while the feed's port is closed.
  private var returnMs: Int64?
  /// True while the subscriber has a join topic.
  private var isJoining = false

  /// - Parameter knowsOneFeed: True to ignore the other feeds that a goodbye names.
  init(_ fault: Fault?, knowsOneFeed: Bool = false) {
    self.fault = fault
    self.knowsOneFeed = knowsOneFeed
    replica = FeedReplica(nowMs: 0)
    connect()
  }

  /// Returns the messages to the feed since the last call.
  mutating func takeMessages() -> [ReceivedMessage] {
    defer { messages = [] }
    return messages
  }

  mutating func takePrinted() -> [PrintedList] {
    defer { printed = [] }
    return printed
  }

  mutating func tick(nowMs: Int64) {
    guard !isDisconnected else { return }
    if let returnMs, nowMs >= returnMs {
      (isAway, self.returnMs) = (false, nil)
      // libzmq repeats every subscription.
      messages += subscriptions.map(ReceivedMessage.subscribed)
    }
    let silenceMs: Int64 = fault == .impatient ? 2_000 : 3 * Limits.feedHeartbeatMs
    if nowMs - lastReceivedMs > silenceMs, fault != .patient {
      _ = replica.hasTimedOut(nowMs: nowMs)
      lastReceivedMs = nowMs
      if fault == .oneConnection { rejoin() } else { reconnect(to: feed, nowMs: nowMs) }
    }
    if !replica.isLive, nowMs >= dueMs {
      if fault != .joinsOnce || replica.state != nil { rejoin() }
      dueMs = nowMs + max(pauseMs ?? 0, 3_000)
    }
  }

  mutating func receive(_ effect: ConformanceEffect<SubscriberProbe.Stimulus>, nowMs: Int64) {
    guard !isDisconnected else { return }
    switch effect {
    case .send(let stimulus): if !isAway, stimulus.feed == feed { receive(stimulus, nowMs: nowMs) }
    case .closePort:
      messages += subscriptions.map(ReceivedMessage.unsubscribed)
      isAway = true
    case .openPort: returnMs = nowMs + 150
    case .terminate: break
    }
  }

  private var subscriptions: [Subject] { isJoining ? [.delta, .heartbeat, .join(nonce)] : [.delta, .heartbeat] }

  private mutating func receive(_ stimulus: SubscriberProbe.Stimulus, nowMs: Int64) {
    switch stimulus.body {
    case .frame(let frame, let form):
      if form == .unknownField, fault == .failsOnField { return disconnect() }
      lastReceivedMs = nowMs
      apply(frame, nowMs: nowMs)
    case .unknownBody:
      if fault == .failsOnBody { disconnect() }
    case .malformed(let list):
      if fault == .failsOnGarbage { disconnect() }
      if fault == .believesGarbage {
        apply(.heartbeat(epoch: list.epoch, seq: list.seq + 5, hash: 1), nowMs: nowMs)
      }
    }
  }

  private mutating func apply(_ frame: FeedReplica.Frame, nowMs: Int64) {
    guard let frame = changed(frame) else { return }
    let before = replica.state
    switch replica.receive(frame, nowMs: nowMs) {
    case .replaced:
      if fault != .forgetsNoPause || pauseMs ?? 0 < 4_000 { pauseMs = nil }
      show(replica.state)
    case .changed: show(replica.state)
    case .resync:
      if fault == .showsLost, case .delta(let delta, _, _) = frame, var list = before {
        list.apply(delta)
        show(list)
      }
      scheduleJoin(nowMs: nowMs)
    case .staleness, .unchanged: break
    }
    if case .bye(_, _, let retryAfterMs) = frame, fault != .impatientAfterBye {
      dueMs = max(dueMs, nowMs + retryAfterMs)
      lastReceivedMs = nowMs + retryAfterMs
    }
    guard case .bye(_, let failoverEndpoints, _) = frame else { return }
    if !failoverEndpoints.isEmpty, !knowsOneFeed {
      reconnect(to: 1, nowMs: nowMs)
    } else if isJoining, fault != .keepsJoinAtBye, fault != .keepsTopics {
      messages.append(.unsubscribed(.join(nonce)))
      isJoining = false
    }
  }

  /// Returns the frame as the faulty subscriber processes it. Nil if the subscriber ignores the frame.
  private func changed(_ frame: FeedReplica.Frame) -> FeedReplica.Frame? {
    guard replica.isLive, let list = replica.state else { return frame }
    switch frame {
    case .snapshot(let state, let hash, _): return changed(state, hash, list)
    case .delta(let delta, let epoch, let hash): return changed(delta, epoch, hash, list)
    case .heartbeat(let epoch, let seq, let hash, let isStale):
      if fault == .olderHeartbeats, seq < list.seq { return desyncFrame(list) }
      if fault == .staleIsLost, isStale { return desyncFrame(list) }
      if fault == .ignoresHeartbeats, seq > list.seq { return nil }
      if fault == .noHeartbeatHash, seq == list.seq, hash != list.hash { return nil }
      if fault == .neverBehind, epoch == list.epoch, seq < list.seq { return nil }
      if fault == .anyHeartbeatEpoch, epoch != list.epoch { return nil }
      return frame
    case .bye(_, let failoverEndpoints, _):
      return fault == (failoverEndpoints.isEmpty ? .ignoresBye : .noFailover) ? nil : frame
    case .unknown: return frame
    }
  }

  private func changed(_ state: FeedState, _ hash: UInt64, _ list: FeedState) -> FeedReplica.Frame? {
    if fault == .ignoresSnapshots { return nil }
    if fault == .noSnapshotHash { return .snapshot(state, hash: state.hash) }
    if fault == .acceptsOlder, state.epoch == list.epoch, state.seq < list.seq {
      return desyncFrame(list)
    }
    return .snapshot(state, hash: hash)
  }

  private func changed(_ delta: FeedDelta, _ epoch: Epoch, _ hash: UInt64, _ list: FeedState) -> FeedReplica.Frame? {
    var after = list
    after.apply(delta)
    switch fault {
    case .ignoresDeltas where delta.prevSeq <= list.seq && epoch == list.epoch: return nil
    case .appliesTwice where delta.seq == list.seq: return desyncFrame(list)
    case .noOverlap where delta.prevSeq < list.seq && delta.seq > list.seq: return desyncFrame(list)
    case .noReturns where delta.upsert.contains { $0.seq <= delta.prevSeq }:
      let upsert = delta.upsert.filter { $0.seq > delta.prevSeq }
      let less = FeedDelta(prevSeq: delta.prevSeq, seq: delta.seq, upsert: upsert, remove: delta.remove)
      return .delta(less, epoch: epoch, hash: hash)
    case .ignoresEdits:
      let upsert = delta.upsert.filter { entry in !list.entries.contains { $0.id == entry.id } }
      let less = FeedDelta(prevSeq: delta.prevSeq, seq: delta.seq, upsert: upsert, remove: delta.remove)
      return .delta(less, epoch: epoch, hash: hash)
    case .noGaps where delta.prevSeq > list.seq: return nil
    case .noDeltaHash where epoch == list.epoch && delta.prevSeq <= list.seq:
      return .delta(delta, epoch: epoch, hash: after.hash)
    case .anyDeltaEpoch where epoch != list.epoch: return nil
    default: return .delta(delta, epoch: epoch, hash: hash)
    }
  }

  private mutating func show(_ list: FeedState?) {
    guard let list, fault != .showsNothing else { return }
    printed.append(
      .init(
        epoch: fault == .showsBase64 ? "AAECAwQFBgcICQoLDA0ODw==" : list.epoch.description, seq: list.seq,
        hash: fault == .showsDecimal ? "\(list.hash)" : hexadecimal(list.hash, digits: 16),
        isLive: fault != .staleIsNotLive || !replica.isFeedStale))
  }

  private mutating func scheduleJoin(nowMs: Int64) {
    let pause = fault == .storms ? 200 : pauseMs.map { min(2 * $0, 30_000) } ?? 500
    pauseMs = pause
    // This pause is nearly the longest one that the rules allow.
    dueMs = nowMs + pause * 9 / 10
  }

  private mutating func connect() {
    messages += fault == .joinsFirst ? [] : [.subscribed(.delta), .subscribed(.heartbeat)]
    if fault == .subscribesToAll { messages.append(.subscribed(.other(""))) }
    join()
    if fault == .joinsFirst { messages += [.subscribed(.delta), .subscribed(.heartbeat)] }
  }

  private mutating func reconnect(to feed: Int, nowMs: Int64) {
    messages += [.unsubscribed(.delta), .unsubscribed(.heartbeat), .unsubscribed(.join(nonce))]
    self.feed = feed
    replica.reconnected(nowMs: nowMs)
    dueMs = nowMs + max(pauseMs ?? 0, 3_000)
    connect()
  }

  private mutating func rejoin() {
    if fault != .keepsTopics, isJoining, !isAway { messages.append(.unsubscribed(.join(nonce))) }
    join()
  }

  private mutating func join() {
    count += 1
    nonce = fault == .oneNonce ? "always" : fault == .oddNonce ? "nonce-\(count)" : "nonce\(count)"
    isJoining = true
    if !isAway { messages.append(.subscribed(.join(nonce))) }
  }

  private mutating func disconnect() {
    isDisconnected = true
    messages += [.unsubscribed(.delta), .unsubscribed(.heartbeat), .unsubscribed(.join(nonce))]
  }

  /// Returns a frame that makes the replica resync, in place of a frame that the fault mishandles.
  private func desyncFrame(_ list: FeedState) -> FeedReplica.Frame {
    .heartbeat(epoch: list.epoch, seq: list.seq, hash: list.hash ^ 1)
  }
}
