import Logging
import Synchronization

@testable import Link
@testable import OnTheMap

/// What a store would know: jobs that are not settled, and how often each was.
final class Ledger: Sendable {
  private struct State {
    var unsettled: Set<JobID> = []
    var settled: [JobID: Int] = [:]
    var losses = Dispatch.Losses()
    var located: [[Place]] = []
    var isFull = false
  }
  private let state = Mutex(State())

  func accept(_ jobs: [Job]) { state.withLock { $0.unsettled.formUnion(jobs.map(\.id)) } }

  /// Stores results, as a transaction would, and says what became of each.
  func settle(_ taken: [JobServer.Taken]) -> [JobServer.Finished] {
    state.withLock { state in
      taken.map { taken in
        if state.isFull { return .refused(taken, pauseMs: 20) }
        if case .failed = taken.result.outcome, taken.job.attempts < 2 {
          return .again(taken, attempts: taken.job.attempts + 1, pauseMs: 20)
        }
        if case .located(let places) = taken.result.outcome { state.located.append(places) }
        state.unsettled.remove(taken.job.id)
        state.settled[taken.job.id, default: 0] += 1
        return .gone(taken)
      }
    }
  }

  func add(_ losses: Dispatch.Losses) {
    state.withLock { state in
      state.losses.requeued += losses.requeued
      state.losses.dead += losses.dead
      state.losses.lookups += losses.lookups
    }
  }

  func setFull(_ isFull: Bool) { state.withLock { $0.isFull = isFull } }

  var unsettled: Set<JobID> { state.withLock { $0.unsettled } }
  var settledCount: Int { state.withLock { $0.settled.count } }
  var mostOften: Int { state.withLock { $0.settled.values.max() ?? 0 } }
  /// The answers that found something, in the order in which they came.
  var located: [[Place]] { state.withLock { $0.located } }
  var losses: Dispatch.Losses { state.withLock { $0.losses } }
}

/// Ingest's end of the job link, on a reactor of its own, with a ledger instead of a store.
struct TestServer {
  let reactor: Reactor
  let endpoint: Endpoint
  let inbox: Inbox<JobServer.Command>

  /// - Parameter settles: false for a store that never answers.
  init(
    _ ledger: Ledger, bind: Endpoint? = nil, boot: UInt32 = 1, remotePerSecond: Double = 1, settles: Bool = true,
    curve: CurveServer? = nil, logger: Logger = quiet
  ) throws {
    let wake = Wake()
    let inbox = Inbox<JobServer.Command>(wake)
    let bind = try bind ?? .anyPort()
    (reactor, endpoint) = try Reactor.start("jobs", wake: wake) { context in
      let server = try JobServer(
        context, bind: bind, boot: boot, remotePerSecond: remotePerSecond, curve: curve, inbox: inbox, logger: logger,
        taken: { taken in if settles { inbox.put(.finished(ledger.settle(taken))) } }, lost: { ledger.add($0) })
      return ([server], server.endpoint)
    }
    self.inbox = inbox
  }

  /// Takes in jobs, as after their commit.
  func add(_ jobs: [Job], to ledger: Ledger) {
    ledger.accept(jobs)
    inbox.put(.add(jobs))
  }
}

/// A worker on a reactor of its own.
struct TestWorker {
  let reactor: Reactor
  let answered: Counter

  init(
    _ endpoint: Endpoint, instance: UInt8 = 1, concurrency: Int = 32, curve: CurveClient? = nil,
    logger: Logger = quiet,
    answer: @escaping @Sendable (Job) -> JobOutcome = { _ in .located([.sample()]) }
  ) throws {
    let answered = Counter()
    self.answered = answered
    (reactor, _) = try Reactor.start("worker", wake: Wake()) { context in
      let client = try JobClient(
        context, connect: endpoint, worker: "w\(instance)", instance: Array(repeating: instance, count: 16),
        software: "test/1", concurrency: concurrency, logger: logger, curve: curve, joined: {},
        answer: { job, _ in
          answered.add()
          return answer(job)
        })
      return ([client], ())
    }
  }
}

/// Counts, from any thread.
final class Counter: Sendable {
  private let count = Atomic(0)
  func add(_ number: Int = 1) { count.add(number, ordering: .relaxed) }
  var value: Int { count.load(ordering: .relaxed) }
}
