import Store
import Testing

@testable import Domain
@testable import Ingest
@testable import Messaging

/// Its own: on the main one all others would have their turns too.
@globalActor actor Asking { static let shared = Asking() }

/// On one actor, so that who has been counted has asked: up to there nothing is waited for. The machine may be so busy
/// that the first gives up before the last has asked, so nobody does.
@Asking
@Suite("Look-ups that ask the same at once")
struct LookupTests {
  private let inbox = CommandQueue<JobServer.Command>(WakeupEvent())
  private let lookups: Lookups

  init() {
    let pause = QueuePause(sinceMs: nil, changes: ChangeSource())
    lookups = Lookups(jobs: inbox, pause: pause, generation: 1, timeoutMs: 600_000)
  }

  /// What ingest's end of the job link was told since the last call.
  private func told() -> (added: [Job], cancelled: [JobID]) {
    var told: (added: [Job], cancelled: [JobID]) = ([], [])
    for command in inbox.drain() {
      switch command {
      case .lookUp(let job): told.added.append(job)
      case .cancel(let jobs): told.cancelled += jobs
      default: Issue.record("Nothing else is a look-up's.")
      }
    }
    return told
  }

  /// Somebody who asks, and waits.
  private func ask(_ query: PlaceQuery) async -> Task<[Place]?, Never> {
    var hasAsked = false
    let task = Task {
      hasAsked = true
      return try? await lookups.places(query)
    }
    while !hasAsked { await Task.yield() }
    return task
  }

  @Test("They are one job, and its answer is everybody's; who asks later asks again")
  func shared() async throws {
    var tasks: [Task<[Place]?, Never>] = []
    for _ in 0..<20 { tasks.append(await ask(PlaceQuery("Oslo", limit: 5))) }
    let other = await ask(PlaceQuery("Oslo", limit: 4))
    let added = told().added
    try #require(added.map(\.placeQuery.limit) == [5, 4], "Another limit is another question.")
    let place = Place(
      coordinate: Coordinate(latitudeE7: 599_127_300, longitudeE7: 107_460_900)!, level: .city, match: .exact,
      confidence: 1, label: "Oslo, Norway", name: "Oslo", region: "", country: "Norway", countryCode: "NO")
    lookups.complete(added[0].id, .located([place]))
    for task in tasks { #expect(await task.value == [place]) }
    lookups.complete(added[1].id, .notFound)
    #expect(await other.value == [])
    let later = await ask(PlaceQuery("Oslo", limit: 5))
    let again = told().added
    #expect(again.count == 1 && again[0].id != added[0].id)
    let lost = JobOutcome.failed(.init(kind: .transient, code: "worker_lost", detail: "its worker was lost"))
    lookups.complete(try #require(again.first).id, lost)
    #expect(await later.value == nil)
  }

  @Test("The job is cancelled when the last who waited for it has gone, whoever was the first")
  func cancelled() async {
    let first = await ask(PlaceQuery("Oslo"))
    let second = await ask(PlaceQuery("Oslo"))
    let added = told().added
    first.cancel()
    #expect(await first.value == nil)
    #expect(told().cancelled.isEmpty)
    second.cancel()
    #expect(await second.value == nil)
    #expect(told().cancelled == added.map(\.id))
  }
}
