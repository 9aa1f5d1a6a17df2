import Store
import Testing

@testable import Domain
@testable import Ingest
@testable import Messaging

/// An actor of this suite, because the main actor would also run tasks of other tests.
@globalActor actor LookupActor { static let shared = LookupActor() }

/// All tasks run on one actor, so a started task has already sent its lookup. The timeout of a lookup is ten minutes,
/// so no caller gives up on a busy machine.
@LookupActor
@Suite("Shared lookups")
struct LookupTests {
  private let commands = CommandQueue<JobServer.Command>(WakeupEvent())
  private let lookups: Lookups

  init() {
    let pause = QueuePause(sinceMs: nil, changes: ChangeSource())
    lookups = Lookups(jobs: commands, pause: pause, generation: 1, timeoutMs: 600_000)
  }

  /// Returns the commands that the job server has received since the last call.
  private func received() -> (added: [Job], cancelled: [JobID]) {
    var received: (added: [Job], cancelled: [JobID]) = ([], [])
    for command in commands.drain() {
      switch command {
      case .lookUp(let job): received.added.append(job)
      case .cancel(let jobs): received.cancelled += jobs
      default: Issue.record("A lookup sends no other command.")
      }
    }
    return received
  }

  /// Starts a task that looks the query up and waits for the places.
  private func lookUp(_ query: PlaceQuery) async -> Task<[Place]?, Never> {
    var hasStarted = false
    let task = Task {
      hasStarted = true
      return try? await lookups.places(query)
    }
    while !hasStarted { await Task.yield() }
    return task
  }

  @Test("Concurrent equal lookups share one job and its places, and a later one gets a new job")
  func shared() async throws {
    var tasks: [Task<[Place]?, Never>] = []
    for _ in 0..<20 { tasks.append(await lookUp(PlaceQuery("Oslo", limit: 5))) }
    let other = await lookUp(PlaceQuery("Oslo", limit: 4))
    let added = received().added
    try #require(added.map(\.placeQuery.limit) == [5, 4], "A lookup with another limit must be another job.")
    let place = Place(
      coordinate: Coordinate(latitudeE7: 599_127_300, longitudeE7: 107_460_900)!, level: .city, match: .exact,
      confidence: 1, label: "Oslo, Norway", name: "Oslo", region: "", country: "Norway", countryCode: "NO")
    lookups.complete(added[0].id, .located([place]))
    for task in tasks { #expect(await task.value == [place]) }
    lookups.complete(added[1].id, .notFound)
    #expect(await other.value == [])
    let later = await lookUp(PlaceQuery("Oslo", limit: 5))
    let again = received().added
    #expect(again.count == 1 && again[0].id != added[0].id)
    let lost = JobOutcome.failed(.init(kind: .transient, code: "worker_lost", detail: "the worker was lost"))
    lookups.complete(try #require(again.first).id, lost)
    #expect(await later.value == nil)
  }

  @Test("A lookup's job is cancelled when its last waiting caller leaves")
  func cancelled() async {
    let first = await lookUp(PlaceQuery("Oslo"))
    let second = await lookUp(PlaceQuery("Oslo"))
    let added = received().added
    first.cancel()
    #expect(await first.value == nil)
    #expect(received().cancelled.isEmpty)
    second.cancel()
    #expect(await second.value == nil)
    #expect(received().cancelled == added.map(\.id))
  }
}
