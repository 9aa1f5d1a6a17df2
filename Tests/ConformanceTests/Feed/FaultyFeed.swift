@testable import Conformance
@testable import Domain
@testable import Messaging

/// A feed that obeys the rules except for one fault, if any.
struct FaultyFeed {
  enum Fault: CaseIterable {
    case longName, publishesFirst, neverRepeats, impatient, forgetsSeq, noSnapshot, noJoins, joinsTwice, otherTopic
    case noHeartbeats, wrongHeartbeats, overlaps, noBusyHeartbeats, stormy, noPeriod, skipsChanges, anyJoin, noReturns
    case keepsEdited, keepsEditedOnList
    case anyRequest, failsOnGarbage, anyHash, backwards, anyChanges, oneEpoch, neverStale, alwaysStale, oneConnection
    case noQueries, alwaysList, wrongDelta, modifiesNothing, repliesToGarbage, noBye, lasting
  }

  typealias ReceivedMessage = FeedProbe.ReceivedMessage
  typealias Subject = FeedProbe.Subject

  let fault: Fault?
  private var topics: [[Subject]] = [[], [], []]
  private var log: ChangeLog?
  private var id: UInt64 = 0
  private var connection = 1
  private var fetchedMs: Int64?
  private var lastReceivedMs: Int64 = 0
  private var acceptedMs: Int64 = 0
  private var isStale = true
  private var snapshotMs: Int64 = 0
  private var snapshotSeq: UInt64 = 0
  private var beatMs: Int64 = 0
  private var changedMs: Int64 = 0
  /// The version of a post before its edit.
  private var former: FeedEntry?
  private var sent: [ReceivedMessage] = []
  private(set) var exit: Int32?
  private var isDisconnected = false

  init(_ fault: Fault?) { self.fault = fault }

  mutating func takeMessages() -> [ReceivedMessage] {
    defer { sent = [] }
    return sent
  }

  mutating func tick(nowMs: Int64) {
    guard !isDisconnected, exit == nil else { return }
    if nowMs - lastReceivedMs > 6_000 {
      lastReceivedMs = nowMs
      fetchedMs = nil
      if fault != .oneConnection { connection += 1 }
    }
    let timeoutMs: Int64 = fault == .impatient ? 500 : 2_000
    if fault != .neverRepeats || log != nil, let fetchMs = fetchedMs, nowMs - fetchMs > timeoutMs { fetchedMs = nil }
    if fetchedMs == nil { fetch(nowMs: nowMs) }
    if fault == .publishesFirst, log == nil, beatMs == 0, let epoch = Epoch(repeatElement(1, count: 16)) {
      beatMs = nowMs
      publish(.heartbeat, .heartbeat(epoch: epoch, seq: 0, hash: 0))
    }
    guard let list = log?.state else { return }
    if !isStale, nowMs - acceptedMs > 6_000, fault != .neverStale {
      isStale = true
      beat(nowMs: nowMs)
    }
    let isBusy = nowMs - changedMs < 100
    let pauseMs: Int64 = fault == .stormy ? 20 : 250
    if list.seq != snapshotSeq && nowMs - snapshotMs >= pauseMs || nowMs - snapshotMs >= 5_000 && fault != .noPeriod {
      snapshot(nowMs: nowMs)
    }
    if nowMs - beatMs >= 1_000, !(fault == .noBusyHeartbeats && isBusy) { beat(nowMs: nowMs) }
  }

  mutating func receive(_ effect: ConformanceEffect<FeedProbe.Stimulus>, nowMs: Int64) {
    guard !isDisconnected, exit == nil else { return }
    guard case .send(let stimulus) = effect else {
      if fault != .noBye { publish(.heartbeat, .bye(reason: "")) }
      if fault != .lasting { exit = 0 }
      return
    }
    switch stimulus {
    case .subscribe(let subscriber, let subject):
      topics[subscriber].append(subject)
      join(subject)
    case .reply(let number, let epoch, let result):
      lastReceivedMs = nowMs
      guard number == id || fault == .anyRequest else { return }
      apply(result, epoch, nowMs: nowMs)
    case .wrongList(_, let list):
      lastReceivedMs = nowMs
      if fault == .anyHash { replace(list, nowMs: nowMs) } else { fetchedMs = nowMs + 4_000 }
    case .malformed:
      lastReceivedMs = nowMs
      if fault == .failsOnGarbage { isDisconnected = true }
    case .query(let number, let query): reply(to: query, number)
    }
  }

  private mutating func fetch(nowMs: Int64) {
    id += 1
    fetchedMs = nowMs
    sent.append(
      .fetch(
        .init(
          connection: connection, id: id, feed: fault == .longName ? String(repeating: "a", count: 65) : "feed",
          epoch: log?.epoch.bytes ?? [], afterSeq: log.map { fault == .forgetsSeq ? $0.seq - 1 : $0.seq } ?? 0,
          max: 100, waitMs: 1_000)))
  }

  private mutating func apply(_ result: ChangeLog.FetchResult, _ epoch: Epoch, nowMs: Int64) {
    fetchedMs = nil
    switch result {
    case .snapshot(let list):
      if let log, list.epoch == log.epoch ? list.seq < log.seq && fault != .backwards : fault == .oneEpoch {
        fetchedMs = nowMs + 4_000
        return
      }
      replace(list, nowMs: nowMs)
    case .changes(let changes, _, let hash):
      if let hash, var list = log?.state, fault != .anyChanges, fault != .forgetsSeq {
        list.apply(changes)
        if list.hash != hash {
          fetchedMs = nowMs + 4_000
          return
        }
      }
      let new = fault == .forgetsSeq ? changes.filter { $0.seq > log?.seq ?? 0 } : changes
      recordReply(nowMs: nowMs)
      if !new.isEmpty { change(new, nowMs: nowMs) }
    }
  }

  private mutating func recordReply(nowMs: Int64) {
    acceptedMs = nowMs
    guard isStale, fault != .alwaysStale else { return }
    isStale = false
    if log != nil { beat(nowMs: nowMs) }
  }

  private mutating func replace(_ list: FeedState, nowMs: Int64) {
    log = ChangeLog(state: list)
    recordReply(nowMs: nowMs)
    snapshot(nowMs: nowMs)
    for subject in topics.joined() { join(subject) }
    beat(nowMs: nowMs)
  }

  private mutating func change(_ all: [FeedChange], nowMs: Int64) {
    var changes = all
    if fault == .noReturns {
      changes = changes.map {
        if case .remove(let id, let seq, _) = $0 { .remove(id, seq: seq, backfill: nil) } else { $0 }
      }
    }
    guard var list = log?.state else { return }
    former =
      list.entries.first { entry in
        changes.contains { if case .upsert(let new) = $0 { new.id == entry.id } else { false } }
      } ?? former
    var delta = list.apply(changes)
    if fault == .overlaps {
      delta = FeedDelta(prevSeq: delta.prevSeq - 1, seq: delta.seq, upsert: delta.upsert, remove: delta.remove)
    }
    log?.append(changes)
    changedMs = nowMs
    if fault == .skipsChanges, list.seq % 50 < 3, topics[1].count > 0 {
      for subject in topics[0] where subject == .delta { sent.append(.published(subscriber: 0, subject, frame(delta))) }
      return
    }
    publish(.delta, frame(delta))
  }

  private func frame(_ delta: FeedDelta) -> FeedReplica.Frame {
    guard let list = log?.state else { return .unknown }
    return .delta(delta, epoch: list.epoch, hash: fault == .keepsEdited ? whole(list).hash : list.hash)
  }

  /// The list of a feed that keeps the previous version of an edited post.
  private func whole(_ list: FeedState) -> FeedState {
    guard let former, fault == .keepsEdited || fault == .keepsEditedOnList else { return list }
    let newestFirst = (list.entries + [former]).sorted { $0.seq > $1.seq }
    return FeedState(epoch: list.epoch, seq: list.seq, entries: newestFirst)
  }

  private mutating func snapshot(nowMs: Int64) {
    guard let list = log.map({ whole($0.state) }), fault != .noSnapshot else { return }
    (snapshotMs, snapshotSeq) = (nowMs, list.seq)
    publish(.snapshot, .snapshot(list, hash: list.hash, isStale: isStale))
  }

  private mutating func beat(nowMs: Int64) {
    guard let list = log?.state, fault != .noHeartbeats else { return }
    beatMs = nowMs
    let hash = fault == .wrongHeartbeats ? list.hash ^ 1 : list.hash
    publish(.heartbeat, .heartbeat(epoch: list.epoch, seq: list.seq, hash: hash, isStale: isStale))
  }

  private mutating func join(_ subject: Subject) {
    guard let list = log?.state else { return }
    let isJoin: Bool =
      switch subject {
      case .join: fault != .noJoins
      case .other: fault == .anyJoin
      default: false
      }
    guard isJoin else { return }
    for _ in 0..<(fault == .joinsTwice ? 2 : 1) { publish(subject, .snapshot(list, hash: list.hash, isStale: isStale)) }
  }

  private mutating func publish(_ subject: Subject, _ frame: FeedReplica.Frame) {
    if fault == .otherTopic { sent.append(.badFrame("a frame on another topic")) }
    for (subscriber, subjects) in topics.enumerated() where subjects.contains(subject) {
      sent.append(.published(subscriber: subscriber, subject, frame))
    }
  }

  private mutating func reply(to query: FeedProbe.Query, _ number: UInt64) {
    guard let log, fault != .noQueries else { return }
    let list = log.state
    let whole = FeedProbe.Reply.snapshot(list, hash: list.hash)
    switch query {
    case .malformed: sent.append(.reply(id: 0, fault == .repliesToGarbage ? whole : .error))
    case .snapshot(let epoch, let seq):
      let isSame = epoch == list.epoch && seq == list.seq
      sent.append(.reply(id: number, isSame && fault != .alwaysList ? .notModified : whole))
    case .changes(let epoch, let seq):
      if fault == .modifiesNothing || epoch == list.epoch && seq == list.seq {
        sent.append(.reply(id: number, .notModified))
      } else if let delta = log.delta(epoch: epoch, afterSeq: seq) {
        sent.append(.reply(id: number, .delta(delta, epoch, hash: fault == .wrongDelta ? 1 : list.hash)))
      } else {
        sent.append(.reply(id: number, whole))
      }
    }
  }
}
