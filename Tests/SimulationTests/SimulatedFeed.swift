@testable import Domain

/// A feed that pulls changes from ingest, and one subscriber of it: each has its copy of the list.
struct SimulatedFeed {
  var state: FeedState?
  /// Of the question that is open.
  var question = 0
  /// When it told the subscriber last that it lives; seldom, for the hash costs.
  var beatMs: Int64 = 0
  var replica = FeedReplica(nowMs: 0)
  var resyncs = 0
}

extension Simulation {
  func pull() {
    feed.question += 1
    let (question, state) = (feed.question, feed.state)
    for delayMs in network.delays(between: nil, .toIngest, nowMs: nowMs, using: &random) {
      agenda.put(.pullArrives(question, epoch: state?.epoch, afterSeq: state?.seq ?? 0), inMs: delayMs)
    }
    // Lost, or ingest is gone.
    agenda.put(.feedPulls(question), inMs: 2 * Limits.fetchWaitMs)
    guard let state, nowMs - feed.beatMs >= Limits.livenessMs else { return }
    feed.beatMs = nowMs
    publish(.heartbeat(epoch: state.epoch, seq: state.seq, hash: state.hash))
  }

  func ingestAnswers(_ question: Int, epoch: Epoch?, afterSeq: UInt64) {
    guard ingest != nil else { return }
    let answer = ingest?.log.answer(epoch: epoch, afterSeq: afterSeq, max: Limits.changesPerFetchMax)
    for delayMs in network.delays(between: nil, .toWorker, nowMs: nowMs, using: &random) {
      agenda.put(.feedReceives(question, answer), inMs: delayMs)
    }
  }

  func feedReceives(_ question: Int, _ answer: ChangeLog.Answer?) {
    guard question == feed.question else { return }
    switch answer {
    case .snapshot(let new):
      if let old = feed.state, old.epoch == new.epoch {
        ledger.expect(new.seq >= old.seq, "the store has gone back from \(old.seq) to \(new.seq)")
      }
      feed.state = new
      publish(.snapshot(new, hash: new.hash))
    case .changes(let changes, let lastSeq, let hash):
      guard let before = feed.state, !changes.isEmpty, let delta = feed.state?.apply(changes) else { break }
      ledger.expect(
        changes.map(\.seq) == Array(before.seq + 1...lastSeq), "changes are missing behind \(before.seq)")
      if let state = feed.state {
        ledger.expect(hash == nil || hash == state.hash, "the feed's list at \(state.seq) is not ingest's")
        // Before what comes next hides a difference.
        if state.seq == ledger.seq, changes.contains(where: \.isDeletion) {
          ledger.expect(state.entries.map(\.id) == ledger.latest.map(\.id), "the feed's list at \(state.seq) is wrong")
        }
        publish(.delta(delta, epoch: state.epoch, hash: state.hash))
      }
    case nil: break
    }
    feed.question += 1
    agenda.put(.feedPulls(feed.question), inMs: random.between(200, Limits.fetchWaitMs))
  }

  private func publish(_ frame: FeedReplica.Frame) {
    for delayMs in network.delays(between: nil, .toWorker, nowMs: nowMs, using: &random) {
      agenda.put(.subscriberReceives(frame), inMs: delayMs)
    }
  }

  func subscriberReceives(_ frame: FeedReplica.Frame) {
    let before = feed.replica.state?.seq ?? 0
    let effect = feed.replica.receive(frame, nowMs: nowMs)
    ledger.expect(feed.replica.state?.seq ?? 0 >= before || !feed.replica.isLive, "a subscriber goes back")
    guard !feed.replica.isLive else { return }
    if case .resync = effect { feed.resyncs += 1 }
    agenda.put(.subscriberJoins, inMs: random.between(1, 500))
  }

  /// It asks for the list.
  func subscriberJoins() {
    guard !feed.replica.isLive, let state = feed.state else { return }
    publish(.snapshot(state, hash: state.hash))
  }
}

extension FeedChange {
  fileprivate var isDeletion: Bool { if case .gone = self { true } else { false } }
}
