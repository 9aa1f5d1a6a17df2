import Fuzzing

@testable import Domain

/// A feed that pulls changes from ingest and publishes its list.
struct SimulatedFeed {
  /// State machine of the pull. Nil while the feed's process does not run.
  var pull: FeedPull?
  /// Both addresses of ingest.
  var rotation = AddressRotation([0, 1])
  /// Number of starts.
  var incarnation = 0
  /// Number of connections to ingest.
  var connection = 0
  /// Time of the next tick.
  var dueMs = Int64.max
  /// The snapshot on disk, for the next start.
  var snapshot: FeedState?
  /// State machine of the publisher.
  var publishing = FeedPublishing()
  /// Hash of each known list: from ingest if ingest has sent it, else from the feed.
  var hashes: [ListPosition: UInt64] = [:]

  var state: FeedState? { pull?.state }
  /// The feed's end of the link to ingest.
  var address: Address { Address(worker: -1, connection: connection) }
}

/// Position of a list: its epoch and sequence number.
struct ListPosition: Hashable {
  let epoch: Epoch
  let seq: UInt64
}

/// A feed's request to ingest.
struct Fetch {
  let id: UInt64
  let from: Address
  let epoch: Epoch?
  let afterSeq: UInt64
}

/// Ingest's reply to a fetch.
struct FetchReply {
  let fetch: PendingFetches<Address>.Fetch
  let epoch: Epoch
  let reply: FeedPull.Reply
  /// True if the network has damaged the reply.
  var isDamaged = false
}

/// The feed's process.
extension Simulation {
  func startFeed() {
    feed.incarnation += 1
    feed.connection += 1
    feed.dueMs = .max
    trace("the feed starts with \(feed.snapshot.map { "the list of \($0.seq)" } ?? "nothing")")
    feed.pull = FeedPull(snapshot: feed.snapshot, nowMs: nowMs)
    feed.rotation = AddressRotation([0, 1])
    feed.publishing = FeedPublishing()
    if let snapshot = feed.snapshot { publish(feed.publishing.replace(snapshot, nowMs: nowMs)) }
    tickFeed()
  }

  /// Crashes the feed. An earlier list stays on disk.
  func endFeed() {
    guard feed.pull != nil else { return }
    trace("the feed ends")
    feedEnds += 1
    feed.pull = nil
    eventQueue.schedule(.feedStarts, inMs: random.between(20, 3_000))
  }

  func tickFeed() {
    guard feed.pull != nil else { return }
    perform(feed.rotation.tick(nowMs: nowMs, using: &addressRandom))
    perform(feed.pull?.tick(nowMs: nowMs) ?? [])
    publish(feed.publishing.tick(nowMs: nowMs))
    scheduleFeed()
  }

  func feedReceives(_ reply: FetchReply) {
    guard reply.fetch.peer == feed.address, let before = feed.pull else { return }
    let effects = feed.pull?.receive(reply.reply, to: reply.fetch.id, epoch: reply.epoch, nowMs: nowMs) ?? []
    checkReply(effects, of: reply, before: before.state)
    perform(effects)
    // The reactor socket ticks after each message, too.
    tickFeed()
  }

  /// Performs effects as `ChangeClient` does.
  private func perform(_ effects: [FeedPull.Effect]) {
    for effect in effects {
      switch effect {
      case .reconnect: perform(feed.rotation.leave(.silent, nowMs: nowMs, using: &addressRandom))
      case .leave:
        perform(
          feed.rotation.leave(
            .refused, retryAfterMs: Limits.livenessMs, nowMs: nowMs, using: &addressRandom))
      case .fetch(let id, let state):
        let isConnected =
          ingest != nil && feed.rotation.pausedUntilMs == nil && feed.rotation.current == ingestAddress
        feed.rotation.sent(isAccepted: isConnected, nowMs: nowMs)
        // A fetch without a connection cannot be sent.
        guard isConnected else {
          feed.pull?.fetchFailed()
          continue
        }
        let fetch = Fetch(id: id, from: feed.address, epoch: state?.epoch, afterSeq: state?.seq ?? 0)
        for delayMs in network.delays(between: feed.address, .toIngest, nowMs: nowMs, using: &random) {
          eventQueue.schedule(.fetchArrives(fetch), inMs: delayMs)
        }
      case .replaced(let state): publish(feed.publishing.replace(state, nowMs: nowMs))
      case .changed(_, let delta, let state):
        publish(feed.publishing.change(delta, to: state, minAfterSeq: delta.prevSeq))
      case .turnedStale(let isStale): publish(feed.publishing.set(isStale: isStale, nowMs: nowMs))
      case .validReply: feed.rotation.answered()
      case .log(let event): trace("the feed: \(event)")
      }
    }
    if let state = feed.state, random.happens(10) { feed.snapshot = state }
  }

  /// Performs a change of the address as `ChangeClient` does.
  private func perform(_ step: AddressRotation<Int>.Step?) {
    guard let step else { return }
    trace("the feed: \(step)")
    feed.connection += 1
    switch step {
    case .left:
      addressChanges += 1
      let untilMs = feed.rotation.pausedUntilMs ?? nowMs
      feed.pull?.pause(untilMs: untilMs)
    case .connect: feed.pull?.connected(nowMs: nowMs)
    }
  }

  /// Publishes frames as `FeedPublisher` does.
  private func publish(_ frames: [FeedPublishing.Frame]) {
    guard let state = feed.publishing.state else { return }
    for frame in frames {
      switch frame {
      // The simulated subscriber gets snapshots by its joins only.
      case .snapshot: break
      case .delta(let delta): publish(.delta(delta, epoch: state.epoch, hash: feed.publishing.hash))
      case .heartbeat:
        publish(
          .heartbeat(
            epoch: state.epoch, seq: state.seq, hash: feed.publishing.hash, isStale: feed.publishing.isStale))
      }
    }
  }

  private func scheduleFeed() {
    guard let pull = feed.pull else { return }
    let nextMs = min(pull.nextMs(nowMs: nowMs), feed.rotation.nextMs, feed.publishing.nextMs ?? .max)
    let dueMs = min(max(nextMs, nowMs + 1), nowMs + Limits.feedHeartbeatMs)
    guard dueMs < feed.dueMs || feed.dueMs <= nowMs else { return }
    feed.dueMs = dueMs
    eventQueue.schedule(.feedTicks(feed.incarnation, atMs: dueMs), inMs: dueMs - nowMs)
  }

  /// Checks the rules for a reply and for the list that it leads to.
  private func checkReply(_ effects: [FeedPull.Effect], of reply: FetchReply, before: FeedState?) {
    for effect in effects {
      switch effect {
      case .log(.replyRefused(let reason)):
        ledger.expect(reply.isDamaged, "the feed refuses what ingest sent: \(reason)")
      case .log(.regressed(let had, let now)):
        ledger.expect(reply.isDamaged, "the store has regressed from \(had) to \(now)")
      case .replaced(let state): expectKnown(state, "the feed's list at \(state.seq) is not ingest's")
      case .changed(let changes, _, let state):
        expectKnown(state, "the feed's list at \(state.seq) is not ingest's")
        guard let before, !reply.isDamaged else { continue }
        ledger.expect(
          changes.map(\.seq) == Array(before.seq + 1...max(before.seq + 1, state.seq)),
          "changes are missing after \(before.seq)")
        // Compare now, because a later change could hide a difference.
        let isCurrent = state.epoch == ingest?.log.epoch ?? state.epoch
        if state.seq == ledger.seq, isCurrent, changes.contains(where: \.isDeletion) {
          ledger.expect(state.entries.map(\.id) == ledger.latest.map(\.id), "the feed's list at \(state.seq) is wrong")
        }
      default: break
      }
    }
  }

  /// Checks that a list equals the known one with its epoch and sequence number.
  private func expectKnown(_ state: FeedState, _ text: @autoclosure () -> String) {
    let hash = state.hash
    let known = feed.hashes[ListPosition(epoch: state.epoch, seq: state.seq)] ?? hash
    feed.hashes[ListPosition(epoch: state.epoch, seq: state.seq)] = known
    ledger.expect(known == hash, text())
  }
}

/// Ingest's replies to a feed.
extension Simulation {
  func ingestReceives(_ fetch: Fetch) {
    guard ingest != nil else { return }
    ingest?.fetches.open(
      .init(
        peer: fetch.from, id: fetch.id, epoch: fetch.epoch, afterSeq: fetch.afterSeq,
        changesMax: Limits.changesPerFetchMax, waitMs: Limits.fetchWaitMs, nowMs: nowMs))
    eventQueue.schedule(.fetchTimesOut, inMs: Limits.fetchWaitMs)
    sendFetchReplies()
  }

  /// Sends the due replies, as `ChangeServer` does.
  func sendFetchReplies() {
    guard let replies = ingest?.replies(nowMs: nowMs), let epoch = ingest?.log.epoch else { return }
    for (fetch, result) in replies {
      switch result {
      case .snapshot(let state):
        feed.hashes[ListPosition(epoch: state.epoch, seq: state.seq)] = state.hash
        let reply = FeedPull.Reply.snapshot(seq: state.seq, state.entries, hash: state.hash)
        send(FetchReply(fetch: fetch, epoch: epoch, reply: reply))
      case .changes(let changes, let lastSeq, let hash):
        if let hash { feed.hashes[ListPosition(epoch: epoch, seq: lastSeq)] = hash }
        send(FetchReply(fetch: fetch, epoch: epoch, reply: .changes(changes, hash: hash)))
      }
    }
  }

  private func send(_ reply: FetchReply) {
    for delayMs in network.delays(between: reply.fetch.peer, .toWorker, nowMs: nowMs, using: &random) {
      eventQueue.schedule(.feedReceives(damaged(reply)), inMs: delayMs)
    }
  }

  /// Returns the reply, or at random a copy with a damaged change.
  private func damaged(_ reply: FetchReply) -> FetchReply {
    guard !isCalm, case .changes(var changes?, let hash?) = reply.reply, let first = changes.first,
      random.happens(4)
    else { return reply }
    damages += 1
    changes[0] = .remove(first.id, seq: first.seq, backfill: nil)
    return FetchReply(
      fetch: reply.fetch, epoch: reply.epoch, reply: .changes(changes, hash: hash), isDamaged: true)
  }
}

extension FeedChange {
  fileprivate var isDeletion: Bool { if case .remove = self { true } else { false } }

  fileprivate var id: PostID {
    switch self {
    case .upsert(let entry): entry.id
    case .remove(let id, _, _): id
    }
  }
}
