import Foundation
import SwiftProtobuf
import Testing

@testable import Domain
@testable import Messaging

@Suite("Traces on the wire")
struct TraceWireTests {
  private static let header = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
  private let trace = TraceContext(header)

  @Test("A job's trace takes 57 bytes, and a job without a trace carries none")
  func job() throws {
    var job = Job(id: JobID(rawValue: 9), account: AccountID(rawValue: 3), query: "Oslo")
    let lease = Lease(job: job.id, token: 77)
    let bare = Onthemap_Jobs_V1_Job(.init(job: job, lease: lease))
    job.trace = trace
    let wire = Onthemap_Jobs_V1_Job(.init(job: job, lease: lease))
    #expect(wire.job?.trace == trace && bare.job != nil && bare.job?.trace == nil)
    #expect(wire.bytes.count == bare.bytes.count + 57)
  }

  @Test("A malformed trace is dropped, and the message around it is accepted")
  func malformed() {
    let job = Onthemap_Jobs_V1_Job.with {
      $0.jobID = 9
      $0.query = "Oslo"
      $0.traceparent = "00-nonsense"
    }
    #expect(job.job?.query == "Oslo" && job.job?.trace == nil)
    let draft = Onthemap_Submit_V1_Draft.with { $0.traceparent = Self.header.uppercased() }
    #expect(draft.post.trace == nil)
    let changes = Onthemap_Changes_V1_Changes.with {
      $0.upsert = [.init(FeedEntry.sample(5))]
      $0.traces = [
        .with { ($0.seq, $0.traceparent) = (5, "x") }, .with { ($0.seq, $0.traceparent) = (6, Self.header) },
      ]
    }
    #expect(changes.changes == [.sample(5)] && changes.changes?.first?.entry?.trace == nil)
  }

  @Test("A producer's post carries its trace")
  func draft() {
    let post = SubmittedPost(idempotencyKey: "k", place: "Oslo", link: "x.y", trace: trace)
    #expect(Onthemap_Submit_V1_Draft(post).post == post)
  }

  @Test("Each change keeps its own trace on the change log, and feed entries carry no trace")
  func changes() {
    let entries = [FeedEntry.sample(5), FeedEntry.sample(6).traced(trace), FeedEntry.sample(7)]
    let wire = Onthemap_Changes_V1_Changes(entries.map { .upsert($0) })
    #expect(wire.changes?.map(\.entry?.trace) == [nil, trace, nil] && wire.traces.count == 1)
    #expect(wire.changes == entries.map { .upsert($0) })
    let entry = Onthemap_Feed_V1_Entry(entries[1])
    #expect(entry.bytes == Onthemap_Feed_V1_Entry(FeedEntry.sample(6)).bytes)
  }

  @Test("A hundred of the longest changes with traces fit a frame")
  func longest() {
    let entries = (1...100).map { FeedChange.upsert(FeedEntry.longest($0).traced(trace)) }
    let reply = FetchReply(id: .max, epoch: .filled(with: 7), seq: .max, .changes(.init(entries)))
    #expect(reply.bytes.count <= Limits.feedFrameBytesMax)
  }

  @Test("A fetch carries the feed's number of subscribers, or no number if the feed does not count them")
  func subscribers() {
    #expect(FetchRequest(id: 1, feed: "f", after: nil, subscribers: 0).hasSubscribers)
    #expect(FetchRequest(id: 1, feed: "f", after: nil, subscribers: 7).subscribers == 7)
    #expect(!FetchRequest(id: 1, feed: "f", after: nil).hasSubscribers)
  }
}
