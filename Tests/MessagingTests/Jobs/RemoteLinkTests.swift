import SwiftProtobuf
import Testing

@testable import Domain
@testable import Messaging

@Suite("Remote permits on the job link")
struct RemoteLinkTests {
  /// A worker that requests a remote permit for each job, and sends its deferred results from another task.
  private struct RemoteWorker {
    let reactor: Reactor
    let permits = Counter()

    init(_ endpoint: Endpoint, after pause: Duration) throws {
      let wake = WakeupEvent()
      let deferredResults = CommandQueue<JobResult>(wake)
      (reactor, _) = try Reactor.start("worker", wake: wake) { [permits] context in
        let client = try JobClient(
          context, connect: [endpoint], worker: "w", instance: Array(repeating: 7, count: 16), software: "test/1",
          concurrency: 32, logger: quiet, remoteIntervalMs: 0, deferredResults: deferredResults, joined: {},
          reply: { job, lease in
            guard job.isRemote else { return .needsRemote([.sample()]) }
            permits.add()
            Task {
              try await Task.sleep(for: pause)
              deferredResults.enqueue(JobResult(lease: lease, outcome: .located([.sample()])))
            }
            return nil
          })
        return ([client], ())
      }
    }
  }

  @Test("Each job returns once with a remote permit, and its late result counts")
  func deferred() async throws {
    let ledger = Ledger()
    let server = try TestServer(ledger, remotePerSecond: 50)
    defer { server.reactor.stop() }
    let worker = try RemoteWorker(server.endpoint, after: .milliseconds(300))
    defer { worker.reactor.stop() }
    server.add((1...20).map { Job.post($0) }, to: ledger)
    try await eventually("all jobs are settled") { ledger.unsettled.isEmpty }
    #expect(worker.permits.value == 20 && ledger.settledCount == 20 && ledger.settlementsMax == 1)
    #expect(ledger.losses.isEmpty)
  }

  @Test("A request for a remote permit carries the gazetteer's places")
  func wire() throws {
    for places in [[], [Place.sample()]] {
      let result = JobResult(lease: Lease(job: JobID(rawValue: 5), token: 6), reply: .needsRemote(places))
      let wire = try Onthemap_Jobs_V1_Result(serializedBytes: Onthemap_Jobs_V1_Result(result).bytes)
      #expect(wire.result == result)
    }
    let broken = Onthemap_Jobs_V1_Result.with { $0.remoteNeeded.found = .with { $0.places = [.init()] } }
    #expect(broken.result == nil)
  }

  @Test("A job carries its remote permit")
  func permit() {
    for isRemote in [false, true] {
      var job = Job.post(5)
      job.isRemote = isRemote
      let wire = Onthemap_Jobs_V1_Job(JobScheduler.Assignment(job: job, lease: Lease(job: job.id, token: 6)))
      #expect(wire.job?.isRemote == isRemote)
    }
  }
}
