import Domain
import Store
import StoreTesting
import Testing

@Suite("Stored traces")
struct TraceTests {
  private let trace = TraceContext("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01")

  /// Stores a post, and returns its id.
  private func accept(_ database: any IngestStore, by account: AccountID, _ trace: TraceContext?) async throws -> PostID
  {
    var submission = try Submission(place: "Oslo", link: "example.org", latitude: nil, longitude: nil)
    submission.trace = trace
    let accepted = try await database.accepted(submission, by: account)
    #expect(accepted.job?.trace == trace)
    return accepted.id
  }

  @Test(
    "A trace is stored with the job, the list entry and the queue entry, over a restart",
    arguments: StoreKind.allCases)
  func kept(kind: StoreKind) async throws {
    let place = StorePlace(kind)
    let database = try place.open()
    let account = try await database.addAccount()
    let traced = try await accept(database, by: account, trace)
    let bare = try await accept(database, by: account, nil)
    #expect(try await database.queueEntry(traced)?.trace == trace)
    #expect(try await database.settled([(traced, .verdict(.at(599_139_000)))]).first?.trace == trace)
    let second = try await accept(database, by: account, trace)
    database.close()
    let reopened = try place.open()
    #expect(try reopened.unsettledJobs().map(\.job.id) == [JobID(bare), JobID(second)])
    #expect(try reopened.unsettledJobs().map(\.job.trace) == [nil, trace])
    #expect(try await reopened.settled([(second, .verdict(.at(599_139_000)))]).first?.trace == trace)
    #expect(try await reopened.queueEntry(traced)?.trace == trace)
    #expect(try await reopened.queueEntry(bare)?.trace == nil)
  }

  @Test("A retried dead post keeps its trace", arguments: StoreKind.allCases)
  func retried(kind: StoreKind) async throws {
    let place = StorePlace(kind)
    let database = try place.open()
    let id = try await accept(database, by: database.addAccount(), trace)
    _ = try await database.settled([(id, .dead(.init(code: "down", detail: "no worker")))])
    let retried = try await database.retryDead(.posts([id]), limit: 1, unixMs: 1_700_000_001_000)
    #expect(retried.jobs.map(\.trace) == [trace])
  }
}
