import Fuzzing

@testable import Domain

/// A feed that pulls changes from ingest, and has its copy of the list.
struct SimulatedFeed {
  /// The rules of its process; nil while there is none.
  var pull: FeedPull?
  /// Counts its starts.
  var incarnation = 0
  /// Counts its connections to ingest.
  var connection = 0
  /// When it ticks next.
  var dueMs = Int64.max
  /// Its list on disk, for its next start.
  var snapshot: FeedState?
  /// The rules of what it publishes.
  var publishing = FeedPublishing()
  /// The hash of each list that there was: ingest's where it was told, else the feed's.
  var hashes: [ListPosition: UInt64] = [:]

  var state: FeedState? { pull?.state }
  /// Its end of the link to ingest.
  var address: Address { Address(worker: -1, connection: connection) }
}

/// Position of a list: its history, and its latest change.
struct ListPosition: Hashable {
  let epoch: Epoch
  let seq: UInt64
}

/// A feed's question to ingest.
struct Fetch {
  let id: UInt64
  let from: Address
  let epoch: Epoch?
  let afterSeq: UInt64
}

/// Ingest's answer.
struct FetchAnswer {
  let fetch: PendingFetches<Address>.Fetch
  let epoch: Epoch
  let answer: FeedPull.Reply
  /// It was changed on its way.
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
    feed.publishing = FeedPublishing()
    if let snapshot = feed.snapshot { publish(feed.publishing.replace(snapshot, nowMs: nowMs)) }
    tickFeed()
  }

  /// The process ends without a word; its list of a while ago is on disk.
  func endFeed() {
    guard feed.pull != nil else { return }
    trace("the feed ends")
    feedEnds += 1
    feed.pull = nil
    eventQueue.schedule(.feedStarts, inMs: random.between(20, 3_000))
  }

  func tickFeed() {
    guard feed.pull != nil else { return }
    perform(feed.pull?.tick(nowMs: nowMs) ?? [])
    publish(feed.publishing.tick(nowMs: nowMs))
    scheduleFeed()
  }

  func feedReceives(_ answer: FetchAnswer) {
    guard answer.fetch.peer == feed.address, let before = feed.pull else { return }
    let effects = feed.pull?.receive(answer.answer, to: answer.fetch.id, epoch: answer.epoch, nowMs: nowMs) ?? []
    expectRight(effects, of: answer, before: before.state)
    perform(effects)
    // As its station does after each message.
    tickFeed()
  }

  /// Does what the rules ask for, as `ChangeClient` does.
  private func perform(_ effects: [FeedPull.Effect]) {
    for effect in effects {
      switch effect {
      case .reconnect: feed.connection += 1
      case .fetch(let id, let state):
        // Without a connection it cannot be sent.
        guard ingest != nil else {
          feed.pull?.fetchFailed()
          continue
        }
        let fetch = Fetch(id: id, from: feed.address, epoch: state?.epoch, afterSeq: state?.seq ?? 0)
        for delayMs in network.delays(between: feed.address, .toIngest, nowMs: nowMs, using: &random) {
          eventQueue.schedule(.fetchArrives(fetch), inMs: delayMs)
        }
      case .replaced(let state): publish(feed.publishing.replace(state, nowMs: nowMs))
      case .changed(_, let delta, let state):
        publish(feed.publishing.change(delta, to: state, ringFrom: delta.prevSeq))
      case .turnedStale(let isStale): publish(feed.publishing.set(isStale: isStale, nowMs: nowMs))
      case .validReply: break
      case .log(let event): trace("the feed: \(event)")
      }
    }
    if let state = feed.state, random.happens(10) { feed.snapshot = state }
  }

  /// Publishes frames as `FeedPublisher` does.
  private func publish(_ frames: [FeedPublishing.Frame]) {
    guard let state = feed.publishing.state else { return }
    for frame in frames {
      switch frame {
      // A subscriber gets snapshots by its joins; the topic of these is for others.
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
    let nextMs = min(pull.nextMs(nowMs: nowMs), feed.publishing.nextMs ?? .max)
    let dueMs = min(max(nextMs, nowMs + 1), nowMs + Limits.feedHeartbeatMs)
    guard dueMs < feed.dueMs || feed.dueMs <= nowMs else { return }
    feed.dueMs = dueMs
    eventQueue.schedule(.feedTicks(feed.incarnation, atMs: dueMs), inMs: dueMs - nowMs)
  }

  /// What must hold of an answer and of the list that it makes.
  private func expectRight(_ effects: [FeedPull.Effect], of answer: FetchAnswer, before: FeedState?) {
    for effect in effects {
      switch effect {
      case .log(.rejected(let reason)):
        ledger.expect(answer.isDamaged, "the feed refuses what ingest sent: \(reason)")
      case .log(.regressed(let had, let now)):
        ledger.expect(answer.isDamaged, "the store has gone back from \(had) to \(now)")
      case .replaced(let state): expectKnown(state, "the feed's list at \(state.seq) is not ingest's")
      case .changed(let changes, _, let state):
        expectKnown(state, "the feed's list at \(state.seq) is not ingest's")
        guard let before, !answer.isDamaged else { continue }
        ledger.expect(
          changes.map(\.seq) == Array(before.seq + 1...max(before.seq + 1, state.seq)),
          "changes are missing behind \(before.seq)")
        // Before what comes next hides a difference.
        if state.seq == ledger.seq, changes.contains(where: \.isDeletion) {
          ledger.expect(state.entries.map(\.id) == ledger.latest.map(\.id), "the feed's list at \(state.seq) is wrong")
        }
      default: break
      }
    }
  }

  /// A list is the one that there was at its number, in its history.
  private func expectKnown(_ state: FeedState, _ text: @autoclosure () -> String) {
    let hash = state.hash
    let known = feed.hashes[ListPosition(epoch: state.epoch, seq: state.seq)] ?? hash
    feed.hashes[ListPosition(epoch: state.epoch, seq: state.seq)] = known
    ledger.expect(known == hash, text())
  }
}

/// Ingest's answers to a feed.
extension Simulation {
  func ingestReceives(_ fetch: Fetch) {
    guard ingest != nil else { return }
    ingest?.fetches.open(
      .init(
        peer: fetch.from, id: fetch.id, epoch: fetch.epoch, afterSeq: fetch.afterSeq,
        changesMax: Limits.changesPerFetchMax, waitMs: Limits.fetchWaitMs, nowMs: nowMs))
    eventQueue.schedule(.fetchTimesOut, inMs: Limits.fetchWaitMs)
    answerFetches()
  }

  /// Sends the replies that are due, as `ChangeServer` does.
  func answerFetches() {
    guard let replies = ingest?.replies(nowMs: nowMs), let epoch = ingest?.log.epoch else { return }
    for (fetch, answer) in replies {
      switch answer {
      case .snapshot(let state):
        feed.hashes[ListPosition(epoch: state.epoch, seq: state.seq)] = state.hash
        send(FetchAnswer(fetch: fetch, epoch: epoch, answer: .list(seq: state.seq, state.entries, hash: state.hash)))
      case .changes(let changes, let lastSeq, let hash):
        if let hash { feed.hashes[ListPosition(epoch: epoch, seq: lastSeq)] = hash }
        send(FetchAnswer(fetch: fetch, epoch: epoch, answer: .changes(changes, hash: hash)))
      }
    }
  }

  private func send(_ answer: FetchAnswer) {
    for delayMs in network.delays(between: answer.fetch.peer, .toWorker, nowMs: nowMs, using: &random) {
      eventQueue.schedule(.feedReceives(damaged(answer)), inMs: delayMs)
    }
  }

  /// Sometimes a change is another one when it comes.
  private func damaged(_ answer: FetchAnswer) -> FetchAnswer {
    guard !isCalm, case .changes(var changes?, let hash?) = answer.answer, let first = changes.first,
      random.happens(4)
    else { return answer }
    damages += 1
    changes[0] = .remove(first.id, seq: first.seq, next: nil)
    return FetchAnswer(
      fetch: answer.fetch, epoch: answer.epoch, answer: .changes(changes, hash: hash), isDamaged: true)
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
