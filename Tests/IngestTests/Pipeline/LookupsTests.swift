import Domain
import HTTPTypes
import Store
import Synchronization
import Testing
import Web

@testable import Ingest
@testable import Messaging

@Suite("Lookups")
struct LookupsTests {
  private let jobs = CommandQueue<JobServer.Command>(WakeupEvent())
  private let oslo = PlaceTable.outcome(
    of: Job(id: JobID(lookup: 1), account: AccountID(rawValue: 0), request: .lookup(PlaceQuery("Oslo"))))

  private func lookups(timeoutMs: Int64 = 3_600_000, pausedMs: Int64? = nil) -> Lookups {
    Lookups(
      jobs: jobs, pause: QueuePause(sinceMs: pausedMs, changes: ChangeSource()), generation: 7, timeoutMs: timeoutMs)
  }

  /// Waits for commands of the job link.
  private func commands() async throws -> [JobServer.Command] {
    try await eventually("the job link gets a command") {
      let commands = jobs.drain()
      return commands.isEmpty ? nil : commands
    }
  }

  /// Waits for the next job.
  private func job() async throws -> Job {
    let commands = try await commands()
    guard commands.count == 1, case .lookUp(let job) = commands[0] else {
      throw TimeoutError(description: "expected one lookup, got \(commands)")
    }
    return job
  }

  @Test("A lookup is a job with an id of this generation, and its places reach the client")
  func succeeds() async throws {
    let lookups = lookups()
    async let places = lookups.places(PlaceQuery("Oslo"))
    let job = try await job()
    #expect(job.id.isLookup && job.placeQuery.text == "Oslo" && job.id != JobID(lookup: 1))
    lookups.complete(job.id, oslo)
    #expect(try await places.map(\.label) == ["Oslo, Norway"])
  }

  @Test("Equal lookups share one job, and another query gets another job")
  func shared() async throws {
    let lookups = lookups()
    async let first = lookups.places(PlaceQuery("Oslo"))
    let job = try await job()
    let isWaiting = Mutex(false)
    async let second = lookups.places(PlaceQuery("Oslo"), onWaitEnd: { _ in isWaiting.withLock { $0 = true } })
    try await eventually("the second client waits") { isWaiting.withLock { $0 } }
    async let other = lookups.places(PlaceQuery("Lima"))
    // This query comes after the second lookup, so its job is the next one.
    let next = try await self.job()
    #expect(next.placeQuery.text == "Lima" && next.id != job.id)
    lookups.complete(job.id, oslo)
    lookups.complete(next.id, .notFound)
    #expect(try await first.count == 1)
    #expect(try await second.count == 1)
    #expect(try await other.isEmpty, "An unknown place must give an empty result.")
  }

  @Test("An equal lookup after the outcome gets a new job")
  func again() async throws {
    let lookups = lookups()
    async let first = lookups.places(PlaceQuery("Oslo"))
    let job = try await job()
    lookups.complete(job.id, oslo)
    _ = try await first
    lookups.complete(job.id, .notFound)
    async let second = lookups.places(PlaceQuery("Oslo"))
    let next = try await self.job()
    #expect(next.id != job.id)
    lookups.complete(next.id, oslo)
    #expect(try await second.count == 1)
  }

  @Test("A transient failure gives 503 with its detail and Retry-After")
  func failed() async throws {
    let lookups = lookups()
    async let places = lookups.places(PlaceQuery("Oslo"))
    let failure = JobOutcome.Failure(kind: .transient, code: "slow", detail: "the provider is slow")
    lookups.complete(try await job().id, .failed(failure))
    do {
      _ = try await places
      Issue.record("The failed lookup returned places.")
    } catch let problem as Problem {
      #expect(problem.status == .serviceUnavailable && problem.code == "geocoder_unavailable")
      #expect(problem.detail.contains("the provider is slow") && problem.retryAfterSeconds == 2)
    }
  }

  @Test("A lookup that times out gives 503 and cancels its job")
  func late() async throws {
    let lookups = lookups(timeoutMs: 1)
    await #expect { try await lookups.places(PlaceQuery("Oslo")) } throws: { error in
      (error as? Problem)?.code == "geocoder_unavailable" && (error as? Problem)?.retryAfterSeconds == 5
    }
    let commands = try await commands()
    guard commands.count == 2, case .lookUp(let job) = commands[0], case .cancel(let cancelled) = commands[1] else {
      Issue.record("\(commands)")
      return
    }
    #expect(cancelled == [job.id])
  }

  @Test("A job continues while a client waits, and is cancelled when the last client disconnects")
  func disconnected() async throws {
    let lookups = lookups()
    let disconnects = Mutex<[@Sendable () -> Void]>([])
    let onWaitEnd: @Sendable (@escaping @Sendable () -> Void) -> Void = { disconnect in
      disconnects.withLock { $0.append(disconnect) }
    }
    async let first = try? lookups.places(PlaceQuery("Oslo"), onWaitEnd: onWaitEnd)
    let job = try await job()
    async let second = try? lookups.places(PlaceQuery("Oslo"), onWaitEnd: onWaitEnd)
    try await eventually("both clients wait") { disconnects.withLock { $0.count } == 2 }
    disconnects.withLock { $0[0] }()
    #expect(await first == nil)
    #expect(jobs.drain().isEmpty, "The job must continue for the second client.")
    disconnects.withLock { $0[1] }()
    #expect(await second == nil)
    guard case .cancel(let cancelled)? = try await commands().first else {
      Issue.record("The job is not cancelled.")
      return
    }
    #expect(cancelled == [job.id])
  }

  @Test("A paused queue refuses lookups")
  func paused() async throws {
    let lookups = lookups(pausedMs: 1)
    await #expect { try await lookups.places(PlaceQuery("Oslo")) } throws: { error in
      (error as? Problem)?.code == "queue_paused" && (error as? Problem)?.retryAfterSeconds == 30
    }
    #expect(jobs.drain().isEmpty)
  }
}
