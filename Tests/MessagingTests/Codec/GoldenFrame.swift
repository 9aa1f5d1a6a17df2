import Foundation
import SwiftProtobuf
import Testing

@testable import Domain
@testable import Messaging

/// A frame of the folder proto/golden, which stores it as hexadecimal digits and as protobuf's JSON.
struct GoldenFrame: Sendable, CustomTestStringConvertible {
  /// File name without extension: package, message and body. An example is "onthemap.feed.v1/FeedFrame.delta".
  let name: String
  let type: any Message.Type
  /// The frame as our code encodes it.
  let bytes: [UInt8]
  /// Returns true if our code decodes the expected message from the bytes.
  let isRead: @Sendable ([UInt8]) -> Bool

  var testDescription: String { name }

  static let all =
    feedFrames + queryFrames + changeFrames + workerFrames + ingestFrames + submitRequestFrames + submitReplyFrames
    + gatewayFrames + gatewayReplyFrames + adminRequestFrames + adminReplyFrames

  static func frame<Wire: Message>(
    _ package: String, _ body: String, _ type: Wire.Type, _ bytes: [UInt8],
    isRead: @escaping @Sendable ([UInt8]) -> Bool
  ) -> GoldenFrame {
    let message = Wire.protoMessageName.split(separator: ".").last.map(String.init) ?? ""
    let name = "onthemap.\(package).v1/\(message)" + (body.isEmpty ? "" : ".\(body)")
    return GoldenFrame(name: name, type: type, bytes: bytes, isRead: isRead)
  }

  static func same<Wire: Message & Equatable>(
    _ package: String, _ body: String, _ message: Wire, read: @escaping @Sendable ([UInt8]) -> Wire?
  ) -> GoldenFrame {
    frame(package, body, Wire.self, message.bytes) { read($0) == message }
  }

  // Entries of the list with each agreement, newest first.
  private static let ana = FeedEntry(
    id: .named("4D2qwHkYwD"), seq: 1_027, account: AccountID(rawValue: 7), firstName: "Ana", lastName: "Mora",
    place: "Costa Rica", label: "Costa Rica", countryCode: "CR", link: "https://example.org/ana",
    coordinate: .e7(100_000_000, -840_000_000), agreement: .notGiven, createdMs: 1_763_856_000_000,
    updatedMs: 1_763_856_000_450)
  private static let zoe = FeedEntry(
    id: .named("4D2qur2un2"), seq: 1_026, account: AccountID(rawValue: 42), firstName: "Zoë", lastName: "京",
    place: "Seattle, WA", label: "Seattle, Washington, United States", countryCode: "US",
    link: "https://example.org/zoe", coordinate: .e7(476_062_100, -1_223_320_700), agreement: .verified,
    createdMs: 1_763_855_990_000, updatedMs: 1_763_855_990_017)
  private static let ole = FeedEntry(
    id: .named("4D2quqZZZZ"), seq: 1_019, account: AccountID(rawValue: .max), firstName: "Ole", lastName: "O'Neil",
    place: "my garden", label: "my garden", countryCode: "", link: "http://example.org/?a=1&b=<2>",
    coordinate: .e7(-900_000_000, 1_800_000_000), agreement: .unverified, createdMs: 1_763_855_000_000,
    updatedMs: 1_763_855_001_000)
  private static let edited = FeedEntry(
    id: ole.id, seq: 1_030, account: ole.account, firstName: ole.firstName, lastName: ole.lastName, place: "Oslo",
    label: "Oslo, Norway", countryCode: "NO", link: ole.link, coordinate: .e7(0, -1), agreement: .mismatch,
    createdMs: ole.createdMs, updatedMs: 1_763_856_010_000)
  private static let before = FeedState(epoch: epoch, seq: 1_027, entries: [ana, zoe])
  /// Zoë's post is deleted, and Ole's post from below the end of the list refills it.
  private static let delta = FeedDelta(prevSeq: 1_027, seq: 1_029, upsert: [ole], remove: [zoe.id])
  private static let after = FeedState(epoch: epoch, seq: 1_029, entries: [ana, ole])
  static let epoch = Epoch(Array(0..<16)) ?? .filled(with: 0)
  private static let unixMs: Int64 = 1_763_856_000_500

  private static let feedFrames: [GoldenFrame] = {
    func feed(
      _ file: String, _ body: FeedCodec.Body, _ state: FeedState, isStale: Bool = false, reads: FeedReplica.Frame
    ) -> GoldenFrame {
      let bytes = FeedCodec.feed(body, state, isStale: isStale, instance: "feed-1", unixMs: unixMs)
      return frame("feed", file, FeedFrame.self, bytes) { FeedFrame.read($0) == reads }
    }
    let endpoints = ["tcp://10.0.0.2:7710", "tcp://feed.example.org:7710"]
    let empty = FeedState(epoch: epoch, seq: 0, entries: [])
    return [
      feed("snapshot", .snapshot(.join), before, reads: .snapshot(before, hash: before.hash)),
      feed(
        "empty.snapshot", .snapshot(.periodic), empty, isStale: true,
        reads: .snapshot(empty, hash: empty.hash, isStale: true)),
      feed("delta", .delta(delta), after, reads: .delta(delta, epoch: epoch, hash: after.hash)),
      feed(
        "heartbeat", .heartbeat(minAfterSeq: 1_000), after, isStale: true,
        reads: .heartbeat(epoch: epoch, seq: 1_029, hash: after.hash, isStale: true)),
      feed(
        "bye",
        .bye(reason: "feed shutting down", failoverEndpoints: endpoints.compactMap { try? Endpoint($0) }), after,
        reads: .bye(reason: "feed shutting down", failoverEndpoints: endpoints)),
    ]
  }()

  private static let queryFrames: [GoldenFrame] = {
    func query(_ file: String, _ body: FeedRequest.OneOf_Body) -> GoldenFrame {
      let request = FeedRequest.with {
        ($0.magic, $0.major, $0.minor, $0.requestID, $0.body) = (Protocol.magic, 1, 0, 5, body)
      }
      return same("feed", file, request) { try? FeedRequest(serializedBytes: $0) }
    }
    func reply(_ file: String, _ reply: FeedCodec.QueryReply, _ body: FeedReply.OneOf_Body) -> GoldenFrame {
      let bytes = FeedCodec.queryReply(reply, after, isStale: false, id: 5)
      return frame("feed", file, FeedReply.self, bytes) { bytes in
        guard let reply = try? FeedReply(serializedBytes: bytes) else { return false }
        return reply.body == body && reply.requestID == 5 && reply.seq == 1_029 && Epoch(reply.epoch) == epoch
      }
    }
    let list = Onthemap_Feed_V1_Snapshot.with {
      ($0.reason, $0.limit, $0.stateHash) = (.query, 100, after.hash)
      $0.entries = after.entries.map(Onthemap_Feed_V1_Entry.init)
    }
    let deltaBody = Onthemap_Feed_V1_Delta.with {
      ($0.prevSeq, $0.remove, $0.stateHash) = (1_027, [zoe.id.description], after.hash)
      $0.upsert = [Onthemap_Feed_V1_Entry(ole)]
    }
    let refusal = FeedReply(
      id: 5, error: .with { ($0.code, $0.detail, $0.retryAfterMs) = (.busy, "too many ask at once", 1_000) })
    return [
      query("get_snapshot", .getSnapshot(.with { ($0.ifEpoch, $0.ifSeq) = (Data(epoch.bytes), 1_027) })),
      query("get_changes", .getChanges(.with { ($0.epoch, $0.afterSeq) = (Data(epoch.bytes), 1_027) })),
      reply("snapshot", .snapshot, .snapshot(list)), reply("delta", .delta(delta), .delta(deltaBody)),
      reply("not_modified", .notModified, .notModified(.init())),
      same("feed", "error", refusal) { try? FeedReply(serializedBytes: $0) },
    ]
  }()

  private static let changeFrames: [GoldenFrame] = {
    let traced = edited.traced(TraceContext("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"))
    let changes: [FeedChange] = [
      .remove(zoe.id, seq: 1_028, backfill: ole), .remove(ana.id, seq: 1_029, backfill: nil), .upsert(traced),
    ]
    var list = before
    list.apply(changes)
    let error = FetchReply.OneOf_Body.error(.with { ($0.code, $0.detail) = (.malformed, "not a FetchRequest") })
    return [
      same("changes", "", FetchRequest(id: 5, feed: "feed-1", after: before, subscribers: 3)) {
        FetchRequest([$0][...])
      },
      frame(
        "changes", "changes", FetchReply.self,
        FeedCodec.reply(.changes(changes, lastSeq: 1_030, hash: list.hash), id: 5, epoch: epoch, generation: 3)
      ) { bytes in
        guard case .changes(let read)? = FetchReply([bytes])?.body else { return false }
        return read.changes == changes && read.changes?.map(\.entry?.trace) == changes.map(\.entry?.trace)
      },
      frame(
        "changes", "snapshot", FetchReply.self,
        FeedCodec.reply(.snapshot(before), id: 5, epoch: epoch, generation: 3)
      ) { bytes in
        guard let reply = FetchReply([bytes]), case .snapshot(let list)? = reply.body else { return false }
        return entries(list.entries) == before.entries && list.stateHash == before.hash && reply.seq == before.seq
      },
      same("changes", "error", FetchReply(id: 0, epoch: epoch, seq: 0, generation: 3, error)) { FetchReply([$0]) },
    ]
  }()
}

extension PostID {
  fileprivate static func named(_ text: String) -> PostID {
    guard let id = PostID(text) else { preconditionFailure("A test names an id that does not exist.") }
    return id
  }
}
