import Foundation
import SwiftProtobuf

@testable import Domain
@testable import Messaging

extension GoldenFrame {
  private static let session: UInt64 = 3 << 40 | 1
  private static let post = Lease(job: JobID(rawValue: 1_026), token: 3 << 40 | 7)
  private static let second = Lease(job: JobID(rawValue: 1_027), token: 3 << 40 | 8)
  private static let lookup = Lease(job: JobID(lookup: 1), token: 3 << 40 | 9)
  private static let leases = [post, lookup].map(Onthemap_Jobs_V1_LeaseRef.init)

  static let workerFrames: [GoldenFrame] = {
    func workerFrame(_ file: String, session: UInt64 = session, _ body: WorkerFrame.OneOf_Body) -> GoldenFrame {
      same("jobs", file, WorkerFrame(session: session, body)) { WorkerFrame([$0][...]) }
    }
    func results(_ file: String, _ results: [JobResult]) -> GoldenFrame {
      let frames = JobCodec.results(results, session: session)
      return frame("jobs", file, WorkerFrame.self, frames[0]) { bytes in
        guard frames.count == 1, case .results(session, let read)? = WorkerMessage([bytes][...]) else { return false }
        return read.map(\.reply) == results.map(\.reply) && read.map(\.lease) == results.map(\.lease)
      }
    }
    let failure = JobOutcome.Failure(
      kind: .transient, code: "timeout", detail: "the provider does not answer", retryAfterMs: 5_000)
    return [
      workerFrame(
        "hello", session: 0,
        .hello(
          .with {
            ($0.minMajor, $0.maxMajor, $0.worker, $0.software) = (1, 1, "wörker", "onthemap/1.0")
            $0.instance = Data(0..<16)
            ($0.held, $0.remoteIntervalMs) = (leases, 1_000)
          })),
      workerFrame("credit", .credit(.with { $0.jobLimit = 64 })),
      results(
        "results",
        [
          JobResult(lease: post, outcome: .located([.sample(), .sample(level: .region, match: .fallback)])),
          JobResult(lease: second, outcome: .notFound),
        ]),
      results(
        "others.results",
        [
          JobResult(lease: lookup, outcome: .located([.detailed()])),
          JobResult(lease: post, outcome: .failed(failure)),
          JobResult(lease: second, reply: .needsRemote([.sample(level: .city, match: .fuzzy)])),
        ]),
      workerFrame(
        "release",
        .release(
          .with {
            ($0.leases, $0.goodbye) = (leases, true)
          })),
      // The frame contains `progress`, although its value is 0.
      workerFrame("heartbeat", .heartbeat(.with { ($0.jobLimit, $0.held, $0.progress) = (64, leases, 0) })),
    ]
  }()

  static let ingestFrames: [GoldenFrame] = {
    func ingestFrame(_ file: String, session: UInt64 = session, _ body: IngestFrame.OneOf_Body) -> GoldenFrame {
      same("jobs", file, IngestFrame(session: session, body)) { IngestFrame([$0]) }
    }
    var job = Job(id: post.job, account: AccountID(rawValue: 0), query: "Seattle, WA", attempts: 2)
    job.isRemote = true
    job.trace = TraceContext("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01")
    let assignments = [
      JobScheduler.Assignment(job: job, lease: post), JobScheduler.Assignment(job: .lookup, lease: lookup),
    ]
    let acks: [(Lease, Disposition)] = [
      (post, .committed), (second, .duplicate), (lookup, .stale), (lookup, .retryLater),
    ]
    return [
      ingestFrame(
        "welcome",
        .welcome(
          .init(
            heartbeatMs: 2_000, livenessMs: 6_000, frameBytesMax: 65_536,
            start: IngestStart(epoch: epoch, generation: 3)))
      ),
      frame("jobs", "jobs", IngestFrame.self, JobCodec.jobs(assignments, session: session)) { bytes in
        guard case .jobs(session, let read)? = IngestMessage([bytes]) else { return false }
        return read.map(\.lease) == assignments.map(\.lease)
          && read.map(\.job?.request) == assignments.map(\.job.request)
          && read.map(\.job?.trace) == assignments.map(\.job.trace) && read.map(\.job?.isRemote) == [true, false]
      },
      frame("jobs", "acks", IngestFrame.self, JobCodec.acks(acks, session: session)) { bytes in
        guard case .acks(session, let read)? = IngestMessage([bytes]) else { return false }
        return read.map(\.lease) == acks.map(\.0) && read.map(\.disposition) == acks.map(\.1)
      },
      ingestFrame("heartbeat", .heartbeat(.with { $0.jobsSent = 1_027 })),
      ingestFrame("reset", .reset(.with { $0.reason = .unknownSession })),
      ingestFrame(
        "error", session: 0,
        .error(
          .with {
            ($0.code, $0.detail) = (.unsupportedVersion, "this ingest supports version 1 only")
            ($0.minMajor, $0.maxMajor, $0.retryAfterMs) = (1, 1, 60_000)
          })), ingestFrame("drain", .drain(.init())),
    ]
  }()
}
