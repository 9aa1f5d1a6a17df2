import Foundation
import SwiftProtobuf
import Testing

@testable import Domain
@testable import Messaging

@Suite("Feed and change messages")
struct FeedWireTests {
  private let state = FeedState.sample(1...3)

  private func read(_ state: FeedState, _ body: FeedFrame.OneOf_Body) -> FeedReplica.Frame? {
    FeedFrame.read(FeedFrame(state, instance: "feed-1", unixMs: 1_700_000_000_000, body).bytes)
  }

  @Test("An entry survives a round trip", arguments: [0, 1, 2, 3] as [UInt8])
  func entry(agreement: UInt8) {
    let entry = FeedEntry.sample(
      839_299_365_868_340_223, account: .max, coordinate: .e7(-900_000_000, 1_800_000_000),
      agreement: Verdict.Agreement(rawValue: agreement) ?? .notGiven)
    #expect(Onthemap_Feed_V1_Entry(entry).entry == entry)
  }

  @Test("An entry with a bad field is refused, and an unknown agreement counts as unverified")
  func badEntries() {
    let changes: [(inout Onthemap_Feed_V1_Entry) -> Void] = [
      { $0.postID = "" }, { $0.postID = "0000000-00" }, { $0.postID = "00000000000" }, { $0.latE7 = .min },
      { $0.lonE7 = 1_800_000_001 }, { $0.createdUnixMs = 1 << 63 }, { $0.updatedUnixMs = Protocol.unixMsMax + 1 },
    ]
    for change in changes {
      var wire = Onthemap_Feed_V1_Entry(.sample(1))
      change(&wire)
      #expect(wire.entry == nil)
      #expect(entries([Onthemap_Feed_V1_Entry(.sample(2)), wire]) == nil)
    }
    for raw in [4, 256, 257, -255] {
      var wire = Onthemap_Feed_V1_Entry(.sample(1))
      wire.agreement = .UNRECOGNIZED(raw)
      #expect(wire.entry?.agreement == .unverified)
    }
  }

  @Test("Each feed frame survives a round trip")
  func frames() {
    #expect(read(state, FeedFrame.snapshot(state, .periodic)) == .snapshot(state, hash: state.hash))
    let delta = Onthemap_Feed_V1_Delta.with {
      $0.prevSeq = 1
      $0.upsert = [2, 3].map { Onthemap_Feed_V1_Entry(.sample($0)) }
      $0.stateHash = 99
    }
    let expected = FeedDelta(prevSeq: 1, seq: 3, upsert: [.sample(2), .sample(3)], remove: [])
    #expect(read(state, .delta(delta)) == .delta(expected, epoch: state.epoch, hash: 99))
    #expect(
      read(state, .heartbeat(.with { $0.stateHash = 7 })) == .heartbeat(epoch: state.epoch, seq: 3, hash: 7))
    #expect(read(state, .bye(.with { $0.reason = "so long" })) == .bye(reason: "so long"))
    let bye = Onthemap_Feed_V1_Bye.with {
      $0.reason = "so long"
      $0.failoverEndpoints = (1...9).map { "tcp://10.0.0.\($0):7710" }
    }
    #expect(
      read(state, .bye(bye)) == .bye(reason: "so long", failoverEndpoints: (1...8).map { "tcp://10.0.0.\($0):7710" }))
  }

  @Test("A frame of another major version or with bad fields is refused")
  func notFrames() {
    func bytes(_ change: (inout FeedFrame) -> Void) -> [UInt8] {
      var frame = FeedFrame(state, instance: "", unixMs: 0, .heartbeat(.init()))
      change(&frame)
      return frame.bytes
    }
    #expect(FeedFrame.read(bytes { _ in }) != nil)
    #expect(FeedFrame.read(bytes { $0.minor = 9 }) != nil, "A higher minor version is accepted.")
    #expect(FeedFrame.read(bytes { $0.magic = 1 }) == nil)
    #expect(FeedFrame.read(bytes { $0.major = 2 }) == nil)
    #expect(FeedFrame.read(bytes { $0.epoch = Data(count: 15) }) == nil)
    #expect(FeedFrame.read(bytes { $0.body = nil }) == nil)
    #expect(FeedFrame.read([]) == nil)
    #expect(FeedFrame.read(Array("GET / HTTP/1.1\r\n\r\n".utf8)) == nil)
  }

  @Test("The list with the longest texts fits the frame limit")
  func sizes() {
    let longest = (1...100).reversed().map { FeedEntry.longest($0) }
    let state = FeedState(epoch: .filled(with: 255), seq: .max, entries: longest)
    let delta = Onthemap_Feed_V1_Delta.with {
      $0.prevSeq = .max
      $0.upsert = longest.map(Onthemap_Feed_V1_Entry.init)
      $0.remove = longest.map(\.id.description)
      $0.stateHash = .max
    }
    for body in [FeedFrame.snapshot(state, .join), .delta(delta)] {
      #expect(FeedFrame(state, instance: "feed", unixMs: .max, body).bytes.count <= Limits.feedFrameBytesMax)
    }
    let snapshot = Onthemap_Changes_V1_Snapshot.with {
      $0.entries = longest.map(Onthemap_Feed_V1_Entry.init)
      $0.stateHash = .max
    }
    #expect(
      FetchReply(id: .max, epoch: state.epoch, seq: .max, .snapshot(snapshot)).bytes.count <= Limits.feedFrameBytesMax)
  }

  @Test("A fetch survives a round trip, with and without a list")
  func fetch() {
    for state in [nil, state] {
      let request = FetchRequest(id: 5, feed: "feed-1", after: state)
      #expect(FetchRequest([request.bytes][...]) == request)
      #expect(Epoch(request.epoch) == state?.epoch)
      #expect(request.afterSeq == state?.seq ?? 0)
    }
  }

  @Test("A malformed fetch is refused")
  func notFetch() {
    func request(_ change: (inout FetchRequest) -> Void) -> FetchRequest? {
      var request = FetchRequest(id: 1, feed: "f", after: state)
      change(&request)
      return FetchRequest([request.bytes][...])
    }
    #expect(request { _ in } != nil)
    #expect(request { $0.magic = 0 } == nil)
    #expect(request { $0.feed = String(repeating: "f", count: 65) } == nil)
    #expect(request { $0.epoch = Data(count: 15) } == nil)
    #expect(FetchRequest([][...]) == nil)
    #expect(FetchRequest([[], []][...]) == nil)
  }

  @Test("A fetch reply survives a round trip")
  func reply() {
    let bodies: [FetchReply.OneOf_Body] = [
      .changes(.with { $0.upsert = [Onthemap_Feed_V1_Entry(.sample(1))] }), .changes(.init()),
      .snapshot(.with { $0.stateHash = 3 }), .error(.with { $0.code = .malformed }),
    ]
    for body in bodies {
      let reply = FetchReply(id: .max, epoch: state.epoch, seq: 7, body)
      #expect(FetchReply([reply.bytes]) == reply)
      #expect(FetchReply([reply.bytes, []]) == nil)
    }
  }
}
