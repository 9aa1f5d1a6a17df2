import Foundation
import SwiftProtobuf
import Testing

@testable import Link
@testable import OnTheMap

@Suite("Bytes from outside")
struct MutatedFrameTests {
  private static let frames: [[UInt8]] = {
    let state = FeedState.sample(1...20)
    let results = (1...5).map { number in
      Onthemap_Jobs_V1_Result(JobResult(lease: .numbered(number), outcome: .located([.sample(), .sample()])))
    }
    return [
      WorkerFrame(session: 5, .results(.with { $0.results = results })).bytes,
      WorkerFrame(session: 5, .heartbeat(.with { $0.held = (1...9).map { .init(.numbered($0)) } })).bytes,
      WorkerFrame(session: 0, .hello(.with { $0.instance = .init(count: 16) })).bytes,
      IngestFrame(session: 5, .jobs(.with { $0.jobs = [.with { $0.query = "Oslo" }] })).bytes,
      IngestFrame(session: 5, .welcome(.with { $0.heartbeatMs = 2_000 })).bytes,
      FeedFrame(state, instance: "x", unixMs: 1, FeedFrame.snapshot(state, .join)).bytes,
      FeedFrame(state, instance: "x", unixMs: 1, .delta(.with { $0.upsert = [.init(.sample(3))] })).bytes,
      FetchRequest(id: 1, feed: "feed", after: state).bytes,
      FetchReply(id: 1, epoch: state.epoch, seq: 3, .list(.with { $0.entries = [.init(.sample(1))] })).bytes,
    ]
  }()

  /// Reads bytes as every kind of frame, down to the values; how many kinds took them.
  private func readAsEverything(_ bytes: [UInt8]) -> Int {
    var taken = 0
    if let frame = WorkerFrame([bytes][...]) {
      taken += 1
      if case .results(let results)? = frame.body { taken += results.results.compactMap(\.result).isEmpty ? 0 : 1 }
    }
    if let frame = IngestFrame([bytes]) { taken += frame.body == nil ? 0 : 1 }
    if let frame = FeedFrame.read(bytes) {
      var replica = FeedReplica(nowMs: 0)
      if replica.receive(frame, nowMs: 0) == .replaced { taken += 1 }
    }
    if let request = FetchRequest([bytes][...]) { taken += Epoch(request.epoch) == nil ? 0 : 1 }
    if let reply = FetchReply([bytes]), case .list(let list)? = reply.body {
      taken += entries(list.entries)?.count ?? 0
    }
    return taken
  }

  @Test("Every frame is understood by somebody", arguments: frames)
  func whole(bytes: [UInt8]) {
    #expect(readAsEverything(bytes) > 0)
  }

  @Test("A frame that is cut off anywhere harms nobody", arguments: frames)
  func truncated(bytes: [UInt8]) {
    var refused = 0
    for length in 0..<bytes.count where readAsEverything(Array(bytes[..<length])) == 0 { refused += 1 }
    #expect(refused > bytes.count / 4)
  }
}
