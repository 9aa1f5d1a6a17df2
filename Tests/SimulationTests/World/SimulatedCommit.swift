import Fuzzing
import Store
import StoreTesting

@testable import Domain

/// Group commits of the store, and their completions.
extension Simulation {
  func submit(_ write: PostWrite, _ origin: SimulatedStore.Submitted.Origin) {
    guard let generation = ingest?.generation else { return }
    store.waiting.append(SimulatedStore.Submitted(write: write, origin: origin))
    guard !store.isCommitting else { return }
    store.isCommitting = true
    eventQueue.schedule(.storeCommits(generation: generation), inMs: random.between(1, isCalm ? 5 : 60))
  }

  func commit(generation: UInt32) async throws {
    guard ingest?.generation == generation else { return }
    if mayCrash(.ingestBeforeCommit) { return endIngest("ingestBeforeCommit") }
    let group = store.take()
    if isCalm ? refusesDeath(group) : random.happens(4) {
      trace("the disk is full")
      refusals += 1
      if injectedBug == .publishesBeforeCommit { publishUncommitted(group) }
      finishCommit(group.map { SimulatedStore.Completed(submitted: $0, result: nil) }, generation: generation)
    } else if failover != nil {
      try await beginCommit(group)
    } else {
      finishCommit(try await execute(group), generation: generation)
    }
  }

  /// Makes a group of writes durable.
  func execute(_ group: [SimulatedStore.Submitted]) async throws -> [SimulatedStore.Completed] {
    var completed: [SimulatedStore.Completed] = []
    for submitted in group {
      let completion = try await store.perform(submitted)
      record(completion)
      completed.append(completion)
    }
    return completed
  }

  /// Passes the results of a group to ingest.
  func finishCommit(_ completed: [SimulatedStore.Completed], generation: UInt32) {
    if mayCrash(.ingestAfterCommit) { return endIngest("ingestAfterCommit") }
    // Completions run in commit order.
    store.completionMs = max(store.completionMs, nowMs + random.between(0, isCalm ? 2 : 40))
    eventQueue.schedule(.storeCompletes(generation: generation, completed), inMs: store.completionMs - nowMs)
  }

  /// Returns true for a group that the disk refuses in the calm: one group that would make a post dead.
  private func refusesDeath(_ group: [SimulatedStore.Submitted]) -> Bool {
    let hasDeath = group.contains { submitted in
      if case .core(.countLosses(let losses)) = submitted.origin { !losses.dead.isEmpty } else { false }
    }
    guard hasDeath, refusedDeaths == 0, random.happens(50) else { return false }
    refusedDeaths += 1
    return true
  }

  /// Records a committed write in the ledger.
  private func record(_ completed: SimulatedStore.Completed) {
    switch (completed.submitted.origin, completed.result) {
    case (.client(let request), .accept(let acceptances)?): record(request, acceptances)
    case (.core(.settle(let settlements)), .settle(let stored)?):
      guard case .settle(_, let submittedUnixMs) = completed.submitted.write else { return }
      record(settlements, stored, submittedMs: submittedUnixMs - unixMs + nowMs)
    case (.core(.countLosses(let losses)), .settle?):
      for id in losses.requeued.compactMap(\.post) { ledger.lose(id) }
      // The end of a deleted post is already recorded.
      for id in losses.dead.compactMap(\.post) where ledger.posts[id]?.fate != .deleted {
        ledger.end(id, .dead)
        store.leave(id)
      }
    case (_, .pause(let sinceMs)?): ledger.pause(sinceMs != nil)
    case (_, .retryDead(let retried)?):
      for id in retried.jobs.compactMap(\.id.post) {
        ledger.retryDead(id)
        store.entering.insert(id)
      }
    case (_, .discard(let change)?): for id in change.done { ledger.discard(id) }
    case (.owner(let number), .delete(let deletion)?): record(revisions[number], deletion)
    case (.owner(let number), .edit(let edit)?): record(revisions[number], edit)
    default: break
    }
  }

  private func record(_ request: Request, _ acceptances: [Acceptance]) {
    for (post, acceptance) in zip(request.posts, acceptances) {
      guard case .accepted(let accepted) = acceptance else {
        ledger.recordViolation("key \(post.key) is refused")
        continue
      }
      trace("post \(accepted.id.rawValue) is \(post.submission.place)\(accepted.job == nil ? ", again" : "")")
      ledger.accept(
        accepted.id, request.account, key: post.key, place: post.submission.place, isNew: accepted.job != nil)
      if accepted.job != nil { store.entering.insert(accepted.id) }
    }
  }

  private func record(
    _ settlements: [IngestCore.PendingSettlement], _ stored: SettlementResult, submittedMs: Int64
  ) {
    for settled in settlements {
      guard let id = settled.job.id.post else { continue }
      trace("post \(id.rawValue) is settled: \(settled.settlement.traceText)")
      ledger.allowAcknowledgement(of: settled.lease)
      guard !stored.notQueued.contains(id) else {
        settledDeletedPosts += 1
        ledger.settleDeleted(id)
        continue
      }
      switch settled.settlement {
      case .verdict(.published): ledger.publish(id, stored.entries.first { $0.id == id })
      case .verdict(.rejected):
        ledger.expect(PlaceBehaviour(of: ledger.posts[id]?.place ?? "") == .nowhere, "post \(id) is rejected")
        ledger.end(id, .rejected)
      case .dead(_, let attempts): ledger.makeDead(id, attempts: attempts ?? 0, under: settled.lease)
      case .retry(let attempts, let pauseMs, _):
        ledger.retry(
          id, attempts: attempts, under: settled.lease, pauseMs: pauseMs, submittedMs: submittedMs, nowMs: nowMs)
      case .leaseLost: ledger.recordViolation("a result of post \(id) is settled as a lost lease")
      }
      if settled.settlement.isFinal { store.leave(id) }
    }
  }

  func complete(_ all: [SimulatedStore.Completed], generation: UInt32) {
    for (index, completed) in all.enumerated() {
      guard ingest?.generation == generation else { return }
      if index > 0, mayCrash(.ingestHasCompleted) { return endIngest("ingestHasCompleted") }
      complete(completed)
    }
    tickIngest()
  }

  private func complete(_ completed: SimulatedStore.Completed) {
    let (write, origin, result) = (completed.submitted.write, completed.submitted.origin, completed.result)
    // As in production, the changes of a write come before its result.
    for change in result?.changes(of: write) ?? [] {
      if case .paused(let sinceMs) = change { ingest?.isPaused = sinceMs != nil }
      if injectedBug == .publishesBeforeCommit, case .core = origin { continue }
      if let committed = change.committed { continueIngest(committed) }
    }
    switch (origin, result) {
    case (.client(let request), let result):
      var accepted: [AcceptedPost]?
      if case .accept(let acceptances)? = result { accepted = acceptances.compactMap(\.accepted) }
      continueIngest(.accepted(enter(accepted?.compactMap(\.job) ?? [])))
      respond(to: request, accepted?.map(\.id))
    case (.core(let write), let result):
      var stored: SettlementResult?
      if case .settle(let result)? = result { stored = result }
      continueIngest(.written(write, stored))
      // A crash forgets losses that the disk has refused.
      if case .countLosses(let losses) = write, stored == nil {
        ledger.requeueWithoutLoss(Set(losses.requeued))
        ledger.refuseDeaths(losses.dead)
      }
      if injectedBug == .forgetsAttempts { forgetAttempts(write) }
    case (_, .retryDead(let retried)?): continueIngest(.retried(enter(retried.jobs)))
    case (.owner(let number), .some): respond(toRevision: number)
    case (.operation, _), (.owner, nil): break
    }
  }

  private func continueIngest(_ committed: IngestCore.Committed) {
    perform(ingest?.core.committed(committed, nowMs: nowMs) ?? [])
  }

  /// Records that ingest knows committed jobs, and returns them.
  private func enter(_ jobs: [Job]) -> [Job] {
    for id in jobs.compactMap(\.id.post) { store.entering.remove(id) }
    return jobs
  }

  /// Resets the failed attempts in ingest's memory, as an injected bug.
  private func forgetAttempts(_ write: IngestCore.Write) {
    guard case .settle(let settlements) = write else { return }
    for pending in settlements { ingest?.core.scheduler.jobs[pending.job.id]?.job.attempts = pending.job.attempts }
  }

  /// Publishes uncommitted changes, as an injected bug. Other changes will have their sequence numbers.
  private func publishUncommitted(_ group: [SimulatedStore.Submitted]) {
    for case .core(.settle(let settlements)) in group.map(\.origin) {
      for settled in settlements {
        guard case .verdict(.published(let published)) = settled.settlement, let id = settled.job.id.post,
          let entry = ledger.posts[id], let seq = ingest?.log.seq
        else { continue }
        let early = FeedEntry(
          id: id, seq: seq + 1, account: entry.account, firstName: "", lastName: "", place: entry.place,
          label: published.label, countryCode: "", link: "", coordinate: published.coordinate, agreement: .notGiven,
          createdMs: 0, updatedMs: 0)
        ingest?.log.append([.upsert(early)])
      }
    }
  }
}

extension Settlement {
  fileprivate var traceText: String {
    switch self {
    case .verdict(.published): "published"
    case .verdict(.rejected): "rejected"
    case .leaseLost: "a lost lease"
    case .retry(let attempts, let pauseMs, _): "again after \(pauseMs) ms, attempts \(attempts)"
    case .dead(let reason, let attempts): "dead, \(reason.code), attempts \(attempts ?? 0)"
    }
  }
}
