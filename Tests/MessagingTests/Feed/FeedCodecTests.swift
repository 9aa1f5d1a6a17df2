import Foundation
import Fuzzing
import SwiftProtobuf
import Testing

@testable import Domain
@testable import Messaging

@Suite("Feed codec")
struct FeedCodecTests {
  /// Requires that the codec decodes bytes as the generated code does, if it decodes them at all.
  static func requireSameReading(of bytes: [UInt8]) throws {
    if let delta = FeedCodec.delta(bytes) { try #require(FeedFrame.message(bytes) == delta, "\(bytes)") }
    guard let (id, epoch, generation, read, hash) = FeedCodec.changes(bytes) else { return }
    let reply = try #require(FetchReply([bytes]), "\(bytes)")
    guard case .changes(let changes)? = reply.body else { throw Mismatch(bytes: bytes) }
    try #require(reply.requestID == id && Epoch(reply.epoch) == epoch, "\(bytes)")
    try #require(reply.start == IngestStart(epoch, generation), "\(bytes)")
    try #require(changes.changes == read && (changes.hasStateHash ? changes.stateHash : nil) == hash, "\(bytes)")
    try #require(changes.changes?.map(\.entry?.trace) == read.map(\.entry?.trace), "\(bytes)")
  }

  struct Mismatch: Error { let bytes: [UInt8] }

  @Test("The feed codec encodes and decodes exactly as the generated code")
  func sameAsGenerated() throws {
    for seed in 0..<300 as Range<UInt64> {
      var random = SeededRandom(seed: seed)
      let state = FeedState(
        epoch: .filled(with: random.byte()), seq: random.number(), entries: random.entries(below: 120))
      let delta = FeedDelta(
        prevSeq: random.number(), seq: state.seq, upsert: random.entries(below: 40),
        remove: random.entries(below: 9).map(\.id))
      let failoverEndpoints = ["tcp://10.0.0.2:7710", "tcp://feed.example.org:7710"]
      let minAfterSeq = random.number()
      let bodies: [(FeedCodec.Body, FeedFrame.OneOf_Body)] = [
        (.snapshot(.join), FeedFrame.snapshot(state, .join)),
        (.delta(delta), FeedFrame.delta(delta, hash: state.hash)),
        (
          .heartbeat(minAfterSeq: minAfterSeq),
          .heartbeat(.with { ($0.intervalMs, $0.stateHash, $0.minAfterSeq) = (1_000, state.hash, minAfterSeq) })
        ),
        (
          .bye(reason: "so long", failoverEndpoints: try failoverEndpoints.map { try Endpoint($0) }),
          .bye(.with { ($0.reason, $0.failoverEndpoints) = ("so long", failoverEndpoints) })
        ),
      ]
      let unixMs = Int64(bitPattern: random.number())
      for (body, generated) in bodies {
        let isStale = random.happens(30)
        let written = FeedCodec.feed(body, state, isStale: isStale, instance: "feed-1", unixMs: unixMs)
        var frame = FeedFrame(state, instance: "feed-1", unixMs: unixMs, generated)
        frame.stale = isStale
        try #require(written == frame.bytes, "seed \(seed)")
        try Self.requireSameReading(of: written)
      }
      let id = random.number()
      for result in [
        .changes(random.changes(below: 40), lastSeq: random.number(), hash: random.happens(50) ? random.next() : nil),
        .snapshot(state),
      ]
        as [ChangeLog.FetchResult]
      {
        let generation = random.happens(50) ? 0 : UInt32(truncatingIfNeeded: random.next())
        let written = FeedCodec.reply(result, id: id, epoch: state.epoch, generation: generation)
        let reply = FetchReply(result, id: id, epoch: state.epoch, generation: generation)
        try #require(written == reply.bytes, "seed \(seed)")
        try Self.requireSameReading(of: written)
      }
    }
  }

  @Test("The feed codec decodes deltas and changes itself, also with empty texts")
  func short() throws {
    var random = SeededRandom(seed: 1)
    for _ in 0..<100 {
      let state = FeedState(epoch: .filled(with: 1), seq: 7, entries: random.entries(below: 9))
      let delta = FeedDelta(prevSeq: 6, seq: 7, upsert: random.entries(below: 9), remove: [.numbered(1)])
      let frame = FeedCodec.feed(.delta(delta), state, instance: "feed-1", unixMs: 1)
      #expect(FeedCodec.delta(frame) == .delta(delta, epoch: state.epoch, hash: state.hash))
      let entries = random.entries(below: 9)
      let reply = FeedCodec.reply(
        .changes(entries.map { .upsert($0) }, lastSeq: 7, hash: 9), id: 3, epoch: state.epoch, generation: 300)
      let read = try #require(FeedCodec.changes(reply))
      #expect(read.id == 3 && read.epoch == state.epoch && read.generation == 300 && read.hash == 9)
      #expect(read.changes == entries.map { .upsert($0) })
      #expect(read.changes.map(\.entry?.trace) == entries.map(\.trace))
    }
  }

  /// Encodes changes with one entry, to which `entry` adds fields.
  private func reply(_ entry: (inout FieldWriter) -> Void) -> [UInt8] {
    var frame = FieldWriter()
    frame.version()
    frame.number(4, 1)
    frame.data(5, Epoch.filled(with: 1).bytes)
    frame.number(6, 6)
    frame.message(16) { changes in
      changes.message(1) { fields in
        fields.add(Onthemap_Feed_V1_Entry(.sample(6)).bytes)
        entry(&fields)
      }
    }
    return frame.bytes
  }

  @Test("The feed codec decodes unusual fields of an entry as the generated code does")
  func unusual() throws {
    let additions: [(isAccepted: Bool, (inout FieldWriter) -> Void)] = [
      (true, { $0.number(15, 1) }), (true, { $0.text(15, "new") }), (true, { $0.fixed32(15, 5) }),
      (true, { $0.fixed64(2, 5) }), (true, { $0.number(4, 5) }), (true, { $0.text(1, "4D2qwHkYwD") }),
      (true, { $0.number(12, 4) }), (true, { $0.number(12, 1 << 32 | 1) }), (true, { $0.number(10, 1 << 32) }),
      (true, { $0.text(6, "Oslo") }), (true, { $0.add([0x32, 0]) }), (false, { $0.data(6, [0xFF]) }),
      (false, { $0.text(1, "4D2qwHkYw-") }),
      (false, { $0.data(1, [0xFF]) }), (false, { $0.signed(10, .min) }), (false, { $0.signed(11, 1_800_000_001) }),
      (false, { $0.fixed64(13, Protocol.unixMsMax + 1) }), (false, { $0.add([0]) }), (false, { $0.add([0x32, 9]) }),
    ]
    #expect(FeedCodec.changes(reply { _ in }) != nil)
    for (index, (isAccepted, addition)) in additions.enumerated() {
      let bytes = reply(addition)
      try Self.requireSameReading(of: bytes)
      let entries = FetchReply([bytes]).flatMap { $0.changes.changes }
      #expect((entries?.count == 1) == isAccepted, "\(index)")
      #expect(isAccepted || FeedCodec.changes(bytes) == nil, "\(index)")
    }
  }
}

extension SeededRandom {
  /// Returns random changes by ascending sequence number. One change in ten is a removal.
  fileprivate mutating func changes(below count: Int) -> [FeedChange] {
    let backfills = entries(below: 9)
    return entries(below: count).sorted { $0.seq < $1.seq }.map { entry in
      guard happens(10) else { return .upsert(entry) }
      return .remove(entry.id, seq: entry.seq, backfill: happens(50) ? backfills.first : nil)
    }
  }

  /// Returns a random number of a random length in bits.
  fileprivate mutating func number() -> UInt64 { next() >> UInt64(below(64)) }

  private mutating func text() -> String {
    String((0..<below(3) * below(40)).map { _ in one(of: Array("aZ 0,é漢🌍")) })
  }

  fileprivate mutating func entries(below count: Int) -> [FeedEntry] {
    (1..<1 + below(count)).map { index in
      let entry = FeedEntry(
        id: .numbered(number() >> 6), seq: number() << 8 | UInt64(index),
        account: AccountID(rawValue: Int64(bitPattern: number())),
        firstName: text(), lastName: text(), place: text(), label: text(), countryCode: one(of: ["", "US"]),
        link: text(),
        coordinate: .e7(.random(in: -900_000_000...900_000_000, using: &self), one(of: [0, -1, 1_800_000_000, 77])),
        agreement: one(of: [.notGiven, .verified, .unverified, .mismatch]),
        createdMs: Int64(number() % Protocol.unixMsMax), updatedMs: Int64(number() % Protocol.unixMsMax))
      guard happens(20) else { return entry }
      return entry.traced(TraceContext("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"))
    }
  }
}
