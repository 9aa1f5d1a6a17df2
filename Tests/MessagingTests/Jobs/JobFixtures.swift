import Logging
import Synchronization

@testable import Domain
@testable import Messaging

/// A store in memory, which counts how often each job was settled.
final class Ledger: Sendable {
  private struct State {
    var unsettled: Set<JobID> = []
    var settled: [JobID: Int] = [:]
    var losses = JobScheduler.LostLeases()
    var located: [[Place]] = []
    var isFull = false

    mutating func settle(_ job: JobID) {
      unsettled.remove(job)
      settled[job, default: 0] += 1
    }
  }
  private let state = Mutex(State())

  func accept(_ jobs: [Job]) { state.withLock { $0.unsettled.formUnion(jobs.map(\.id)) } }

  /// Commits a write. Nil while the store is full.
  private func store(_ write: IngestCore.Write) -> SettlementResult? {
    state.withLock { state in
      guard !state.isFull else { return nil }
      if case .countLosses(let losses) = write {
        state.losses.requeued += losses.requeued
        state.losses.dead += losses.dead
      }
      for record in write.records {
        switch record.settlement {
        case .verdict, .dead: state.settle(JobID(record.post))
        case .retry, .leaseLost: break
        }
      }
      return SettlementResult()
    }
  }

  /// Records the end of a lookup.
  private func endLookup(_ lookup: JobID, _ outcome: JobOutcome) {
    state.withLock { state in
      state.settle(lookup)
      switch outcome {
      case .located(let places): state.located.append(places)
      case .failed(let failure) where failure.code == "worker_lost": state.losses.lookups.append(lookup)
      case .failed, .notFound: break
      }
    }
  }

  /// Performs an effect, and passes its result to ingest.
  func perform(_ effect: IngestCore.Effect, _ commands: CommandQueue<JobServer.Command>) {
    switch effect {
    case .store(let write): commands.enqueue(.committed(.written(write, store(write))))
    case .lookupEnded(let lookup, let outcome): endLookup(lookup, outcome)
    case .publish, .settled, .lossesCounted, .leftQueue, .send, .log: break
    }
  }

  func setFull(_ isFull: Bool) { state.withLock { $0.isFull = isFull } }

  var unsettled: Set<JobID> { state.withLock { $0.unsettled } }
  var settledCount: Int { state.withLock { $0.settled.count } }
  /// The largest number of settlements of one job.
  var settlementsMax: Int { state.withLock { $0.settled.values.max() ?? 0 } }
  /// Places of the located lookups, in the order in which they ended.
  var located: [[Place]] { state.withLock { $0.located } }
  var losses: JobScheduler.LostLeases { state.withLock { $0.losses } }
}

/// A job server on its own reactor, with a ledger as its store.
struct TestServer {
  let reactor: Reactor
  let endpoint: Endpoint
  let commands: CommandQueue<JobServer.Command>

  /// - Parameters:
  ///   - settles: False for a store that never finishes a write.
  ///   - isMute: True from the moment at which the server handles and sends nothing. Its connections stay open.
  init(
    _ ledger: Ledger, bind: Endpoint? = nil, generation: UInt32 = 1, epoch: UInt8 = 1, remotePerSecond: Double = 1,
    settles: Bool = true, isMute: Shared<Bool> = Shared(false),
    curve: CurveServer? = nil, logger: Logger = quiet
  ) throws {
    let wake = WakeupEvent()
    let commands = CommandQueue<JobServer.Command>(wake)
    let bind = try bind ?? .lastingPort()
    (reactor, endpoint) = try Reactor.start("jobs", wake: wake) { context in
      let server = try JobServer(
        context, bind: bind, start: .sample(generation, epoch: epoch), remotePerSecond: remotePerSecond, curve: curve,
        commands: commands, logger: logger, perform: { if settles { ledger.perform($0, commands) } })
      return ([MutableSocket(server, isMute)], server.endpoint)
    }
    self.commands = commands
  }

  /// Enqueues jobs, as ingest does after their commit.
  func add(_ jobs: [Job], to ledger: Ledger) {
    ledger.accept(jobs)
    for job in jobs where job.id.isLookup { commands.enqueue(.lookUp(job)) }
    commands.enqueue(.committed(.accepted(jobs.filter { !$0.id.isLookup })))
  }
}

/// A worker on its own reactor.
struct TestWorker {
  let reactor: Reactor
  /// Number of jobs with a reply.
  let replies: Counter

  init(
    _ endpoints: Endpoint..., instance: UInt8 = 1, concurrency: Int = 32, curve: CurveClient? = nil,
    logger: Logger = quiet,
    geocode: @escaping @Sendable (Job) -> JobOutcome = { _ in .located([.sample()]) }
  ) throws {
    let replies = Counter()
    self.replies = replies
    (reactor, _) = try Reactor.start("worker", wake: WakeupEvent()) { context in
      let client = try JobClient(
        context, connect: endpoints, worker: "w\(instance)", instance: Array(repeating: instance, count: 16),
        software: "test/1", concurrency: concurrency, logger: logger, curve: curve, joined: {},
        reply: { job, _ in
          replies.add()
          return .outcome(geocode(job))
        })
      return ([client], ())
    }
  }
}

/// A counter for any thread.
final class Counter: Sendable {
  private let count = Atomic(0)
  func add(_ number: Int = 1) { count.add(number, ordering: .relaxed) }
  var value: Int { count.load(ordering: .relaxed) }
}
