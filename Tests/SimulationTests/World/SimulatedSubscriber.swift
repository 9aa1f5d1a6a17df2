import Fuzzing

@testable import Domain

/// A subscriber of the feed.
struct SimulatedSubscriber {
  var subscription = FeedSubscription(nowMs: 0)
  /// Number of connections.
  var connection = 0
  /// Time of the next tick.
  var dueMs = Int64.max
  var resyncs = 0

  var replica: FeedReplica { subscription.replica }
  /// The subscriber's end of the link to the feed.
  var address: Address { Address(worker: -2, connection: connection) }
}

/// A frame of the feed in flight.
struct FeedPacket {
  let frame: FeedReplica.Frame
  let to: Address
  /// True if the network has damaged the frame.
  let isDamaged: Bool
}

extension Simulation {
  /// Sends a frame of the feed to its subscriber.
  func publish(_ frame: FeedReplica.Frame) {
    for delayMs in network.delays(between: subscriber.address, .toWorker, nowMs: nowMs, using: &random) {
      let damaged = damaged(frame)
      let packet = FeedPacket(frame: damaged ?? frame, to: subscriber.address, isDamaged: damaged != nil)
      eventQueue.schedule(.subscriberReceives(packet), inMs: delayMs)
    }
  }

  /// Returns a delta without one of its posts, at random. Nil for no damage.
  private func damaged(_ frame: FeedReplica.Frame) -> FeedReplica.Frame? {
    guard !isCalm, case .delta(let delta, let epoch, let hash) = frame, !delta.upsert.isEmpty, random.happens(4) else {
      return nil
    }
    damages += 1
    let shortened = FeedDelta(
      prevSeq: delta.prevSeq, seq: delta.seq, upsert: delta.upsert.dropLast(), remove: delta.remove)
    return .delta(shortened, epoch: epoch, hash: hash)
  }

  func subscriberReceives(_ packet: FeedPacket) {
    guard packet.to == subscriber.address else { return }
    let (before, wasLive) = (subscriber.replica.state, subscriber.replica.isLive)
    let effects = subscriber.subscription.receive(packet.frame, nowMs: nowMs, using: &random)
    let (state, isLive) = (subscriber.replica.state, subscriber.replica.isLive)
    if wasLive, let before, let state, state.epoch == before.epoch {
      ledger.expect(state.seq >= before.seq, "a subscriber regresses")
    }
    if isLive, !effects.isEmpty, let state {
      let known = feed.hashes[ListPosition(epoch: state.epoch, seq: state.seq)]
      ledger.expect(known == state.hash, "the subscriber is live with a wrong list at \(state.seq)")
    }
    for case .report(.desynced(let loss)) in effects {
      subscriber.resyncs += 1
      ledger.expect(
        loss != .hashMismatch || packet.isDamaged, "the subscriber's list at \(state?.seq ?? 0) is not the feed's")
    }
    perform(effects)
    tickSubscriber()
  }

  func tickSubscriber() {
    perform(subscriber.subscription.tick(nowMs: nowMs))
    let dueMs = max(subscriber.subscription.nextMs(nowMs: nowMs), nowMs + 1)
    guard dueMs < subscriber.dueMs || subscriber.dueMs <= nowMs else { return }
    subscriber.dueMs = dueMs
    eventQueue.schedule(.subscriberTicks(atMs: dueMs), inMs: dueMs - nowMs)
  }

  /// Performs effects as `FeedSubscriber` does.
  private func perform(_ effects: [FeedSubscription.Effect]) {
    for effect in effects {
      switch effect {
      case .report(let event): trace("the subscriber: \(event.traceText)")
      case .reconnect:
        subscriber.connection += 1
        join()
      case .join: join()
      case .failOver: ledger.recordViolation("the feed sends a goodbye")
      }
    }
  }

  private func join() {
    for delayMs in network.delays(between: subscriber.address, .toIngest, nowMs: nowMs, using: &random) {
      eventQueue.schedule(.joinArrives(from: subscriber.address), inMs: delayMs)
    }
  }

  /// Sends a snapshot for a join, if the feed has a list.
  func feedReceivesJoin(from address: Address) {
    guard address == subscriber.address, feed.pull != nil, let state = feed.publishing.state else { return }
    publish(.snapshot(state, hash: feed.publishing.hash, isStale: feed.publishing.isStale))
  }
}

extension FeedSubscription.Event {
  fileprivate var traceText: String {
    switch self {
    case .list(let state, _): "the list of \(state.seq)"
    case .changes(let delta, _): "\(delta.prevSeq) to \(delta.seq)"
    case .stale(let isStale): isStale ? "stale" : "fresh"
    case .desynced(let loss): "\(loss)"
    }
  }
}
